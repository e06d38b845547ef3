"""The smallest campaign, which tests change as they need it."""

from typing import Any

SPHERE = {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1}
SMALL: dict[str, Any] = {
    "name": "test",
    "problems": SPHERE,
    "algorithms": {"a": "timefair:random-search"},
    "budget": {"evaluations": 50},
    "runs": 2,
}
