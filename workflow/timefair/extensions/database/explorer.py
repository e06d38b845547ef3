"""A page on which the runs of a database or of a campaign are explored, without a server.

The page has the costs of all runs to all targets, and computes the rest: shares of targets reached,
average ranks and the best optimizer for each cost of an evaluation and each budget.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from timefair import __version__
from timefair.exhibits.charts.style import COLOURS
from timefair.extensions.database.standings import Costs, spaces
from timefair.extensions.database.store import Design, designs, opened
from timefair.problems import names
from timefair.report import part_of
from timefair.report.exhibits import script
from timefair.report.page import DOCUMENT

BODY = """<header><p class="kicker">Explorer</p><h1>{name}</h1>
<p class="lead">Choose what you want to compare. The address of this page keeps your choice. A file
that <code>timefair rank</code> wrote (<code>explore.json</code>) may be dropped here.</p></header>
<main><noscript><p>This page needs JavaScript.</p></noscript><form id="choice"></form>
<div id="shown" aria-live="polite"></div></main>
<footer><p>Made by timefair {version}. Intervals: 95 %, from functions drawn again.</p></footer>"""


def payload(costs: Costs) -> dict[str, Any]:
    """The costs of one suite and dimension, as the page reads them.

    ``costs`` has two 32-bit numbers, seconds and evaluations, per algorithm, function, run and
    target (`inf` if not reached), then for the end of each run, and then for the cost up to which
    it is known; NaN where there is no run. It is compressed, in Base64.
    """
    reached = np.stack([costs.seconds, costs.evaluations], axis=-1)
    ends = np.stack([costs.end_s, costs.known], axis=-1)
    parts = [np.where(costs.there[..., np.newaxis, np.newaxis], reached, np.nan).ravel()]
    parts.append(np.where(costs.there[..., np.newaxis], ends, np.nan).ravel())
    packed = gzip.compress(np.concatenate(parts).astype("<f4").tobytes(), 6, mtime=0)
    return {
        "title": costs.title,
        "dimension": costs.dimension,
        "labels": costs.labels,
        "functions": costs.functions,
        "runs": costs.there.shape[2],
        "costs": b64encode(packed).decode(),
    }


def spaces_of(design: Design) -> Iterator[dict[str, Any]]:
    analysis, given = design.analysis, design.campaign.analysis_settings["function_names"]
    runs = design.runs.timed_by(analysis.time)
    budget = design.campaign.budget
    more = {
        "targets": analysis.targets,
        "clock": "CPU time" if analysis.time == "cpu" else "wall clock",
        "budget_s": budget.time_s or budget.cpu_s,
    }
    for costs in spaces(runs, analysis):
        groups = {group: [*of] for group, of in names.groups(costs.suite).items()}
        titles = [names.title(costs.suite, function, given) for function in costs.functions]
        yield payload(costs) | more | {"titles": titles, "groups": groups}


def page(path: Path) -> str:
    found: list[dict[str, Any]] = []
    names_of = []
    for archive in designs(path).values():
        with opened(archive) as design:
            found += spaces_of(design)
            names_of.append(design.name)
    name = names_of[0] if len(names_of) == 1 else path.resolve().name
    here = files("timefair.extensions.database")
    return DOCUMENT.format(
        version=__version__,
        short="",
        title=f"{escape(name)}: explorer",
        style=part_of("page.css") + here.joinpath("explorer.css").read_text(),
        body=BODY.format(name=escape(name), version=__version__),
        data=script({"spaces": found, "colours": COLOURS}),
        packed="",
        script="\n".join([part_of("script/base.js"), here.joinpath("explorer.js").read_text()]),
    )


def own(design: Design, collected: Path) -> str:
    """What the page of a design takes of an algorithm with runs in a collected file."""
    return json.dumps({"spaces": list(spaces_of(replace(design, files=(collected,))))})
