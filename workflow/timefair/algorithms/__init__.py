"""Algorithms: optimizers of libraries and the user's own functions, with a common interface."""
