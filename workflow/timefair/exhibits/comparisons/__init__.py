"""Which algorithm is better, and how certain this is."""
