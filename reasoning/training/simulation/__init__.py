"""Trials: how good a scorer is after so many labels."""
