"""One task of a project: what is drawn, checked, suggested, handed in, reviewed and sent back."""
