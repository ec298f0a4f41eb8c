"""What other systems predicted, as their files say it."""
