"""Whether the site can work: checked before it starts, and while it runs."""
