"""All adversaries by name, and the functions of the honest and the misbehaving algorithms."""

from collections.abc import Callable
from pathlib import Path

import ending
import forking
import hoarding
import honest
from adversary import BENCH, HELD, Adversary, declare

__all__ = ["BENCH", "HONEST", "solve"]

HONEST = {name: f"{honest.__file__}:{name}" for name in ("random_search", "evolution")}
"""The two honest algorithms beside them, each with its `use`."""

_MODULES = (ending, forking, hoarding, honest)

for _what, _status, _reason, _message in (
    ("segfaults", "raised", "failure", "ExternalError: ended by SIGSEGV"),
    ("gives_up", "raised", "failure", "exit code 3; standard error: no licence"),
    ("babbles", "raised", "failure", "ExternalError: 'a point: 1 2'"),
    ("asks_for_too_much", "ok", HELD, None),
    ("never_reads", "ok", "evaluations", None),
    ("complains", "ok", HELD, None),
    ("writes_one_long_line", "raised", "failure", "is not a line"),
    ("hangs", "ok", HELD, None),
    ("kills_the_run", "killed", "failure", "SIGKILL from outside"),
    ("leaves_others", "ok", HELD, None),
):
    _use = f"external:sh {Path(__file__).with_name('program.sh')} {_what}"
    declare(Adversary(f"program_{_what}", _use, _status, (_reason,), _message))


def solve(name: str) -> Callable[..., object]:
    (found,) = {vars(module)[name] for module in _MODULES if name in vars(module)}
    return found
