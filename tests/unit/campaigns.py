"""The smallest campaign, which tests change as they need it, and the lines of a refusal."""

from collections.abc import Callable
from typing import Any

import pytest

from timefair.basics.errors import InputError

SPHERE = {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1}
SMALL: dict[str, Any] = {
    "name": "test",
    "problems": SPHERE,
    "algorithms": {"a": "timefair:random-search"},
    "budget": {"evaluations": 50},
    "runs": 2,
}


def refused(act: Callable[..., Any], *given: Any, **named: Any) -> tuple[str, ...]:
    with pytest.raises(InputError) as error:
        act(*given, **named)
    return tuple(error.value.faults)
