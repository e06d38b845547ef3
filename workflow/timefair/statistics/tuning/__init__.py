"""When tuning pays."""
