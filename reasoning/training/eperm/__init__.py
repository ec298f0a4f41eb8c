"""Training of judges, the weights of EPERM: from answer sets alone."""
