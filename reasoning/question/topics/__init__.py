"""Which entity a question is about: candidates side by side, and a learned order of them."""
