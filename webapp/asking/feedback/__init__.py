"""What people say of answers: whether one is right, and what it should be."""
