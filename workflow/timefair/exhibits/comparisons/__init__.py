"""Which algorithm is better, and how sure that is."""
