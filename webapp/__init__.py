"""The site: asks the engine in the background, keeps every event, and shows it to people."""

import gc

# A start makes a million objects that stay: with Python's threshold of 700, looking for garbage takes a sixth of it.
gc.set_threshold(50_000)
