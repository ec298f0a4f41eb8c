"""Questions, runs and events in Django's administration, read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin

from webapp.asking.runs.models import Question, ReasoningRun, RunEvent, SideBySide

if TYPE_CHECKING:
    from django.db.models import Model
    from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """The event log is the record of a run; it cannot be edited."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Not allowed."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Not allowed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Not allowed."""
        return False


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    """What was asked."""

    list_display = ("text", "asker", "asked_at")
    list_select_related = ("asker",)
    search_fields = ("text",)
    date_hierarchy = "asked_at"


@admin.register(SideBySide)
class SideBySideAdmin(ReadOnlyAdmin):
    """What was asked in several ways at once."""

    list_display = ("question", "created_at")
    list_select_related = ("question",)
    search_fields = ("question__text", "id")
    date_hierarchy = "created_at"


@admin.register(ReasoningRun)
class ReasoningRunAdmin(ReadOnlyAdmin):
    """How it was answered."""

    list_display = ("question", "status", "verdict", "graph", "scorer", "attempts", "last_seq", "created_at")
    list_filter = ("status", "verdict", "graph", "scorer")
    list_select_related = ("question",)
    search_fields = ("question__text", "id")
    date_hierarchy = "created_at"


@admin.register(RunEvent)
class RunEventAdmin(ReadOnlyAdmin):
    """The log of a run."""

    list_display = ("run", "seq", "kind", "created_at")
    list_filter = ("kind",)
    list_select_related = ("run__question",)
    search_fields = ("run__id",)
