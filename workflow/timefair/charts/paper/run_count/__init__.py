"""Figures about the number of runs that is enough."""
