"""What a question says, before any model is asked: names, numbers, dates, kinds and counts."""
