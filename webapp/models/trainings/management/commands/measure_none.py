"""The earlier name of `measure_abstention`."""

from webapp.models.trainings.management.commands.measure_abstention import Command

__all__ = ["Command"]
