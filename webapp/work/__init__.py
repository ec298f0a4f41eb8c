"""What all background work of the site shares."""
