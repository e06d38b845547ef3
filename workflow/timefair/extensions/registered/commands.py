"""The command that registers a question, and what `timefair check` says about it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.cli.arguments import CONFIG, Declared, argument, one_thread

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

DECLARED = Declared()
add_to = DECLARED.add_to


@DECLARED.command(
    "register",
    argument("config", **CONFIG),
    help="register the question of a campaign, before its first run",
    example="timefair register mine.yaml",
    exits={2: "the campaign is wrong, has no question, or has runs; one line per fault"},
)
def _register(arguments: argparse.Namespace) -> None:
    """Writes results/NAME/registration.json: the question under `registered`, the complete
    campaign, its planned runs, digests of the code that measures and of the code that makes the
    answer, the git commit and the time. Prints a sentence for the paper. The command refuses as
    soon as a run exists. Before that, it replaces an earlier registration and keeps its digest in
    the file.
    """
    one_thread()
    from timefair.campaign import configuration
    from timefair.extensions.registered import registration

    campaign = configuration.load(arguments.config)
    folder = Path("results") / campaign.name
    content = registration.register(campaign, folder)
    print(f"{folder / registration.FILE}: registered; publish this file before the first run")
    print(registration.statement(content))


def check(campaign: Campaign) -> Iterator[str]:
    from timefair.extensions.registered import registration

    if campaign.section("registered") is None:
        return
    content = registration.read(Path("results") / campaign.name)
    if content is None:
        yield "registered    no; run timefair register before the first run"
        return
    yield f"registered    {content['registered_utc']}, SHA-256 {content['digest']}"
    for deviation in registration.deviations(content, campaign):
        yield f"deviation     {deviation}"
