"""Known biases are found, random search has none, and the checklist says so."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from timefair.algorithms import registry
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.extensions.bias import commands as kept
from timefair.extensions.bias.probe import PAIRS, Finding, _of_pair, _on_noise

BIASED = str(Path(__file__).with_name("biased.py"))
"""The file of algorithms with known biases; each has the name of its bias."""


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("kind", PAIRS)
def test_a_known_bias_is_found(kind):
    algorithm = registry.load(f"{BIASED}:{kind}", {})
    found = _of_pair(kind, algorithm, kind, 1, 0.05 / 7)
    assert found.found
    assert found.factor > 10
    unbiased = _of_pair(kind, registry.load("timefair:random-search", {}), "random", 1, 0.05 / 7)
    assert not unbiased.found
    assert 0.2 < unbiased.factor < 5


@pytest.mark.slow
def test_noise_shows_where_an_algorithm_looks():
    found = {
        one.kind: one for one in _on_noise(registry.load(f"{BIASED}:origin", {}), "c", 1, 0.05 / 7)
    }
    assert found["origin"].found
    assert not found["centre"].found
    assert not found["bounds"].found


def test_the_audit_of_a_campaign_is_kept_beside_its_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "c.yaml"
    path.write_text(
        "name: c\nproblems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
        "algorithms: {A: timefair:DE, B: timefair:PSO}\nbudget: {evaluations: 10}\nruns: 1\n"
    )
    rows = [
        {"algorithm": "A", **vars(Finding("origin", "pair", 4.2e7, 1e-8, True))},
        {"algorithm": "A", **vars(Finding("bounds", "noise", 0.0, 1.0, False))},
        {"algorithm": "B", **vars(Finding("origin", "pair", 1.1, 0.9, False))},
    ]
    kept.keep(path, rows)
    campaign, folder = configuration.load(path), tmp_path / "results/c"
    assert list(kept.files(campaign, folder)) == ["bias.json"]
    ((key, found),) = kept.settings(campaign, folder)
    (part,) = kept.checklist(None, SimpleNamespace(added={key: found}))
    assert part.evidence == "A profits from origin (factor 4.2e+07); no bias found in B"
    path.write_text(path.read_text().replace("timefair:DE", "timefair:jDE"))
    ((_, left),) = kept.settings(configuration.load(path), folder)
    assert {row["algorithm"] for row in left} == {"B"}
    (folder / "bias.json").write_text(json.dumps([1]))
    with pytest.raises(InputError, match="damaged; delete it, and audit again"):
        list(kept.settings(campaign, folder))
