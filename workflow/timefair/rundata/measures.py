"""Names of measures, for tables with several measures below each other."""

from __future__ import annotations

MEAN = "mean"
SD = "sd"


def quantile_name(p: float) -> str:
    """The name of a quantile such as ``Q.10``: two digits, or more if needed.

    Examples
    --------
    >>> quantile_name(0.1), quantile_name(0.5), quantile_name(0.025), quantile_name(1.0)
    ('Q.10', 'Q.50', 'Q.025', 'Q1.00')
    """
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")
