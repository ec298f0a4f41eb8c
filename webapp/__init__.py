"""The site: asks the engine in the background, keeps every event, and shows it to people."""
