"""Models: their trainings, and the pipelines that label, train and compare."""
