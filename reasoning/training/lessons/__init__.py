"""From the sources of a recipe to training samples, and graphs and questions that are made for it."""
