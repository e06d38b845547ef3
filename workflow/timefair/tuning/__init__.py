"""Measures the search for the parameters of a tuned variant, in the same way as runs."""
