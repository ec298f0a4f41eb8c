"""What all strategies share: deciding, continuing, counting the cost, choosing the topic."""
