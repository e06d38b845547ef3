"""External programs that misbehave; `program.sh` has what they do."""

from pathlib import Path

from adversary import HELD, Adversary, declare

_COMMAND = f"external:sh {Path(__file__).with_name('program.sh')}"
_FAILED = ("failure",)

for _what, _does, _status, _reasons, _message in (
    ("segfaults", "crashes", "raised", _FAILED, "ExternalError: ended by SIGSEGV"),
    (
        "gives_up",
        "exits with a message",
        "raised",
        _FAILED,
        "exit code 3; standard error: no licence",
    ),
    ("babbles", "writes what is no point", "raised", _FAILED, "ExternalError: 'a point: 1 2'"),
    ("asks_for_too_much", "announces 10^20 points", "ok", (HELD,), None),
    ("never_reads", "evaluates, and never reads a value", "ok", ("evaluations",), None),
    ("complains", "floods the standard error", "ok", (HELD,), None),
    ("writes_one_long_line", "writes a line without an end", "raised", _FAILED, "is not a line"),
    ("hangs", "waits for ever", "ok", (HELD,), None),
    ("kills_the_run", "kills the run's process", "killed", _FAILED, "SIGKILL from outside"),
    ("leaves_others", "ends, and leaves other programs", "ok", (HELD,), None),
):
    declare(
        Adversary(f"program_{_what}", f"{_COMMAND} {_what}", _does, _status, _reasons, _message)
    )
