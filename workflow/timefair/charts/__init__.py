"""Charts: each is declared once, and drawn for paper and for the page."""
