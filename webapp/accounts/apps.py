"""The app of accounts."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts and roles."""

    name = "webapp.accounts"
    verbose_name = "People"
