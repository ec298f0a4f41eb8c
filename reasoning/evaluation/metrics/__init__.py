"""Figures of one question: precision, recall and F1, edit distance, the size of a structure."""
