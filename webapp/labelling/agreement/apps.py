"""The app of agreement."""

from __future__ import annotations

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    """How far people agree who labelled the same questions."""

    name = "webapp.labelling.agreement"
    verbose_name = "Agreement"
