"""Facts of records beside their runs: the nodes that measured blocks, and what meters read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timefair.records.integrity import BY_NODE, Place, machine_kind
from timefair.records.schema import KEYS
from timefair.records.store import facts_of

NODES = "nodes"
"""Name of the fact of a collected file with one row of `node_of` for each of its records."""

_SHOWN = 3


def node_of(facts: Mapping[str, Any], place: Place) -> dict[str, Any] | None:
    """The place of a record, and the node that measured it; None without blocks."""
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
    """Blocks whose algorithms were measured on different nodes (of `node_of`), one clause each."""
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


READINGS = "readings"
"""Name of the fact: one row per job and instance, with ``runs`` and a list for each meter."""

PLACE = ("suite", "function", "dimension", "instance", "algorithm", "round")


def listed(done: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    """The fact of a record, from the runs of a journal; empty if no run was metered."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for batch in done:
        told = facts_of(batch.schema).get(READINGS)
        if told is not None:
            where = {key: batch.column(key)[0].as_py() for key in PLACE}
            row = rows.setdefault(tuple(where.values()), {**where, "runs": [], READINGS: {}})
            for name, value in told.items():
                of_runs = row[READINGS].setdefault(name, [None] * len(row["runs"]))
                of_runs.append(value)
            row["runs"].append(batch.column("run")[0].as_py())
            for of_runs in row[READINGS].values():
                of_runs += [None] * (len(row["runs"]) - len(of_runs))
    return list(rows.values())


def by_run(fact: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The readings of each run by name, None for what was not available; by `schema.KEYS`."""
    return {
        (*(row[key] for key in KEYS[:-1]), run): {
            name: of_runs[place] for name, of_runs in row[READINGS].items()
        }
        for row in fact
        for place, run in enumerate(row["runs"])
    }
