"""Tables of any size with numbers from a formula, and the text of a figure with its places."""

from collections import UserDict
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.backend_bases import RendererBase
from matplotlib.transforms import Affine2D

from timefair.exhibits.charts import style

ALGORITHMS = ("CMA-ES", "a very long name of an algorithm", "random")
ARRANGEMENTS = (
    ("single best", 1),
    *((mode, size) for mode in ("in turn", "slices", "side by side") for size in (2, 3)),
)
HAIR = 0.5
"""Points by which measures of a text differ between renderers."""


class Frames(UserDict):
    """Frames by the name of their table; each is made when it is asked for."""

    def __init__(self, makers):
        super().__init__()
        self._makers = makers

    def __missing__(self, name):
        self[name] = self._makers[name]().copy()
        return self[name]


def frames(functions=(1, 3), dimensions=(2, 5), algorithms=ALGORITHMS, change=None):
    """A frame for each table: what `tables` makes, with numbers from a formula."""
    return Frames(frames_of(functions, dimensions, algorithms, change))


@cache
def frames_of(functions, dimensions, algorithms, change):
    """What makes each of the frames; once, although several tables may be of one frame."""
    change = change or (lambda x: x)
    keys = pd.MultiIndex.from_product(
        [["bbob"], dimensions, functions, algorithms],
        names=["suite", "dimension", "function", "algorithm"],
    ).to_frame(index=False)
    keys["runs"] = 15
    speed = 1.0 + keys.groupby("algorithm").ngroup() + keys["function"]

    def spread(column, values):
        return keys.assign(speed=speed).merge(pd.DataFrame({column: values}), how="cross")

    @cache
    def ert():
        ert = spread("target", [10.0, 0.1, 1e-3])
        ert["ert_s"] = change(ert["speed"] / ert["target"])
        ert["ert_evaluations"] = 100 * ert["ert_s"]
        for name in ("ert_s", "ert_evaluations"):
            ert[f"{name}_low"], ert[f"{name}_high"] = 0.5 * ert[name], 2 * ert[name]
        return ert

    @cache
    def quantiles():
        quantiles = spread("quantile", [0.1, 0.5, 0.9])
        quantiles["precision"] = change(quantiles["speed"] * quantiles["quantile"])
        quantiles["precision_low"] = 0.5 * quantiles["precision"]
        quantiles["precision_high"] = 2 * quantiles["precision"]
        return quantiles

    @cache
    def cost():
        units = pd.DataFrame({"unit": ["seconds", "evaluations"]})
        cost = spread("cost", np.geomspace(0.001, 1, 20)).merge(units, how="cross")
        cut = (cost["cost"] > 0.1) & (cost["unit"] == "evaluations")
        return cost.assign(observed=1 - 0.5 * cut)[~cut | (cost["cost"] < 0.5)]

    @cache
    def anytime():
        anytime = cost().assign(median=change(1 / (cost()["cost"] * cost()["speed"])))
        anytime["mean"] = anytime["median"]
        anytime["median_low"], anytime["median_high"] = (
            0.5 * anytime["median"],
            2 * anytime["median"],
        )
        return anytime

    @cache
    def of_functions():
        ecdf = cost().assign(
            fraction=cost()["cost"] / cost()["speed"], function=cost()["function"].astype(str)
        )
        return with_limits(ecdf)

    @cache
    def ecdf():
        over_all = of_functions()[of_functions()["function"] == "1"].assign(function="all")
        return pd.concat([of_functions(), over_all])

    @cache
    def profile():
        profile = spread("ratio", np.geomspace(1, 50, 20))
        profile["fraction"] = 1 - 1 / (profile["ratio"] + profile["speed"])
        return with_limits(profile[profile["function"] == functions[0]].drop(columns="function"))

    def restarts():
        return keys.assign(
            completed_restarts_mean=speed - 2.0, evaluations_per_s=1e4 * speed, cpu_per_wall=1.0
        )

    makers = {
        "boxplots": lambda: every_run(spread("run", range(7)), change),
        "sorted_solutions": lambda: sorted_pairs(spread("order", [1, 2, 3]), algorithms, change),
        "attainment": lambda: attainment_of(spread("share", [0.25, 0.5, 0.75]), change),
        "after_change": lambda: after_change_of(spread, change),
        "restarted_curves": lambda: ecdf().drop(columns=["low", "high"]),
        "best_of": lambda: best_of_frame(spread, change),
        "own_time_ranks": lambda: own_time_ranks_of(keys, change),
        "cost_map": lambda: cost_map_of(dimensions, algorithms),
        "rank_over_time": lambda: ranks_over_time_of(keys, change),
        "eaf": lambda: eaf_of(spread, change),
        "eaf_difference": lambda: eaf_difference_of(eaf_of(spread, change), algorithms),
        "portfolio": lambda: portfolio_of(dimensions, algorithms),
        "restart_what_if": lambda: restart_what_if_of(spread),
        "overhead": lambda: overhead_of(keys, change),
        "ranks": lambda: ranks_of(keys, change),
        "rankings": lambda: rankings_of(keys, change),
        "run_count_groups": lambda: run_count_groups_of(keys, change),
        "run_count_rules": lambda: run_count_rules_of(dimensions, change),
        "run_count_reliability": lambda: run_count_reliability_of(change),
    }
    shared = {
        "ert": ert,
        "quantiles": quantiles,
        "anytime": anytime,
        **dict.fromkeys(("ecdf", "feasible"), ecdf),
        **dict.fromkeys(("profile", "profile_evaluations"), profile),
        "restarts": restarts,
    }
    return shared | {name: cache(make) for name, make in makers.items()}


def after_change_of(spread, change):
    curve = spread("cost", np.geomspace(1e-4, 0.1, 20)).assign(unit="seconds")
    error = change(curve["speed"] / (1 + 100 * curve["cost"]))
    return curve.assign(error=error, error_low=0.8 * error, error_high=1.3 * error)


def every_run(frame, change):
    """Runs of which one in seven reaches the target, if `change` does not say otherwise."""
    return frame.assign(precision=change(frame["speed"] * 4.0 ** frame["run"] * (frame["run"] > 0)))


def attainment_of(surfaces, change):
    level = surfaces["share"] * surfaces["speed"] / surfaces["speed"].max()
    surfaces = surfaces.assign(level=level, missed=change(level))
    corners = surfaces.merge(pd.DataFrame({"f1": np.linspace(0.05, 1, 12)}), how="cross")
    return corners.assign(f2=(0.2 * corners["level"] / corners["f1"]).clip(upper=1.0))


def overhead_of(keys, change):
    overhead = keys.assign(overhead_s=change(10.0 ** keys.groupby("algorithm").ngroup()))
    limits = {"overhead_s_low": 0.5 * overhead["overhead_s"]}
    return overhead.assign(**limits, overhead_s_high=2 * overhead["overhead_s"])


def best_of_frame(spread, change):
    best = spread("k", [1, 5, 50]).assign(measure="mean")
    best["precision"] = change(best["speed"] / best["k"]).where(best["k"] < 50)
    return best


def restart_what_if_of(spread):
    table = spread("tau", 10.0 * 2.0 ** np.arange(14))
    best = 1.0 + 12.0 * table["speed"] / table["speed"].max()
    away = np.log2(table["tau"] / 10.0) - best
    table["factor"] = (2.0 ** (np.abs(away) - 3)).where(table["tau"] < 5e4 / table["function"])
    table["factor_low"], table["factor_high"] = 0.5 * table["factor"], 2 * table["factor"]
    return table.assign(target=0.1)


def ranks_over_time_of(keys, change):
    places = keys.drop_duplicates(["suite", "dimension", "algorithm"]).drop(columns="function")
    rows = places.merge(pd.DataFrame({"cost": np.geomspace(1e-3, 1, 21)}), how="cross")
    place = rows.groupby("algorithm").ngroup() + 1.0
    rank = change(place.where(rows["cost"] < 0.03, place.max() + 1 - place))
    rows = rows.assign(average_rank=rank, average_rank_low=rank - 0.3, unit="seconds")
    return rows.assign(average_rank_high=rank + 0.3, leads=0.5)


def eaf_of(spread, change):
    rows = spread("cost", np.geomspace(1e-3, 1, 12)).assign(unit="seconds")
    rows = rows.merge(pd.DataFrame({"precision": np.geomspace(1e2, 1e-8, 21)}), how="cross")
    share = (rows["cost"] * rows["precision"] / 100) ** (rows["speed"] / rows["speed"].max())
    rows = rows.assign(share=change(share).clip(0, 1), function=rows["function"].astype(str))
    first = rows[rows["function"] == rows["function"].iloc[0]]
    return pd.concat([rows, first.assign(function="all")])


def eaf_difference_of(eaf, algorithms):
    keys = ["suite", "dimension", "function", "unit", "cost", "precision"]
    first, second = (
        eaf[eaf["algorithm"] == name][[*keys, "share"]] for name in (algorithms * 2)[:2]
    )
    rows = first.merge(second, on=keys)
    rows["difference"] = rows["share_x"] - rows["share_y"]
    rows = rows.assign(algorithm_a=algorithms[0], algorithm_b=algorithms[-1])
    return rows if len(algorithms) > 1 else rows.iloc[:0]


def portfolio_of(dimensions, algorithms):
    """The more members, the more is reached; of one algorithm there is the single best alone."""
    rows = []
    for dimension in dimensions:
        for k, (arrangement, size) in enumerate(ARRANGEMENTS):
            if size > len(algorithms):
                continue
            members = ", ".join(algorithms[:size])
            share = 0.5 + 0.03 * k + 0.01 * dimension / 10
            rows.append(
                {
                    **{"suite": "bbob", "dimension": dimension, "unit": "seconds", "budget": 0.8},
                    **{"arrangement": arrangement, "size": size, "cores": size, "share": share},
                    "members": members,
                    "shares": ", ".join(["0.33"] * size),
                    **{"held_out": share - 0.05, "gain": 0.02 * k},
                    **{"gain_low": 0.02 * k - 0.03, "gain_high": 0.02 * k + 0.03},
                    **{"held_out_low": share - 0.08, "held_out_high": share - 0.02},
                }
            )
        rows.append({**rows[-1], "arrangement": "virtual best", "members": None, "share": 0.9})
        rows[-1] |= dict.fromkeys(("held_out", "held_out_low", "held_out_high", "gain"), np.nan)
        rows[-1] |= dict.fromkeys(("gain_low", "gain_high"), np.nan)
    return pd.DataFrame(rows)


def cost_map_of(dimensions, algorithms):
    """The best algorithm changes along the diagonal; large budgets are not known."""
    costs = np.array([0.0, *np.geomspace(1e-6, 1e4, 21)])
    budgets = np.geomspace(1e-3, 1e5, 17)
    points = [
        (dimension, measure, cost, budget, i + j)
        for dimension in dimensions
        for measure in ("share", "rank")
        for i, cost in enumerate(costs)
        for j, budget in enumerate(budgets)
    ]
    columns = ["dimension", "measure", "evaluation_cost_s", "budget_s", "place"]
    points = pd.DataFrame(points, columns=columns)
    known = points["budget_s"] <= 1 + 20 * points["evaluation_cost_s"]
    seen = known & (points["budget_s"] > points["evaluation_cost_s"])
    best = np.array(algorithms, dtype=object)[points["place"] % len(algorithms)]
    shared = seen & (points["place"] % 4 > 1) & (len(algorithms) > 1)
    return points.assign(
        suite="bbob",
        best=pd.Categorical(pd.Series(best).where(seen), sorted(algorithms)),
        tied=pd.Series(algorithms[-1], index=points.index).where(shared),
        known=known,
    )


def ranks_of(keys, change):
    places = keys.drop_duplicates(["suite", "dimension", "algorithm"]).drop(columns="function")
    places["average_rank"] = change(1.0 + places.groupby("algorithm").ngroup())
    places["average_rank"] = places.groupby(["suite", "dimension"])["average_rank"].rank()
    cases = [("precision", "mean"), ("precision", "Q.50"), ("seconds", "ERT"), ("seconds", "Q.50")]
    criteria = pd.DataFrame(cases, columns=["measure", "criterion"])
    return places.assign(problems=2, critical_difference=1.5).merge(criteria, how="cross")


def own_time_ranks_of(keys, change):
    """The later the algorithm, the longer its range; the last one keeps its position for ever."""
    places = keys.drop_duplicates(["suite", "dimension", "algorithm"]).drop(columns="function")
    place = 1.0 + places.groupby("algorithm").ngroup()
    holds = change(2.0**place)
    last = place == place.max()
    places = places.assign(position=place, holds_from=1 / holds, holds_to=holds.mask(last, np.inf))
    return places.assign(measured_factor=np.where(place == 1, 0.03, np.nan))


def rankings_of(keys, change):
    value = keys.assign(value=change(1.0 + keys.groupby("algorithm").ngroup()))
    place = value.groupby(["suite", "dimension", "function"])["value"].rank()
    ranks = keys.assign(rank_by_evaluations=place, rank_by_time=place.max() + 1 - place)
    return pd.concat([ranks.assign(criterion=f"fixed {kind}") for kind in ("budget", "target")])


def run_count_groups_of(keys, change):
    """The later the algorithm, the larger tau, the better the technique, the more is wrong."""
    settings = pd.DataFrame(
        [(tau, o) for tau in (0.05, 0.1, 0.15, 0.2) for o in ("iqr", "percentile", "mad")],
        columns=["tau", "outliers"],
    )
    groups = keys.assign(wrong=10.0 * keys.groupby("algorithm").ngroup(), samples=2)
    groups = groups.merge(settings, how="cross")
    for k, column in enumerate(("p20", "p15", "p10", "p5", "p1", "p0.5", "true"), start=1):
        right = 100 - groups["wrong"] - 20 * k * groups["tau"]
        groups[column] = change(right).clip(0, 100)
    return groups


def run_count_rules_of(dimensions, change):
    """Three rules, of which the fixed numbers of runs make a line."""
    rules = pd.DataFrame(
        [("fixed n", "n = 10", 80.0), ("fixed n", "n = 50", 0.0), ("skewness", "iqr", 40.0)],
        columns=["rule", "setting", "saved_percent"],
    )
    for column in (
        "accurate",
        "accurate_independent",
        "kept_median",
        "kept_mean",
        "winner_independent",
    ):
        rules[f"{column}_percent"] = change(100 - rules["saved_percent"] / 2).clip(0, 100)
    spaces = pd.DataFrame({"suite": "bbob", "dimension": ["all", *map(str, dimensions)]})
    return spaces.merge(rules, how="cross")


def run_count_reliability_of(change):
    curves = pd.DataFrame({"bin": range(1, 6), "stated_percent": np.linspace(10, 90, 5)})
    curves["observed_percent"] = change(0.8 * curves["stated_percent"]).clip(0, 100)
    for column, values in (
        ("n", (5, 10)),
        ("error_percent", (10.0, 50.0)),
        ("held_out", ("functions", "algorithms")),
        ("estimate", ("median", "mean")),
    ):
        curves = pd.DataFrame({column: values}).merge(curves, how="cross")
    return curves.assign(suite="bbob", skill=-0.1, auc=0.5)


def sorted_pairs(runs, algorithms, change):
    after = dict(zip(algorithms, (*algorithms[1:], algorithms[0]), strict=True))
    pairs = runs.assign(
        better_by_mean=runs["algorithm"],
        better_by_median=runs["algorithm"].map(after),
        precision=change(runs["speed"] * 10.0 ** runs["order"]),
        mean=change(40 * runs["speed"]),
        median=change(100 * runs["speed"]),
        gap_decades=runs["speed"],
    )
    return pd.concat([pairs, pairs.assign(algorithm=pairs["better_by_median"])])


def with_limits(shares):
    fraction = shares["fraction"]
    return shares.assign(low=0.9 * fraction, high=0.9 * fraction + 0.1)


class TextBoxes(RendererBase):
    """Keeps the corners of each line of text that is drawn, in points."""

    def __init__(self, figure):
        super().__init__()
        self.size = figure.get_size_inches() * 72
        self.corners = {}

    def flipy(self):
        return False

    def get_canvas_width_height(self):
        return tuple(self.size)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        assert not ismath, f"{s} is set as mathematics, which takes ten times as long"
        width, height, descent = self.get_text_width_height_descent(s, prop, ismath)
        box = np.array([[0, -descent], [width, height - descent]])
        turn = Affine2D().rotate_deg(angle).translate(x, y)
        self.corners[s, x, y] = turn.transform(box)

    def draw_path(self, *arguments, **named): ...

    draw_markers = draw_path_collection = draw_quad_mesh = draw_path


def boxes_of_text(figure):
    """The corners of each line of text, by the text and where it begins."""
    boxes = TextBoxes(figure)
    figure.set_dpi(72)
    with style.applied():
        figure.draw(boxes)
    assert boxes.corners
    return boxes.corners


def outside(figure, boxes):
    """The lines of text that are not inside of the figure, with their corners."""
    size = 72 * figure.get_size_inches()
    return {
        text: corners.round(1).tolist()
        for (text, *_), corners in boxes.items()
        if (corners < -HAIR).any() or (corners > size + HAIR).any()
    }
