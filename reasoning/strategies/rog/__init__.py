"""RoG: plans of relation paths, what the graph holds along them, and an answer from that."""
