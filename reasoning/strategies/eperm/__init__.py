"""EPERM: weighted evidence paths along plans within a retrieved subgraph, and a predictor that reads them."""
