"""What runs found: quantiles, means, success, and how probable they are."""
