"""What the graph offers: pools of options, their texts, pruning and answers."""
