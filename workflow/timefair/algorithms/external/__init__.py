"""Algorithms in any language: a command that speaks a line protocol over pipes.

`command` parses what a campaign writes, `process` runs the command, `protocol` defines the messages
and `library` exchanges them.
"""
