"""People and what they may do."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    """What somebody is here for."""

    ASKER = "asker", "Asker"
    ANNOTATOR = "annotator", "Annotator"
    REVIEWER = "reviewer", "Reviewer"
    ADMIN = "admin", "Admin"


class User(AbstractUser):
    """Somebody with an account."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.ASKER)

    class Meta(AbstractUser.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="user_role_is_known")
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def display_name(self) -> str:
        """What to call them on a screen."""
        return self.get_full_name() or self.username
