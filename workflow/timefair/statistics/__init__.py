"""Statistics of benchmark results. The functions take arrays and return arrays."""
