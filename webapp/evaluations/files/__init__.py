"""The files that an evaluation leaves."""
