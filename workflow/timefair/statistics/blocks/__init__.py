"""Ratios of ERTs within blocks of runs."""
