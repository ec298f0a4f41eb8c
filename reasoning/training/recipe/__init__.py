"""Recipes of trainings: what they say, where a fault stands, and which questions they keep out."""
