import numpy as np
import pytest
from objectives import Cut, Plain

from timefair.algorithms import registry
from timefair.algorithms.builtin import population


@pytest.fixture
def rates(monkeypatch):
    """The CR of each generation's trials."""
    seen = []
    binomial = population.binomial

    def spy(rng, rates, dimension):
        seen.append(rates.copy())
        return binomial(rng, rates, dimension)

    monkeypatch.setattr(population, "binomial", spy)
    return seen


def test_by_default_a_tenth_is_and_stays_with_those_that_win(launch, rates):
    launch("timefair:jDE", most=1500)
    assert np.mean(rates[0] != 0.9) < 0.35  # binomial: 30 trials, 0.1
    assert np.mean(rates[-1] != 0.9) > 0.5


@pytest.mark.parametrize(("tau1", "least"), [(0.0, 0.5), (1.0, 0.1)])
def test_a_trial_is_a_point_and_f_times_a_difference(launch, monkeypatch, tau1, least):
    monkeypatch.setattr(
        population, "partners", lambda rng, size, *pools: [np.full(size, k) for k in range(3)]
    )
    monkeypatch.setattr(
        population, "binomial", lambda rng, rates, dimension: np.ones((len(rates), dimension), bool)
    )
    parameters = {"tau1": tau1, "population": 400}
    x = np.array(launch("timefair:jDE", parameters, dimension=10, most=800).points)
    first, trials = x[:400], x[400:]
    inside = np.all((trials > -3) & (trials < 5), axis=0)
    assert inside.sum() > 1
    f = ((trials - first[0]) / (first[1] - first[2]))[:, inside]
    np.testing.assert_allclose(f, np.broadcast_to(f[:, :1], f.shape))
    assert f.min() == pytest.approx(least, abs=0.02)
    assert f.max() == pytest.approx(1 if tau1 else 0.5, abs=0.02)


def test_an_equal_trial_replaces_its_parent():
    objective = Plain(lambda x: 0.0, most=30 * 40, lower=-1.0, upper=1.0)
    with pytest.raises(Cut):
        registry.load("timefair:jDE", {}).solve(objective, np.random.default_rng(1))
    last, before = np.array(objective.points[-30:]), np.array(objective.points[:30])
    assert not np.isin(last, before).any(axis=1).all()
