"""What the stores share: cursors, joins, matching of names, codes of relations, truncation, errors."""
