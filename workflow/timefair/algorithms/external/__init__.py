"""Algorithms in any language: a command that speaks a line protocol over pipes."""
