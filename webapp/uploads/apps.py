"""The app of uploads."""

from __future__ import annotations

from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files that people send, for the features that read them."""

    name = "webapp.uploads"
    verbose_name = "Uploads"
