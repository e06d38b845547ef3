"""The command `tune`, and what `timefair check` says about searches."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.cli.arguments import (
    OF_CAMPAIGN,
    Declared,
    argument,
    measuring_environment,
    prepare_files,
)
from timefair.cli.measuring import RECORD, as_planned, spec_of

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


DECLARED = Declared()
add_to = DECLARED.add_to


def check(campaign: Campaign) -> Iterator[str]:
    from timefair.campaign import plan

    if campaign.tuned:
        seconds = plan.tuning_core_seconds(campaign)
        yield f"searches      {len(campaign.tuned)}, about {seconds:.0f} core-seconds"


@DECLARED.command(
    "tune",
    argument("--campaign", **OF_CAMPAIGN),
    argument("--algorithm", "LABEL", "label of the tuned variant", required=True),
    *RECORD,
    help="search for the parameters of one algorithm",
    example="snakemake --cores all --configfile config/studies/tuning.yaml --printshellcmds",
)
def _tune(arguments: argparse.Namespace) -> None:
    """Searches for the parameters of one tuned variant on the problems of its section `tune`, and
    writes the record of the search. A killed search is continued from the journal beside the
    record. Snakemake calls this command, with a key that only this campaign and this code have. The
    example prints these calls.
    """
    environment = measuring_environment(spec_of(arguments)["threads"])
    if environment != os.environ:
        command = [sys.executable, "-P", "-m", "timefair", *arguments.words]
        os.execve(sys.executable, command, environment)
    from timefair.campaign import configuration
    from timefair.extensions.tuning.job import tune
    from timefair.measure.job import Prepared

    campaign, label = configuration.restore(arguments.campaign), arguments.algorithm
    if label not in campaign.tuned:
        raise InputError(f"--algorithm: {label!r}: should be the label of a tuned variant")
    key = as_planned(arguments, Prepared(campaign).tuning_key(label))
    prepare_files([arguments.record])
    tune(campaign, label, arguments.record, key, arguments.campaign.absolute().parent)
