"""Labelling: projects and their tasks, adjudication, agreement, exports, the log."""
