"""Whether the site can work: checked before it starts, and told while it runs."""
