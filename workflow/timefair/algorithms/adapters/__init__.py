"""Algorithms of supported libraries: one module a library, each with a `Library`."""
