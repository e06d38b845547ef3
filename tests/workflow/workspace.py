"""Real campaigns in folders of their own, from a small whole that each test overrides."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import archived
import pytest
import yaml

from timefair.analysis import outputs
from timefair.campaign import configuration
from timefair.records.store import read_runs

ROOT = Path(__file__).resolve().parents[2]


class Workspace:
    """A folder in which campaigns run, with its own core locks.

    Snakemake prints each job and its command, unless `printed` is empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "campaign.yaml"
        self.results = folder / "results" / "test"
        self.snakefile = ROOT / "Snakefile"
        self.printed = ("--printshellcmds",)
        self.limit: Callable[[], object] | None = None
        """Is called in the process of snakemake, before it begins."""

    def configure(self, **changes: Any) -> None:
        """Write the campaign: two quick algorithms, evaluations as the budget, unless told."""
        campaign = {
            "name": "test",
            "seed": 3,
            "problems": {"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"},
            "algorithms": {"random": "timefair:random-search", "simplex": "scipy:Nelder-Mead"},
            "budget": {"evaluations": 300},
            "runs": 2,
            "instances_per_job": 2,
            "targets": [10, 1, 0.1],
            "statistics": {"resamples": 50},
        }
        self.config.write_text(yaml.safe_dump(campaign | changes))

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        return [
            sys.executable, "-m", "snakemake", "--snakefile", str(self.snakefile),
            "--cores", str(cores), "--configfile", str(self.config), *self.printed, *arguments,
        ]  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"TIMEFAIR_LOCKS": str(self.folder / "locks")}

    def run(self, *arguments: str, cores: int = 2) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600,
            preexec_fn=self.limit,
        )  # fmt: skip

    def complete(self, *arguments: str, cores: int = 2) -> str:
        """Run, and be sure that it went well. What Snakemake said."""
        done = self.run(*arguments, cores=cores)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def complete_here(self) -> None:
        """Measure and analyse in this process, with the commands of the rules, which takes half the
        time. There has to be each file that Snakemake would wait for.
        """
        with self.here():
            results = archived.measured(self.folder, yaml.safe_load(self.config.read_text()))
        assert results == self.results
        self._be_sure_of_outputs()

    def measure_here(self) -> None:
        """Measure and collect in this process, one run at a time; no table is made."""
        with self.here():
            archived.collected(self.folder, yaml.safe_load(self.config.read_text()))

    @contextlib.contextmanager
    def here(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIMEFAIR_LOCKS", self.environment["TIMEFAIR_LOCKS"])
            patch.chdir(self.folder)
            yield

    def _be_sure_of_outputs(self) -> None:
        campaign = configuration.restore(self.results / "campaign.json")
        for path in outputs(campaign, str(self.results)).values():
            assert Path(path).is_file(), path

    def records(self) -> dict[Path, float]:
        return {p: p.stat().st_mtime for p in (self.results / "records").rglob("*.parquet")}

    def rows(self) -> list[dict[str, Any]]:
        return read_runs(sorted((self.results / "collected").glob("*.parquet"))).to_pylist()
