"""Gold queries in SPARQL, read into query graphs."""
