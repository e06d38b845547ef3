"""The nodes that measured the blocks of a campaign with `block: node`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timefair.records.integrity import BY_NODE, Place, machine_kind

NODES = "nodes"
"""Name of the fact of a collected file with one row of `node_of` for each of its records."""

_SHOWN = 3


def node_of(facts: Mapping[str, Any], place: Place) -> dict[str, Any] | None:
    """The place of a record, and the host name and kind of machine of the node that measured it.

    None if the campaign of the record has no blocks.
    """
    if (facts.get("campaign") or {}).get("block") != BY_NODE:
        return None
    machine = facts.get("machine") or {}
    return {
        "function": place.function,
        "dimension": place.dimension,
        "instances": sorted(place.instances),
        "round": place.round,
        "node": machine.get("hostname"),
        "machine": str(machine_kind(machine)),
    }


def nodes_of(facts: Mapping[str, Any], runs: pa.Table) -> list[dict[str, Any]]:
    """Rows of `node_of` for a file of runs: all of a collected file, or that of a record."""
    if NODES in facts or not runs.num_rows:
        return list(facts.get(NODES, ()))
    label, function, dimension, round = (
        runs.column(name)[0].as_py() for name in ("algorithm", "function", "dimension", "round")
    )
    instances = pc.unique(runs.column("instance")).to_pylist()
    node = node_of(facts, Place(label, "", function, dimension, instances, round))
    return [] if node is None else [node]


def torn(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Blocks whose algorithms were measured on different nodes, one clause per block.

    `nodes` are rows of `node_of`, each with the ``algorithm`` of its record.
    """
    blocks: dict[tuple[Any, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in nodes:
        for instance in row["instances"]:
            place = row["round"], row["function"], row["dimension"], instance
            blocks[place][f"{row['node']} ({row['machine']})"].append(row["algorithm"])
    clauses = [
        f"f{function} D={dimension} instance {instance} round {round}: "
        + ", ".join(f"{' and '.join(labels)} on {node}" for node, labels in sorted(found.items()))
        for (round, function, dimension, instance), found in sorted(blocks.items())
        if len(found) > 1
    ]
    more = len(clauses) - _SHOWN
    return [*clauses[:_SHOWN], *([f"{more} more blocks on several nodes"] if more > 0 else [])]
