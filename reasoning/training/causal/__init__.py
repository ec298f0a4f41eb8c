"""Fine-tuning of causal language models on the decisions of derivations.

`texts` are the samples in words, `rows` packs them, `fresh` makes a small model where there is none, `judging` asks for
held-out decisions, `tuning` trains and `build` makes a scorer of it.
"""
