"""The file formats of graphs, one module each, and what their readers share."""
