"""Charts: forms of figures, drawn from tidy frames for paper and for the page."""
