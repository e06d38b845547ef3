"""Calls functions that run the user's code, each in a process of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from timefair.basics.errors import InputError
from timefair.linux import kernel
from timefair.linux.interruption import ends_at_once


class NoAnswer(Exception):
    """The process of a function ended before the function had returned."""


def elsewhere(function: Callable[[], Any], within_s: float | None = None) -> Any:
    """The value of a function, computed in a fork of this process.

    Parameters
    ----------
    function
        Returns a value that JSON can represent.
    within_s
        The process is killed after this number of seconds; None for no limit.

    Raises
    ------
    InputError
        If the function raises it.
    NoAnswer
        If the function raises anything else, ends its process or takes longer than `within_s`.
    """
    answers = os.memfd_create("timefair-answer")

    def live() -> None:
        ends_at_once()
        try:
            answer = {"value": function()}
        except InputError as error:
            answer = {"faults": list(error.faults)}
        os.write(answers, json.dumps(answer).encode())

    pid = kernel.forked(live)
    if within_s is not None:
        kernel.wait_or_kill(pid, within_s)
    os.waitpid(pid, 0)
    with os.fdopen(answers) as file:
        file.seek(0)
        text = file.read()
    if not text:
        raise NoAnswer
    answer = json.loads(text)
    if "faults" in answer:
        raise InputError(*answer["faults"])
    return answer["value"]
