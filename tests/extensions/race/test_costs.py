"""The core-seconds of runs after a campaign-wide race."""

from types import SimpleNamespace

import pandas as pd

from timefair.extensions.race.tables import _core_seconds
from timefair.records.integrity import Origins


def test_core_seconds_count_all_cores_of_a_run():
    own = {"a": {"use": "timefair:DE", "threads": 4}, "b": {"use": "x:y", "isolation": "strict"}}
    origins = {label: Origins() for label in own}
    for one in origins.values():
        one.add({"campaign": {"algorithms": own}})
    frame = pd.DataFrame({"algorithm": ["a", "b"], "real_s": [2.0, None], "wall_s": [9.0, 3.0]})
    runs = SimpleNamespace(frame=frame, origins=origins)
    assert _core_seconds(runs).tolist() == [8.0, 6.0]
