"""Statistics of the comparison of two versions of an algorithm."""
