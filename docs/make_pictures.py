"""Make the pictures of the documentation from campaigns measured here, and say which are stale.

    python docs/make_pictures.py [--check] [PICTURE ...]

Each picture names its campaign file and its figure, or the benchmark that draws it. If ``results/``
has the whole campaign, the picture is drawn from it; if not, the line says how to measure it. A
picture keeps the digest of its campaign file and the share of perturbed runs, as text inside the
PNG. It is stale if the campaign file asks for something else now, or if the campaign was measured
again. With ``--check`` nothing is drawn, and the exit status is 1 if a picture is stale. Use a
machine that does nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import yaml
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.plan import SNAPSHOT
from timefair.exhibits.registry import FIGURES

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
STAMP = "timefair"
PAGE = "report.html"
MEASURED = ("algorithms", "problems", "budget", "restart", "runs")
"""The keys of a campaign that say what is measured."""
SCREEN = "1100,1300"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@dataclass(frozen=True)
class Picture:
    """A picture of the documentation and where it comes from.

    Attributes
    ----------
    path
        Below ``docs/``.
    campaign
        The campaign file, below the root of the repository. The results of one that is not in
        ``config/`` are in its own folder.
    figure
        The name of the figure; `PAGE` is the first screen of the report.
    without
        Labels of algorithms that are left out.
    """

    path: str
    campaign: str
    figure: str
    without: tuple[str, ...] = ()

    @property
    def file(self) -> Path:
        return DOCS / self.path

    @property
    def folder(self) -> Path:
        """Where the campaign is run."""
        return ROOT if self.campaign.startswith("config/") else (ROOT / self.campaign).parent

    @property
    def asked(self) -> configuration.Campaign:
        with chdir(self.folder):
            return configuration.load(ROOT / self.campaign)

    @property
    def results(self) -> Path:
        return self.folder / "results" / self.asked.name

    @property
    def command(self) -> str:
        """What measures the campaign."""
        elsewhere = "" if self.folder == ROOT else f" --directory {self.folder.relative_to(ROOT)}"
        return f"snakemake --cores all{elsewhere} --configfile {self.campaign}"


DEFAULT, TUTORIAL = "config/config.yaml", "docs/guide/tutorial/campaign.yaml"
COSTS, RUN_COUNT = "config/studies/evaluation-cost.yaml", "config/studies/how-many-runs.yaml"
OBJECTIVES = "config/studies/two-objectives.yaml"
CONSTRAINTS = "config/studies/constraints.yaml"
MOVING = "config/studies/moving-seconds.yaml"
QUANTILES, TIME_FAIR = "config/papers/quantiles.yaml", "config/papers/time-fair-small.yaml"

DECLARED = (
    Picture("guide/report/page.png", DEFAULT, PAGE),
    Picture("guide/tutorial/ert.png", TUTORIAL, "ert"),
    Picture("guide/tutorial/rank_reversals.png", TUTORIAL, "rank_reversals"),
    Picture("guide/portfolios/portfolio.png", DEFAULT, "portfolio"),
    Picture("guide/evaluation-cost/map.png", COSTS, "cost_map", without=("BO",)),
    Picture("guide/evaluation-cost/map-with-bo.png", COSTS, "cost_map"),
    Picture(
        "guide/evaluation-cost/bayesian.png",
        "config/studies/bayesian.yaml",
        "cost_map",
        without=("UCB",),
    ),
    Picture("guide/restarts/anytime.png", "config/studies/restart-policies.yaml", "anytime"),
    Picture("guide/restarts/what-if.png", "config/studies/restart-advice.yaml", "restart_what_if"),
    Picture("validation/papers/quantiles-ranks.png", QUANTILES, "ranks"),
    Picture("validation/papers/quantiles-sorted-solutions.png", QUANTILES, "sorted_solutions"),
    Picture("validation/papers/time-fair-rank-reversals.png", TIME_FAIR, "rank_reversals"),
    Picture("validation/papers/time-fair-anytime.png", TIME_FAIR, "anytime"),
    Picture("validation/papers/time-fair-profile.png", TIME_FAIR, "profile"),
    Picture(
        "validation/papers/time-fair-discrete-rank-reversals.png",
        "config/papers/time-fair-discrete-small.yaml",
        "rank_reversals",
    ),
    Picture("guide/two-objectives/attainment.png", OBJECTIVES, "attainment"),
    Picture("guide/changing-problems/after-change.png", MOVING, "after_change"),
    Picture("guide/constraints/feasible.png", CONSTRAINTS, "feasible"),
    Picture("guide/constraints/feasible-evaluations.png", CONSTRAINTS, "feasible_evaluations"),
    Picture("validation/run-count/rules.png", RUN_COUNT, "run_count_rules"),
    Picture("validation/run-count/configurations.png", RUN_COUNT, "run_count_configurations"),
    Picture("validation/run-count/dimensions.png", RUN_COUNT, "run_count_dimensions"),
    Picture("validation/run-count/problems.png", RUN_COUNT, "run_count_problems"),
    Picture("validation/run-count/algorithms.png", RUN_COUNT, "run_count_algorithms"),
    Picture("validation/run-count/reliability.png", RUN_COUNT, "run_count_reliability"),
)

PICTURES = DECLARED + tuple(
    Picture(f"gallery/{figure}.png", DEFAULT, figure)
    for figure in FIGURES
    if figure not in {picture.figure for picture in DECLARED}
)
"""Those, and for the gallery one of every other figure."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "pictures", nargs="*", metavar="PICTURE", help="such as guide/tutorial/ert.png"
    )
    parser.add_argument("--check", action="store_true", help="draw nothing")
    options = parser.parse_args()
    known = {picture.path: picture for picture in PICTURES}
    for name in options.pictures:
        if name not in known:
            parser.error(f"{name}: no such picture; choose one of {', '.join(known)}")
    chosen = [known[name] for name in options.pictures] or PICTURES
    stale = 0
    for picture in chosen:
        reason = why_stale(picture)
        lack = why_not_drawn(picture)
        if reason is None:
            said = "current"
        elif options.check or lack:
            said = "; ".join(filter(None, [f"stale: {reason}", lack]))
            stale += 1
        else:
            said = f"made; {100 * make(picture).perturbed:.0f} % of the runs were perturbed"
        print(f"{picture.path}: {said}", flush=True)
    return int(stale > 0)


def digest(file: Path) -> str:
    """Of what a campaign file asks for, other than which tables and figures are made."""
    told = yaml.safe_load(file.read_text(encoding="utf-8"))
    asked = {key: value for key, value in told.items() if key not in {"tables", "figures"}}
    return hashlib.sha256(repr(asked).encode()).hexdigest()[:16]


def stamp(picture: Picture) -> dict[str, object]:
    """What a picture keeps of its origin, besides when its campaign was measured."""
    return {"digest": digest(ROOT / picture.campaign), "without": list(picture.without)}


def why_stale(picture: Picture) -> str | None:
    """Why the picture is not what would be drawn; None if it is."""
    if not picture.file.exists():
        return "it was never drawn"
    with Image.open(picture.file) as image:
        kept = json.loads(image.info.get(STAMP, "{}"))
    if not kept:
        return "it does not say which campaign it is from"
    if any(kept[key] != value for key, value in stamp(picture).items()):
        return f"{picture.campaign} has changed"
    if why_not_drawn(picture) is None and kept["measured"] != Origin.of(picture).measured:
        return f"{picture.results.relative_to(ROOT)} was measured again"
    return None


def why_not_drawn(picture: Picture) -> str | None:
    """Why the picture cannot be drawn here; None if it can."""
    command = f"run `{picture.command}`"
    if not (picture.results / PAGE).exists():
        return command
    try:
        measured = configuration.restore(picture.results / SNAPSHOT)
    except InputError as error:
        return "; ".join([*error.faults, command])
    if any(getattr(measured, key) != getattr(picture.asked, key) for key in MEASURED):
        return f"{picture.results.relative_to(ROOT)} is from another campaign file; {command}"
    return None


def collected(picture: Picture) -> list[Path]:
    """The collected runs of the algorithms."""
    files = sorted((picture.results / "collected").glob("*.parquet"))
    return [path for path in files if path.stem not in picture.without]


class Origin(NamedTuple):
    """When the last run of a picture began, and the share of runs that were perturbed."""

    measured: str
    perturbed: float

    @classmethod
    def of(cls, picture: Picture) -> Origin:
        columns = ["started_utc", "perturbation"]
        runs = pd.concat(pd.read_parquet(path, columns=columns) for path in collected(picture))
        share = float((runs["perturbation"] == "perturbed").mean())
        return cls(str(runs["started_utc"].max()), round(share, 3))


def make(picture: Picture) -> Origin:
    """Draw a picture, and write its origin into it."""
    picture.file.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "picture.png"
        if picture.figure == PAGE:
            photograph(picture.results / PAGE, drawn)
        else:
            draw(picture, drawn)
        origin, kept = Origin.of(picture), PngInfo()
        kept.add_text(STAMP, json.dumps(stamp(picture) | origin._asdict()))
        with Image.open(drawn) as image:
            small = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(picture.file, optimize=True, pnginfo=kept)
    return origin


def draw(picture: Picture, path: Path) -> None:
    """Make the figure from the collected runs of its algorithms."""
    only = [file.stem for file in collected(picture)]
    timefair("figure", picture.results, picture.figure, "--output", path, "--only", *only)


def photograph(page: Path, path: Path) -> None:
    """Make a picture of the first screen of a page."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"{page}: no browser to take its picture; install one of {', '.join(BROWSERS)}")
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    size = f"--window-size={SCREEN}"
    subprocess.run(
        [browser, *options, size, f"--screenshot={path}", page.as_uri()],
        check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def timefair(*words: object) -> None:
    """Run a command of timefair; it says itself what is wrong."""
    done = subprocess.run([sys.executable, "-m", "timefair", *map(str, words)])
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
