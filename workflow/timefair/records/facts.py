"""The kinds of the facts that commands compute with; a record with others is refused."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError


class _Facts(BaseModel):
    """Facts that are not named here may be of any kind."""

    model_config = ConfigDict(strict=True)


class _Machine(_Facts):
    hostname: str | None = None
    cpu: str | None = None
    cores: int | None = None
    memory_mb: float | None = None
    python: str | None = None
    versions: dict[str, str | None] = {}
    packages: dict[str, str | None] = {}


class _Algorithm(_Facts):
    use: str = ""
    parameters: dict[str, Any] = {}
    threads: int = 1


class _Budget(_Facts):
    time_s: float | None = None


class _Problems(_Facts):
    parameters: dict[str, Any] = {}


class _Campaign(_Facts):
    algorithms: dict[str, _Algorithm] = {}
    problems: _Problems = _Problems()
    budget: _Budget = _Budget()
    timing: dict[str, Any] = {}


class _Tuning(_Facts):
    checksum: str = ""
    machine: dict[str, Any] = {}
    trace: list[dict[str, Any]] = []


class _Decision(_Facts):
    function: int
    dimension: int
    instance: int


class _Node(_Facts):
    function: int
    dimension: int
    instances: list[int]
    round: int
    node: str | None
    machine: str


class _Source(_Facts):
    path: str
    checksum: str


class _Collected(_Facts):
    campaign: list[_Campaign | None]
    key: list[str | None]
    code: list[str | None]
    machine: list[_Machine | None]
    tuning: list[_Tuning] = []
    hosts: list[dict[Literal["name", "kind", "first", "last"], str]] = []


class _Published(_Facts):
    format: str
    path: str
    sha256: str
    cautions: list[str] = []


class _Record(_Facts):
    algorithm: str = ""
    key: str | None = None
    code: str | None = None
    campaign: _Campaign | None = None
    machine: _Machine | None = None
    tuning: _Tuning = _Tuning()
    stopping: list[_Decision] = []
    nodes: list[_Node] = []
    records: list[_Source] = []
    collected: _Collected = _Collected(campaign=[], key=[], code=[], machine=[])
    published: _Published = _Published(format="", path="", sha256="")


def misshapen(facts: dict[str, Any]) -> str:
    """A clause about the first fact that is of another kind than in records of timefair.

    It is empty if there is none. Facts may be missing, or may be additional.

    >>> misshapen({"machine": {"memory_mb": "16000"}})
    'its fact machine.memory_mb is not as in a record (input should be a valid number)'
    """
    try:
        _Record.model_validate(facts)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        return f"its fact {name} is not as in a record ({first['msg'].lower()})"
    return ""
