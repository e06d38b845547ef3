"""Names of what a row measures, where a table has several measures below each other."""

from __future__ import annotations

MEAN = "mean"
SD = "sd"


def quantile_name(p: float) -> str:
    """``Q.10``: two digits, as in print, or as many as there are.

    Examples
    --------
    >>> quantile_name(0.1), quantile_name(0.5), quantile_name(0.025), quantile_name(1.0)
    ('Q.10', 'Q.50', 'Q.025', 'Q1.00')
    """
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")
