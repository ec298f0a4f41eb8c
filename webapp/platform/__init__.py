"""What every feature rests on: background work, HTTP, sockets, the terminal, the environment."""
