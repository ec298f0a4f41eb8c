"""The earlier name of `backfill_error_causes`."""

from webapp.evaluations.management.commands.backfill_error_causes import Command

__all__ = ["Command"]
