"""Shares and precisions over the cost."""
