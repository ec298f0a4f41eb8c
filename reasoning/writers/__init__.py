"""Models that write, for the strategies that ask for one. Nothing that they write is a fact of the graph."""
