"""What the analysis of paper-sized campaigns takes, and how large its results are.

    python benchmarks/large.py [--only many-functions] [--folder /tmp/timefair-large]

`many-functions` has 13 algorithms on 24 functions in three dimensions, `many-algorithms` 104 on six
functions in two, `many-of-both` 104 on 24 in three. All have a budget of evaluations, so they give
the same results on every machine.
Each is measured once and kept in the folder; if this program is stopped, it continues there. The
analysis starts anew at every call, with everything that can be made (`--default`: with the default
tables and figures only).

Printed: wall clock and CPU time from the last run to the report, the peak of the memory of the
largest process, the size of the results without records, the largest files, and the size of the
report.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from analysis import used_by

ROOT = Path(__file__).resolve().parents[1]

ALGORITHMS = (
    "timefair:random-search",
    "timefair:DE",
    "timefair:JADE",
    "timefair:jDE",
    "timefair:PSO",
    "timefair:ABC",
    "timefair:CRO",
    "scipy:Nelder-Mead",
    "scipy:L-BFGS-B",
    "scipy:Powell",
    "scipy:dual_annealing",
    "pycma:BIPOP",
    "nevergrad:OnePlusOne",
)
PORTFOLIO = ROOT / "config" / "papers" / "run-count-de.yaml"
"""The campaign with the 104 configurations of differential evolution."""

MADE = ("tables", "figures", "latex", "report.html", "checklist.html", "tables.tex")
"""What the analysis writes into the folder of results."""

LARGEST = 6


def campaigns() -> dict[str, dict[str, Any]]:
    """The campaigns, by name."""
    portfolio = yaml.safe_load(PORTFOLIO.read_text())["algorithms"]
    return {
        "many-functions": {
            "problems": {
                "suite": "bbob",
                "functions": "1-24",
                "dimensions": [2, 5, 10],
                "instances": [1, 2],
            },
            "algorithms": {use.partition(":")[2]: use for use in ALGORITHMS},
            "budget": {"evaluations_per_dimension": 200},
            "runs": 2,
            "instances_per_job": 2,
        },
        "many-algorithms": {
            "problems": {
                "suite": "bbob",
                "functions": [1, 3, 8, 10, 15, 21],
                "dimensions": [5, 10],
                "instances": [1, 2],
            },
            "algorithms": portfolio,
            "budget": {"evaluations_per_dimension": 1000},
            "runs": 5,
            "instances_per_job": 2,
        },
        "many-of-both": {
            "problems": {
                "suite": "bbob",
                "functions": "1-24",
                "dimensions": [2, 5, 10],
                "instances": [1, 2],
            },
            "algorithms": portfolio,
            "budget": {"evaluations_per_dimension": 200},
            "block": "node",  # 72 jobs instead of 7,488
            "runs": 2,
            "instances_per_job": 2,
        },
    }


def snakemake(folder: Path, *words: str) -> list[str]:
    """The command that works on the campaign in a folder."""
    return [
        sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"),
        "--workflow-profile", str(ROOT / "profiles" / "default"), "--cores", "all", "--quiet",
        "all", "--configfile", "campaign.yaml", *words,
    ]  # fmt: skip


def size_mb(path: Path) -> float:
    """The size of a file, or of all files below a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def main() -> None:
    known = campaigns()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(known))
    parser.add_argument("--folder", type=Path, default=Path("/tmp/timefair-large"))
    parser.add_argument("--default", action="store_true", help="only default tables and figures")
    options = parser.parse_args()
    for name in [options.only] if options.only else known:
        folder = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        campaign = {"name": name, **known[name]}
        if not options.default:
            campaign |= {"tables": "all", "figures": "all"}
        (folder / "campaign.yaml").write_text(yaml.safe_dump(campaign, sort_keys=False))
        measured = used_by(snakemake(folder, "--until", "collect_records"), folder)
        results = folder / "results" / name
        for path in results.iterdir():
            if path.name in MADE:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        analysed = used_by(snakemake(folder), folder)
        show(name, results, {"measuring": measured, "analysis": analysed})


def show(name: str, results: Path, usages: dict[str, Any]) -> None:
    """Print what a campaign took and what it gave."""
    print(f"\n{name}            wall s    CPU s  peak MB")
    for what, usage in usages.items():
        print(f"  {what:12}{usage}")
    made = [path for path in results.rglob("*") if path.is_file()]
    made = [path for path in made if not {"records", "collected", "logs"} & set(path.parts)]
    print(f"  results      {sum(map(size_mb, made)):8.1f} MB in {len(made)} files")
    for path in sorted(made, key=size_mb, reverse=True)[:LARGEST]:
        print(f"  {size_mb(path):8.1f} MB  {path.relative_to(results)}")
    report = results / "report.html"
    print(f"  report.html  {size_mb(report):8.1f} MB")


if __name__ == "__main__":
    main()
