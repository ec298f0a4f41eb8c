"""What is known of Freebase: tables with a reason for each row, and how they are read."""
