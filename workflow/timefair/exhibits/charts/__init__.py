"""Charts: each is declared once, and drawn from tidy frames for paper and for the page.

`style` determines how everything looks and is saved; `panels` lays out small multiples and handles
0 and infinity on logarithmic axes. No module reads records.
"""
