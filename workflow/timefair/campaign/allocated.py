"""The runs of the jobs of a round, if a stopping rule decides them for the whole campaign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from timefair.basics.errors import InputError
from timefair.basics.files import regular
from timefair.campaign import plan

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


class Share(NamedTuple):
    """What an algorithm has on each instance of a function in a round."""

    more: int
    reason: str


def read_allocation(path: Path) -> dict[tuple[str, int, int], Share]:
    """The runs of a round, by algorithm, function and dimension.

    Raises InputError if the file does not exist, or was not written by `timefair allocate`.
    """
    try:
        cells = json.loads(regular(path).read_text(encoding="utf-8"))["cells"]
        return {
            (cell["algorithm"], cell["function"], cell["dimension"]): Share(
                int(cell["more"]), str(cell["reason"])
            )
            for cell in cells
        }
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{path}: not the runs of a round; remove it, and {plan.AGAIN}") from None


class JobSizes:
    """Number of runs of each job.

    - `campaign`: The campaign that is measured.
    - `keys`: The measure keys with which it was planned.
    - `folder`: ``results/<campaign>``, with the runs of the rounds that have been decided.
    """

    def __init__(self, campaign: Campaign, keys: plan.Keys, folder: Path) -> None:
        self._campaign, self._keys, self._folder = campaign, keys, folder
        self._shares: dict[int, dict[tuple[str, int, int], Share]] = {}

    def __call__(self, job: plan.Job) -> int:
        """The runs of a job on all its instances; the planned ones if its round is not
        decided yet.
        """
        share = self._of_round(job.round).get((job.algorithm, job.function, job.dimension))
        if share is None:
            return len(plan.runs_of_round(self._campaign, job.round)) * len(job.instances)
        return share.more * len(job.instances)

    def _of_round(self, round: int) -> dict[tuple[str, int, int], Share]:
        """The shares in the file of a round. The file does not change after it was written."""
        if round not in self._shares and self._campaign.stopping.allocates and round > 1:
            path = self._folder / plan.allocation_path(self._keys, round)
            if path.exists():
                self._shares[round] = read_allocation(path)
        return self._shares.get(round, {})
