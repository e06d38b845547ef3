"""The machines of records: blocks on one node, required ones, and the bridge between two."""

from datetime import UTC, datetime
from functools import partial

import numpy as np
import pytest

from timefair.basics.errors import InputError
from timefair.records.integrity import Origins, matches, mixed, shortcoming, unmet
from timefair.records.rundata.published import KERNELS, bridge

MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 2048.0, "hostname": "node1"}
DAY = datetime(2026, 11, 2, tzinfo=UTC)
SLOW = {"cpu": "6502", "cores": 2, "memory_mb": 2048.0, "hostname": "node2"}


def on_nodes(table, row, *nodes, block="node", instances=(1, 2)):
    """The origin of an algorithm that was measured in a round on each of some nodes."""
    found = Origins()
    for round, node in enumerate(nodes, start=3):
        facts = {"campaign": {"block": block}, "machine": MACHINE | {"hostname": node}}
        found.add(facts)
        found.started(facts, table(*(row(0, k, round=round, started_utc=DAY) for k in instances)))
    return found


def test_a_block_on_two_nodes_is_named(table, row):
    on = partial(on_nodes, table, row)
    assert mixed({"a": on("node1", "node2"), "b": on("node1")}) == []
    assert mixed({"a": on("node1", block=None), "b": on("node2", block=None)}) == []
    one, other = mixed({"a": on("node1"), "b": on("node2"), "c": on("node1")})
    kind = "(Z80 with 2 cores and 2 GB)"
    assert one == (f"f1 D=2 instance 1 round 3: a and c on node1 {kind}, b on node2 {kind}")
    assert other.startswith("f1 D=2 instance 2 round 3: ")
    many = {name: on(name, instances=range(9)) for name in "ab"}
    assert mixed(many)[-1] == "6 more blocks on several nodes"


@pytest.mark.parametrize(("block", "refused"), [("node", False), (None, True)])
def test_only_blocks_may_mix_machines(block, refused):
    origins = Origins()
    for machine in (MACHINE, SLOW):
        origins.add({"campaign": {"block": block}, "machine": machine})
    assert bool(mixed({"a": origins})) is refused


TIMES = {"arithmetic": 3e-3, "memory": 2e-3, "interpreter": 4e-3}


@pytest.fixture
def rng():
    return np.random.default_rng(43)


def records(rng, count, spread, **slower):
    """The kernels of some records; the speed of the machine varies from hour to hour."""
    hours = np.repeat(rng.normal(0, spread, -(-count // 4)), 4)[:count]
    return [
        {
            name: [t * slower.get(name, 1.0) * np.exp(hour + rng.normal(0, spread))] * 2
            for name, t in TIMES.items()
        }
        for hour in hours
    ]


def test_the_kernel_is_that_of_the_implementation(rng):
    here, there = records(rng, 40, 0.01), records(rng, 40, 0.01, interpreter=3.0)
    compiled, python = (bridge(code, here, there) for code in ("compiled", "your Python"))
    assert (compiled.kernel, python.kernel) == ("arithmetic", "interpreter")
    assert compiled.ratio == pytest.approx(1, abs=0.03)
    assert python.ratio == pytest.approx(1 / 3, abs=0.02)
    for found in (compiled, python):  # Python calls compiled code, and compiled code is called
        assert 0.28 < found.low < 1 / 3 < 1 < found.high < 1.1


@pytest.mark.parametrize("count", [1, 3])
def test_few_records_give_a_wide_interval(rng, count):
    found = bridge("compiled", records(rng, count, 0.01), records(rng, 48, 0.01))
    assert found.high / found.low > 1.1
    if count == 1:
        assert found.high / found.low > 5


def test_the_clock_is_the_one_that_is_asked_for():
    here = [{name: [1e-3, 1e-3] for name in KERNELS}] * 4
    there = [{name: [1e-3, 2e-3] for name in KERNELS}] * 4
    assert bridge("compiled", here, there, clock="cpu").ratio == pytest.approx(1)
    assert bridge("compiled", here, there, clock="wall").ratio == pytest.approx(0.5)


def test_the_interval_holds_the_ratio_of_machines_whose_speed_varies(rng):
    held = 0
    for _ in range(200):
        slower = dict.fromkeys(KERNELS, 2.5)
        found = bridge("program", records(rng, 48, 0.1), records(rng, 48, 0.1, **slower))
        held += found.low <= 1 / 2.5 <= found.high
    assert held >= 182  # of 95 %: 190 are expected; the hull of two kernels holds more often


@pytest.mark.parametrize(("side", "named"), [(0, "this campaign"), (1, "the other machine")])
def test_without_kernels_on_one_side_there_is_none(rng, side, named):
    both = [records(rng, 5, 0.1), records(rng, 5, 0.1)]
    both[side] = []
    with pytest.raises(InputError, match=f"^no reference kernels in the records of {named}: "):
        bridge("compiled", *both)


FACTS = {
    "cpu": "AMD EPYC 7763 64-Core Processor",
    "cores": 128,
    "memory_mb": 15.6 * 1024,
    "hostname": "node17.cluster",
}


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("EPYC", "amd epyc 7763", True), ("xeon", "AMD EPYC 7763", False),
        ("*7763", "AMD EPYC 7763", True), ("epyc*", "AMD EPYC 7763", False),
        ("node1?", "node12", True), ("node1?", "node123", False), ("epyc", None, False),
        ("(R) Core[TM]", "Intel(R) Core[TM] i7", True),
    ],
)  # fmt: skip
def test_a_pattern_is_a_part_or_has_wildcards(pattern, text, fits):
    assert matches(pattern, text) is fits


@pytest.mark.parametrize(
    ("required", "keys"),
    [
        ({}, []),
        ({"processor": None, "cores": None}, []),
        ({"processor": "epyc", "cores": 128, "memory_gb": 16, "host": "node1?.*"}, []),
        ({"processor": "xeon"}, ["processor"]),
        ({"cores": 64}, ["cores"]),
        ({"memory_gb": 15}, ["memory_gb"]),
        ({"host": "login*", "cores": 2}, ["host", "cores"]),
    ],
)
def test_every_key_is_compared(required, keys):
    assert unmet(required, FACTS) == keys


def test_the_line_has_what_is_required_and_an_unknown_fact_meets_nothing():
    assert shortcoming({"processor": "epyc"}, FACTS) == ""
    assert shortcoming({"processor": "xeon", "cores": 128}, FACTS) == (
        "machine.require.processor: requires processor xeon; this is AMD EPYC 7763 64-Core "
        "Processor with 128 cores and 16 GB, host node17.cluster; "
        "select the right nodes in the profile (constraint), or change the requirement"
    )
    both = shortcoming({"processor": "xeon", "cores": 2}, FACTS)
    assert both.startswith("machine.require: requires processor xeon, 2 cores; this is AMD")
    required = {"processor": "epyc", "cores": 1, "memory_gb": 1, "host": "*"}
    assert unmet(required, {}) == list(required)
