"""Algorithms in any language: a command that speaks a line protocol over pipes.

`protocol` has what is said, `command` what a campaign may write, `process` the running command and
`library` the conversation with it.
"""
