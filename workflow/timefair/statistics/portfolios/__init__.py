"""Portfolios: what each algorithm contributes, and which ones should share the budget."""
