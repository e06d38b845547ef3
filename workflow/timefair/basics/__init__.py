"""What every room may use: errors, ranges of numbers, atomic files, the user's own code."""
