"""Which algorithms should share a budget, and what each of them contributes."""
