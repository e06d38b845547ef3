"""Tidy frames to pictures, one module a table family; `registry` names them all.

`style` says how everything looks and is saved, `panels` lays out small multiples, `scales` handles
0 and infinity on logarithmic axes. Nothing here reads records.
"""
