"""Records of a campaign in blocks may be of several kinds of machines, but not within a block."""

import pytest

from timefair.records.collect import collect
from timefair.records.facts import NODES, node_of, torn
from timefair.records.integrity import Origins, Place, mixed
from timefair.records.store import open_record

KEY = "ab" * 32
PLACE = Place("a", KEY, 1, 2, (1, 2), 3)
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 2048.0, "hostname": "node1"}
SLOW = {"cpu": "6502", "cores": 2, "memory_mb": 2048.0, "hostname": "node2"}
BLOCKS = {"campaign": {"block": "node"}, "machine": MACHINE}


def row_of(algorithm, node="node1", **changes):
    row = node_of(BLOCKS | {"machine": MACHINE | {"hostname": node}}, PLACE)
    return row | {"algorithm": algorithm} | changes


def test_a_record_in_blocks_names_its_node():
    assert node_of(BLOCKS, PLACE) == {
        "function": 1, "dimension": 2, "instances": [1, 2], "round": 3,
        "node": "node1", "machine": "Z80 with 2 cores and 2 GB",
    }  # fmt: skip
    assert node_of({"campaign": {"block": None}}, PLACE) is None
    assert node_of({"campaign": {}}, PLACE) is None  # of a version without blocks
    assert node_of({}, PLACE) is None


def test_a_block_on_two_nodes_is_named():
    assert torn([row_of("a"), row_of("b"), row_of("a", "node2", round=4)]) == []
    (one, other) = torn([row_of("a"), row_of("b", "node2"), row_of("c")])
    kind = "(Z80 with 2 cores and 2 GB)"
    assert one == (f"f1 D=2 instance 1 round 3: a and c on node1 {kind}, b on node2 {kind}")
    assert other.startswith("f1 D=2 instance 2 round 3: ")
    many = [row_of(name, name, instances=[*range(9)]) for name in "ab"]
    assert torn(many)[-1] == "6 more blocks on several nodes"


@pytest.mark.parametrize(("block", "refused"), [("node", False), (None, True)])
def test_only_blocks_may_mix_machines(block, refused):
    origins = Origins()
    for machine in (MACHINE, SLOW):
        origins.add({"campaign": {"block": block}, "machine": machine})
    assert bool(mixed({"a": origins})) is refused


def test_collecting_keeps_the_node_of_each_block(tmp_path, row, write):
    records = {}
    for round, machine in ((1, MACHINE), (2, SLOW)):
        path = tmp_path / f"r{round}.parquet"
        write(path, row(round - 1, round=round), campaign={"block": "node"}, machine=machine)
        records[path] = Place("a", KEY, 1, 2, (1,), round)
    output = tmp_path / "collected" / "a.parquet"
    collect("a", records, {(1, 2, 1, 0), (1, 2, 1, 1)}, output)
    nodes = open_record(output).facts[NODES]
    assert [(one["round"], one["node"]) for one in nodes] == [(1, "node1"), (2, "node2")]
