"""Algorithms in any language: a command that speaks a line protocol over pipes.

`command` parses the text in a campaign, `process` runs the command, `protocol` defines the messages
and `library` exchanges them.
"""
