"""Agreement of people who labelled the same questions: what of their labels is compared, by which measures."""
