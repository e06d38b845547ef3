"""Restart policies: one module each, found by name.

A module declares a class derived from `base.RestartPolicy`: its fields are the keys of `restart` in
the campaign file, and its methods make the launches of a run.
"""

from __future__ import annotations

from timefair.policies.restarts.base import RestartPolicy
from timefair.policies.scan import declared

RESTARTS = declared(__name__, RestartPolicy, "policy")
"""The class of each `restart.policy`."""
