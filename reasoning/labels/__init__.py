"""Labels of questions: decisions that a person makes, what they lead to, and how they are checked."""
