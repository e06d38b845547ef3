"""Shares and precisions over a growing cost."""
