"""READS, first published as LDR (Xu et al., arXiv 2412.12643)."""
