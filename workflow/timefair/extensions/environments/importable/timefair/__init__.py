"""The package `timefair`, for an interpreter in which it is not installed."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[4])]
