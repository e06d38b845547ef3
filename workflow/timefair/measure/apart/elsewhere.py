"""Calls of functions that import the user's code, in a process that ends then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from timefair.basics.errors import InputError
from timefair.measure import kernel


def elsewhere(function: Callable[[], Any]) -> Any:
    """The value of a function, which JSON can hold, computed in a fork of this process.

    Raises
    ------
    InputError
        If the function raises one, or its process ends before it returns.
    """
    answers = os.memfd_create("timefair-answer")
    pid = os.fork()
    if pid == 0:
        try:
            try:
                answer = {"value": function()}
            except InputError as error:
                answer = {"faults": list(error.faults)}
            os.write(answers, json.dumps(answer).encode())
        finally:
            kernel.end_process(0)
    os.waitpid(pid, 0)
    with os.fdopen(answers) as file:
        file.seek(0)
        text = file.read()
    if not text:
        raise InputError("the algorithm's module ended the process that loaded it")
    answer = json.loads(text)
    if "faults" in answer:
        raise InputError(*answer["faults"])
    return answer["value"]
