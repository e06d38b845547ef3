"""Which algorithm is best for a given cost of an evaluation."""
