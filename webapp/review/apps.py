"""The app of reviews."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Why answers are not right: what is proposed of each case, and what reviewers say."""

    name = "webapp.review"
    verbose_name = "Reviews"
