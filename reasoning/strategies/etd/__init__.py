"""EtD: explore, then determine (Liu et al., arXiv 2406.01145)."""
