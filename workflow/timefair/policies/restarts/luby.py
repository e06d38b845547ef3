"""Launches whose lengths follow Luby's sequence."""

from __future__ import annotations

from typing import Literal

from timefair.policies.restarts.base import Limit, WithTau


class Luby(WithTau):
    """A launch ends when it has used tau times its term of Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1,
    1, 2, … (Luby, Sinclair and Zuckerman 1993).

    For every distribution of the launches' runtimes, the expected runtime is within a logarithmic
    factor of the best expected runtime of any sequence of lengths.

    References
    ----------
    M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms, Information
    Processing Letters 47 (1993).
    """

    policy: Literal["luby"] = "luby"

    def limit(self, launch: int) -> Limit:
        return self.tau.times(luby(launch + 1))


def luby(i: int) -> int:
    """The i-th term of Luby's sequence, from 1.

    2^(k-1) for i = 2^k - 1, else the term of i - 2^(k-1) + 1, for 2^(k-1) <= i < 2^k - 1.

    >>> [luby(i) for i in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while (i + 1) & i:  # i + 1 is not a power of 2
        i -= (1 << (i.bit_length() - 1)) - 1
    return (i + 1) >> 1
