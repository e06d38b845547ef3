"""cocopp's report command makes all of its pages of our export, with no network."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from timefair.io.write import write_coco
from timefair.records.schema import RUN_SCHEMA

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(find_spec("cocopp") is None, reason="cocopp is not installed"),
]

OFFLINE = """
import runpy, socket, sys

def refuse(*arguments, **options):
    raise OSError("there is no network")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import cocopp
cocopp.testbedsettings.GECCOBBOBTestbed.settings["reference_algorithm_filename"] = None
sys.argv = ["cocopp", "-o", sys.argv[1], *sys.argv[2:]]
runpy.run_module("cocopp", run_name="__main__")
"""
PAGES = ("index1.html", "ppfigdim.html", "pplogloss.html", "pprldistr.html", "pptable.html")


@pytest.fixture
def export(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for k in range(5):
        at = np.cumsum([1, *rng.integers(1, 20, 25)]).tolist()
        best = (10 ** (2 - np.cumsum(rng.exponential(0.4, len(at))))).tolist()
        found = [
            {"launch": 0, "evaluations": n, "time_s": n / 1e3, "precision": q}
            for n, q in zip(at, best, strict=True)
        ]
        row = {"suite": "bbob", "function": 1, "dimension": 5, "instance": k + 1, "run": 0}
        row |= {"algorithm": "A", "f_opt": 0.0, "evaluations": at[-1] + 9, "wall_s": 1.0}
        rows.append(row | {"events": found})
    write_coco(pa.Table.from_pylist(rows, RUN_SCHEMA), tmp_path / "coco", "evaluations")
    return tmp_path / "coco" / "A"


def test_the_report_is_made_offline(export, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "pages", str(export)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ALL done" in done.stdout
    made = {path.name for path in (tmp_path / "pages").rglob("*.html")}
    assert {"index.html", *PAGES} <= made
    assert len(list((tmp_path / "pages").rglob("*.svg"))) > 3
