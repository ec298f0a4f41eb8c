"""What trains each kind of model."""
