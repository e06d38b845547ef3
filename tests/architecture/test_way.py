"""The way of an event from the objective to a figure: how many files of the package hand it on."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from measurements import do_jobs

from timefair import analysis, cli
from timefair.campaign import configuration, plan
from timefair.records.rundata.runs import Runs

PACKAGE = str(Path(analysis.__file__).parent)
EVENT = (5_003, 0.0123456789)
"""Evaluations and value of the event; no other number of the campaign is one of them."""
OWN = f"""
def solve(problem, rng):
    for _ in range({EVENT[0]} - 1):
        problem([0.9, 0.9])
    problem([{EVENT[1]}, 0.0])
    while True:
        problem([0.8, 0.8])


def function(x):
    return x[0] + x[1]


function.lower, function.upper, function.optimum = 0.0, 1.0, 0.0
"""
CAMPAIGN = """
name: way
algorithms: {a: {use: "own:solve"}}
problems: {suite: "own:function", functions: 1, instances: 1, dimensions: 2}
budget: {evaluations: 5100}
runs: 1
targets: [1, 0.1]
tables: []
figures: {names: [ert]}
"""


def has_event(thing, depth=6):
    """Whether a number, array, frame, Arrow table or nested container has a number of the event."""
    if isinstance(thing, bool | str | bytes) or not depth:
        return False
    if isinstance(thing, int | float | np.number):
        return thing in EVENT
    if isinstance(thing, np.ndarray) and thing.dtype.names:
        return any(has_event(thing[name]) for name in thing.dtype.names)
    if isinstance(thing, np.ndarray):
        return thing.dtype.kind in "fiu" and bool(np.isin(thing, EVENT).any())
    if isinstance(thing, pd.DataFrame | pd.Series):
        return has_event(thing.to_numpy().tolist(), depth)
    if isinstance(thing, pa.Table | pa.RecordBatch):
        return has_event(thing.to_pylist(), depth)
    if isinstance(thing, dict):
        thing = list(thing.values())
    return isinstance(thing, list | tuple) and any(has_event(one, depth - 1) for one in thing)


def test_an_event_passes_few_files(tmp_path, monkeypatch):
    passed = set()

    def returns(frame, what, result):
        file, back = frame.f_code.co_filename, frame.f_back
        if what != "return" or not file.startswith(PACKAGE) or file in passed:
            return
        while back and not back.f_code.co_filename.startswith(PACKAGE):
            back = back.f_back
        if back and back.f_code.co_filename != file and has_event(result):
            passed.add(file)

    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    Path("campaign.yaml").write_text(CAMPAIGN)
    campaign = configuration.load(Path("campaign.yaml"))
    folder, collected = tmp_path / "results/way", "results/way/collected/a.parquet"
    (folder / "tables").mkdir(parents=True)
    plan.write_snapshot(campaign, folder)
    words = ["collect", "--campaign", f"{folder}/{plan.SNAPSHOT}", "--algorithm", "a"]
    sys.setprofile(returns)
    try:
        do_jobs(campaign, folder)
        assert cli.main([*words, "--output", collected]) == 0
        analysis.make(["ert"], campaign, folder, Runs.read([Path(collected)]))
    finally:
        sys.setprofile(None)
    assert {Path(file).parent.name for file in passed} >= {"measure", "records", "exhibits"}
    assert len(passed) + len(["objective.pyx"]) <= 22
