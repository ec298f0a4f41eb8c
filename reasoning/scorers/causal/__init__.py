"""Exact choice with causal language models.

`trie` holds the options as token sequences, `search` finds the most probable of them, `reading` is what a backend must
be able to do, `transformers_reader` is one that does it, and `scorer` joins them to the product.
"""
