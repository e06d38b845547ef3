"""What snakemake prints while it works on a campaign."""

import io
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaigns import SMALL, SPHERE
from snakemake_interface_logger_plugins.common import LogEvent

from timefair.basics.errors import full
from timefair.campaign import configuration, driver, plan
from timefair.campaign.progress import CampaignProgress
from timefair.cli import console
from timefair.cli.console import ConsoleHandler

ROOT = Path(__file__).parents[3]
CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-10"},
    "budget": {"time_s": 1}, "runs": 1, "tables": ["runs"], "figures": ["ert"],
}  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(text, event=None, level=logging.INFO, **said):
    made = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    vars(made).update(event=event, **said)
    return made


@pytest.fixture
def told(monkeypatch, tmp_path):
    """A function: what is printed on a stream when Snakemake has ten jobs run."""

    def tell(stream, jobs=10, **settings):
        campaign = configuration.parse(CAMPAIGN)
        reader = SimpleNamespace(runs=0)
        reader.look = lambda: CampaignProgress(reader.runs, 0, 0, 10, 0, False, False, 1.0, 3.0)
        monkeypatch.setattr(console, "ProgressReader", lambda folder: reader)
        monkeypatch.setattr(console, "SHARE", float("inf"))
        monkeypatch.setattr(driver, "_taken", [SimpleNamespace(campaign=campaign, folder=tmp_path)])
        monkeypatch.setattr(sys, "stderr", stream)
        given = {"verbose": False, "printshellcmds": False, "stdout": False, "dryrun": False}
        handler = ConsoleHandler(SimpleNamespace(**given | settings))
        handler.setFormatter(logging.Formatter("%(message)s"))
        handler.emit(record("Building DAG of jobs..."))
        handler.emit(record("Job stats: 10", LogEvent.RUN_INFO, stats={}))
        for reader.runs in range(1, jobs + 1):
            begun = {"jobid": reader.runs, "rule_name": plan.MEASURING}
            handler.emit(record("rule measure_cell", LogEvent.JOB_INFO, **begun))
            handler.emit(record("Finished", LogEvent.JOB_FINISHED, job_id=reader.runs))
        handler.emit(record("low on disk", level=logging.WARNING))
        handler.close()
        return stream.getvalue()

    return tell


def test_a_terminal_has_one_line(told):
    written = told(Terminal(), jobs=3)
    assert written.count("\n") == 3  # of the warning, of the line, and of the end
    assert written.endswith("\n")
    *_, last, end = written.rstrip("\n").split("\r\x1b[K")
    assert last == "low on disk\ntest: 3 of 10 runs (30 %), about 3 s left\n"
    assert end.startswith("test: ended early; 3 of 10 runs are finished and kept")


def test_a_full_disk_has_a_line(monkeypatch, tmp_path):
    for free in (3, 1000):
        state = SimpleNamespace(f_bavail=free, f_frsize=4096)
        monkeypatch.setattr(os, "statvfs", lambda _, state=state: state)
        assert ("No space left on device" in str(full(tmp_path))) == (free == 3)


@pytest.mark.slow
def test_snakemake_prints_with_it_and_shows_the_log_of_a_job_that_failed(tmp_path):
    (tmp_path / "Snakefile").write_text(
        "from timefair.cli import console\nconsole.attach(workflow)\n"
        "rule all:\n output: 'a'\n log: 'a.log'\n shell: 'echo the reason > {log}; exit 1'\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow")}
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "--show-failed-logs"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the reason" in done.stderr
    assert "Building DAG" not in done.stdout + done.stderr
