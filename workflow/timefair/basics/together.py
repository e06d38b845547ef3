"""What a table writes in a column if a row is about all values of that column together."""

ALL = "all"
"""Instead of a function, a dimension or another value."""
