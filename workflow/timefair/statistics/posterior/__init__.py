"""Posterior probabilities that an algorithm is better."""
