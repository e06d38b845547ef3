"""How many runs were enough."""
