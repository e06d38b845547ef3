"""Stopping rules: one module each, found by name, with a class derived from `StoppingPolicy`.

Its fields are the keys of `stopping` in the campaign file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from timefair.policies.scan import declared
from timefair.policies.stopping.base import StoppingPolicy


def __getattr__(name: str) -> Mapping[str, type[StoppingPolicy]]:
    """``STOPPING``: the class of each `stopping.rule`.

    They are collected when they are needed, because a module of an extension that is imported first
    would not have declared its class yet.
    """
    if name != "STOPPING":
        raise AttributeError(name)
    return _rules()


@cache
def _rules() -> Mapping[str, type[StoppingPolicy]]:
    return declared(__name__, StoppingPolicy, "rule")
