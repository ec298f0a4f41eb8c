"""What other systems predicted: reading their files, and judging them."""
