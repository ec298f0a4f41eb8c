"""Adjudication: how the labels of a task stand to each other, and the label of it that is accepted."""
