"""Figures over many judged questions: reports, tables, slices, intervals, one page."""
