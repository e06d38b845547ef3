"""Adapters of libraries of algorithms: one module per library, each with a `Library`."""
