"""Records to tidy frames, one module a table family; `registry` names them all.

`runs` takes the records apart, `settings` holds what the user chooses, `files` writes.
"""
