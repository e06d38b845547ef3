"""From how many problems on tuning pays off: the study of docs/guide/tuning.md, and its results.

    python benchmarks/tuning.py [--write]

Runs `config/studies/tuning.yaml` with Snakemake, about five minutes on two cores; a campaign that
was stopped goes on. Then prints what each search cost and found, and the table `tuning_pays`, as
Markdown. With --write, it puts them at the end of docs/guide/tuning.md, in place of earlier ones.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from timefair.campaign import configuration, plan
from timefair.records.store import open_record

ROOT = Path(__file__).parents[1]
STUDY, PAGE = "config/studies/tuning.yaml", ROOT / "docs/guide/tuning.md"
RESULTS = ROOT / "results/tuning"
MARK = "<!-- study: made by python benchmarks/tuning.py --write -->\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--write", action="store_true", help="put the results into docs/guide/tuning.md"
    )
    write = parser.parse_args().write
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--configfile", STUDY]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode:
        return done.returncode
    text = "\n".join([*searches(), "", *pays()]) + "\n"
    print(text)
    if write:
        before = PAGE.read_text(encoding="utf-8").partition(MARK)[0].rstrip("\n")
        PAGE.write_text(f"{before}\n\n{MARK}\n{text}", encoding="utf-8")
    return 0


def searches() -> Iterator[str]:
    """What each search cost and found."""
    yield "| search | seconds | candidates | runs | loss of the default | loss | parameters |"
    yield "|---|---|---|---|---|---|---|"
    campaign = configuration.restore(RESULTS / plan.SNAPSHOT)
    keys = plan.read_keys(RESULTS, campaign)
    for label in campaign.tuned:
        search = open_record(RESULTS / plan.tuning_record(label, keys)).facts["tuning"]
        result = search["result"]
        default = result["default_loss"]
        parameters = ", ".join(
            f"{name} {value if isinstance(value, str) else format(value, '.3g')}"
            for name, value in result["parameters"].items()
        )
        yield (
            f"| {search['of']}, {search['tuner']} | {search['seconds']:.1f} | "
            f"{search['candidates']} | {search['evaluations']} | "
            f"{'dropped' if default is None else format(default, '.3g') + ' s'} | "
            f"{result['loss']:.3g} s | {parameters or 'those of the default'} |"
        )


def pays() -> Iterator[str]:
    """The table `tuning_pays`."""
    yield "| algorithm | target | saved s per problem | problems | verdict |"
    yield "|---|---|---|---|---|"
    table = pd.read_parquet(RESULTS / "tables/tuning_pays.parquet")
    for row in table.itertuples():
        if row.verdict == "pays":
            problems = f"{row.problems:,.0f} [{row.problems_low:,.0f}, {row.problems_high:,.0f}]"
        else:
            problems = f"at least {row.problems_low:,.0f}"
        yield (
            f"| {row.algorithm} | {row.target:g} | {row.saved_s:.3g} "
            f"[{row.saved_s_low:.3g}, {row.saved_s_high:.3g}] | {problems} | "
            f"{row.verdict} |"
        )


if __name__ == "__main__":
    sys.exit(main())
