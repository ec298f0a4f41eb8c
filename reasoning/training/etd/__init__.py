"""Training of explorers, the weights of EtD: from answer sets alone."""
