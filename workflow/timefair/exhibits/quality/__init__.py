"""Results of runs: quantiles, means, success, and their probabilities."""
