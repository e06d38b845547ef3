"""Which algorithm is better."""
