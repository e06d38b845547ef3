"""What runs found."""
