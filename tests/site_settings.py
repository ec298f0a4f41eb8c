"""The settings of the sites that tests start: the product's, but a password is hashed in no time.

With the product's hashing, a third of what a site computes under the tests of the pages is for signing in.
"""

from __future__ import annotations

from webapp.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
