"""Stopping rules: one module each, found by name.

A module declares a class derived from `base.StoppingPolicy`: its fields are the keys of `stopping`
in the campaign file, and its methods say when there are enough runs. The statistics are those of
`timefair.statistics.run_count`.
"""

from __future__ import annotations

from timefair.policies.scan import declared
from timefair.policies.stopping.base import StoppingPolicy

STOPPING = declared(__name__, StoppingPolicy, "rule")
"""The class of each `stopping.rule`."""
