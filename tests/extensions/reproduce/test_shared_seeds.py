"""Two algorithms with the seeds of one: their runs are pairs, and each is replayed alone."""

from typing import Any

from campaigns import SMALL, SPHERE
from measurements import do_jobs

from timefair.campaign import configuration
from timefair.extensions.reproduce.chosen import chosen_run
from timefair.extensions.reproduce.verdict import replay
from timefair.records.store import read_runs

DE: dict[str, Any] = {"use": "timefair:DE"}
CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": 8, "dimensions": 3},
    "algorithms": {"baseline": DE, "candidate": DE | {"seed_as": "baseline"}, "other": DE},
    "timing": {"reference": False},
}


def test_the_runs_of_one_seed_are_the_same_and_replay_alone(tmp_path):
    places = do_jobs(configuration.parse(CAMPAIGN), tmp_path)
    records = {place.algorithm: record for record, place in places.items()}
    runs = {label: read_runs([record]) for label, record in records.items()}
    for column in ("seed", "best_f", "best_x"):
        assert runs["baseline"][column].equals(runs["candidate"][column])
        assert not runs["baseline"][column].equals(runs["other"][column])
    assert replay(chosen_run(records["candidate"], {"run": 1})).same
