"""HTTP for every feature: what requests must be like, what errors look like, limits, pages."""
