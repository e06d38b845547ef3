"""Algorithms: optimizers of supported libraries and the user's own functions, by one interface."""
