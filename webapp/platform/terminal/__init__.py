"""The command line: what every command prints, and how."""
