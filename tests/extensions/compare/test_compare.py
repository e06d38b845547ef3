"""The command on measured campaigns: answers, exit status, pairs, and what it refuses."""

import json
import re

import pyarrow as pa
import pytest

from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record

SAME = (1.0, 1.0)


def ratio(line: str) -> float:
    found = re.search(r"needs ([\d.]+) times", line)
    assert found
    return float(found[1])


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "status", "answer"),
    [
        (SAME, 0, "equal"), ((1.03, 1.0), 0, "equal"), ((1.3, 1.0), 1, "worse"),
        ((1.0, 1.3), 1, "worse"), ((0.7, 1.0), 0, "better"), ((1.1, 1.0), 3, "undecided"),
    ],
)  # fmt: skip
def test_the_last_line_is_the_verdict_and_gives_the_status(folder, compare, law, status, answer):
    results = folder("mine", {"baseline": SAME, "candidate": law})
    found, lines = compare(results, "baseline", "candidate")
    assert found == status
    assert lines[-1].startswith(f"{answer}: candidate needs ")
    assert "on 2 functions, in pairs of one seed" in lines[-1]
    assert ratio(lines[-1]) == pytest.approx(law[0] * law[1], rel=0.02)
    assert compare(results, "baseline", "candidate", "--quiet") == (status, lines[-1:])


@pytest.mark.parametrize(
    ("law", "speed", "evaluations"), [((1.3, 1.0), 1.3, 1), ((1.0, 1.3), 1, 1.3)]
)
def test_the_reason_is_the_speed_or_the_evaluations(folder, compare, law, speed, evaluations):
    _, lines = compare(
        folder("mine", {"baseline": SAME, "candidate": law}), "baseline", "candidate"
    )
    (line,) = [line for line in lines if line.startswith("ratio of seconds 1.3 = ")]
    factors = re.findall(r"([\d.]+) \(", line)
    assert [float(factor) for factor in factors] == pytest.approx([speed, evaluations], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "answers"),
    [("speed", (1, 0)), ("evaluations", (0, 1)), ("seconds", (1, 1)), ("quality", (0, 0))],
)
def test_the_verdict_is_about_what_the_user_asks_for(folder, compare, by, answers):
    slower = folder("slower", {"baseline": SAME, "candidate": (1.3, 1.0)})
    longer = folder("longer", {"baseline": SAME, "candidate": (1.0, 1.3)})
    found = tuple(
        compare(place, "baseline", "candidate", "--by", by)[0] for place in (slower, longer)
    )
    assert found == answers


@pytest.mark.parametrize("paired", [True, False])
def test_runs_that_spend_the_whole_budget_do_not_hide_a_slowdown(folder, compare, paired):
    """In seconds up to T, the ratio of the ERTs would be 1.08: stuck runs take 1 s in both."""
    laws = {"baseline": SAME, "candidate": (1.3, 1.0)}
    _, lines = compare(folder("mine", laws, stuck=3, paired=paired), "baseline", "candidate")
    assert ratio(lines[-1]) == pytest.approx(1.3, rel=0.02 if paired else 0.2)


@pytest.mark.slow
def test_pairs_decide_what_single_runs_cannot(folder, compare):
    laws = {"baseline": SAME, "candidate": (1.15, 1.0)}
    paired = compare(folder("paired", laws), "baseline", "candidate")
    single = compare(folder("single", laws, paired=False), "baseline", "candidate")
    assert (paired[0], single[0]) == (1, 3)
    assert "pairs" not in single[1][-1]


@pytest.mark.slow
def test_a_campaign_that_was_looked_at_gives_each_look_its_share(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    assert "95 % confidence" in compare(results, "baseline", "candidate")[1][-1]
    versions = {"baseline": "baseline", "candidate": "candidate", "looks": 4}
    (results / "comparison.json").write_text(json.dumps(versions))
    # There are no records of rounds in this folder: what is there counts as the first look.
    _, lines = compare(results, "baseline", "candidate")
    assert "99.5 % confidence" in lines[-1]
    assert lines[-1].endswith("stopped after round 1 of 4, as the answer is decided")
    (results / "comparison.json").write_text("{}")
    status, lines = compare(results, "baseline", "candidate")
    assert status == 2
    assert "comparison.json: not what timefair wrote" in lines[0]


# --- Wrong input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("{} baseline candidat", "has no algorithm 'candidat'; did you mean 'candidate'?"),
        ("{} baseline baseline", "baseline: is baseline and candidate; name two algorithms"),
        ("{} baseline", "baseline: give RESULTS BASELINE CANDIDATE: one folder and two labels"),
        ("{} baseline candidate --margin 0.9", "--margin: 0.9: should be a ratio of at least 1"),
        ("{} baseline candidate --baseline baseline", "give BASELINE CANDIDATE or --baseline and"),
        ("{} baseline candidate --cores 2", "--cores: only with CAMPAIGN.yaml, which is measured"),
        ("nowhere.yaml baseline", "baseline: give --baseline LABEL and --candidate LABEL after a"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(folder, compare, words, line):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    status, lines = compare(*words.format(results).split())
    assert status == 2
    assert len(lines) == 1
    assert line in lines[0]


def test_a_version_that_never_evaluates_is_refused_with_its_message(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    path = results / "collected/candidate.parquet"
    record = open_record(path)
    rows = [
        row | {"evaluations": 0, "events": [], "status": "raised", "message": "ValueError: no"}
        for row in record.read().to_pylist()
    ]
    write_record(path, pa.Table.from_pylist(rows, RUN_SCHEMA).to_batches(), record.facts)
    status, lines = compare(results, "baseline", "candidate")
    assert (status, len(lines)) == (2, 1)
    assert lines[0].endswith("candidate made no evaluation in any run: ValueError: no")
