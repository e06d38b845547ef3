"""The tables and figures that papers on metaheuristics print: ``paper: metaheuristics``."""

from timefair.basics.extension import Extension

EVALUATIONS = 200_000  # of a run by the protocol of CEC

EXTENSION = Extension(
    __name__,
    commands="commands",
    groups={"complexity": "watch"},
    sections={"paper": "keys:Paper"},
    exhibits=("against", "boxplots", "complexity", "designs"),
    tables=("paper_values", "against", "friedman", "designs", "complexity", "overhead"),
    figures=(
        "boxplots",
        "convergence",
        "convergence_evaluations",
        "anytime",
        "anytime_evaluations",
    ),
    of_values=("paper_values", "against", "friedman", "designs", "boxplots"),
    files="complexity",
    settings="keys",
)
