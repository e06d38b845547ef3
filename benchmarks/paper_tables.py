"""The tables of a paper by timefair and by three other tools, from an experiment of one size.

    python benchmarks/paper_tables.py TOOL

It writes below ./TOOL, and prints the seconds, those of processor time, and the statements of the
user's script, which is the function below. 3 algorithms, F1, F2, F5, F9 and F10, D = 10, 10 runs of
2,000 evaluations on one core. Each tool needs an environment of its own: heurilab==2.4.0 beside
matplotlib==3.10.9, jmetalpy==1.9.0 beside pandas==2.3.3, or pymetaheuristic==7.4.4 with
plotly==7.1.0, jinja2==3.1.6 and openpyxl==3.1.5.
"""

import ast
import inspect
import os
import subprocess
import sys
import time
from pathlib import Path

SNAKEFILE = Path(__file__).resolve().parents[1] / "Snakefile"
CAMPAIGN = """\
name: paper
problems: {suite: f1-f23, functions: [1, 2, 5, 9, 10], dimensions: 10, instances: 1}
algorithms: {jDE: timefair:jDE, PSO: timefair:PSO, random: timefair:random-search}
budget: {evaluations: 2000}
runs: 10
paper: metaheuristics
"""


def timefair():
    """Errors with rank, +/=/−, Friedman, box plots, convergence, LaTeX; then the spreadsheet."""
    Path("paper.yaml").write_text(CAMPAIGN, encoding="utf-8")
    subprocess.run(
        ["snakemake", "-s", SNAKEFILE, "--cores", "1", "--configfile", "paper.yaml"], check=True
    )
    subprocess.run(["timefair", "export", "xlsx", "results/paper"], check=True)


def heurilab():
    """Mean, deviation, best, worst, ranks; Wilcoxon, Friedman, box plots, convergence."""
    from heurilab import BenchmarkSuite, get_classical_suite, run_experiment
    from heurilab.algorithms import DE, GWO, PSO

    of = {one.name.split("_")[0].split("-")[0]: one for one in get_classical_suite()}
    suite = BenchmarkSuite("Classical", [of[name] for name in ("F1", "F2", "F5", "F9", "F10")])
    for one in suite:
        one.dim = 10
    run_experiment(
        [("DE", DE), ("PSO", PSO), ("GWO", GWO)],
        [suite],
        dim=10,
        n_runs=10,
        max_fes=2000,
        run_engineering=False,
    )


def pymetaheuristic():
    """Summaries by problem, rank-sum p and Friedman by its study; no box plot, no LaTeX of it."""
    import pandas as pd
    import plotly.express as px
    from pymetaheuristic.src.benchmarks.study import BenchmarkStudy

    problems = ["sphere", "schwefel_222", "rosenbrock", "rastrigin", "ackley"]
    study = BenchmarkStudy(
        algorithms=["de", "pso", "random_s"],
        problems=[(name, 10) for name in problems],
        n_trials=10,
        max_evaluations=2000,
        seed=1,
    )
    found = study.run()
    runs = found.to_dataframe()
    table = runs.groupby(["problem", "candidate"])["best_fitness"].describe()
    table.to_latex("summary.tex")
    table.to_excel("summary.xlsx")
    found.rank_table().to_latex("ranks.tex")
    tests = pd.DataFrame(found.wilcoxon_pairwise())
    tests.to_latex("wilcoxon.tex")
    pd.Series(found.friedman_test()).to_latex("friedman.tex")
    px.box(runs, x="candidate", y="best_fitness", facet_col="problem", log_y=True).write_html(
        "box.html"
    )
    found.plot_convergence(filepath="convergence.html")


def jmetalpy():
    """Median, mean, Wilcoxon symbols, Friedman, box plots; two functions are there, three not."""
    import numpy as np
    import pandas as pd
    from jmetal.algorithm.singleobjective.evolution_strategy import EvolutionStrategy
    from jmetal.algorithm.singleobjective.genetic_algorithm import GeneticAlgorithm
    from jmetal.algorithm.singleobjective.simulated_annealing import SimulatedAnnealing
    from jmetal.core.quality_indicator import FitnessValue
    from jmetal.lab import experiment as lab
    from jmetal.operator.crossover import SBXCrossover
    from jmetal.operator.mutation import PolynomialMutation
    from jmetal.problem.singleobjective.unconstrained import Rastrigin, Sphere
    from jmetal.util.termination_criterion import StoppingByEvaluations
    from scipy.stats import friedmanchisquare

    def own(function, called, bound):
        class Problem(Sphere):
            def __init__(self):
                super().__init__(10)
                self.lower_bound, self.upper_bound = [-bound] * 10, [bound] * 10

            def evaluate(self, solution):
                solution.objectives[0] = float(function(np.array(solution.variables)))
                return solution

            def name(self):
                return called

        return Problem

    def schwefel222(x):
        return np.abs(x).sum() + np.abs(x).prod()

    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (x[:-1] - 1) ** 2).sum()

    def ackley(x):
        near = -20 * np.exp(-0.2 * np.sqrt((x**2).mean())) + 20
        return near - np.exp(np.cos(2 * np.pi * x).mean()) + np.e

    others = own(schwefel222, "F2", 10), own(rosenbrock, "F5", 30), own(ackley, "F10", 32)
    jobs = []
    for run in range(10):
        for make in (Sphere, Rastrigin, *others):
            problem, mutation = make(), PolynomialMutation(0.1, 20)
            for algorithm in (
                SimulatedAnnealing(problem, mutation, StoppingByEvaluations(2000)),
                EvolutionStrategy(problem, 10, 10, True, mutation, StoppingByEvaluations(2000)),
                GeneticAlgorithm(
                    problem,
                    50,
                    50,
                    mutation,
                    SBXCrossover(0.9, 20),
                    termination_criterion=StoppingByEvaluations(2000),
                ),
            ):
                jobs.append(lab.Job(algorithm, type(algorithm).__name__, problem.name(), run))
    lab.Experiment("runs", jobs, m_workers=1).run()

    class Fitness(FitnessValue):  # the method that it has expects solutions and gets lists
        def compute(self, solutions):
            return float(np.min(solutions))

    lab.generate_summary_from_experiment("runs", [Fitness()])
    summary = "QualityIndicatorSummary.csv"
    lab.generate_boxplot(summary)
    lab.generate_latex_tables(summary)
    lab.generate_median_and_wilcoxon_latex_tables(summary)
    values = pd.read_csv(summary)
    fitness = values[values["IndicatorName"] != "Time"]
    of = fitness.groupby(["Problem", "Algorithm"])["IndicatorValue"]
    of.describe().to_latex("summary.tex")
    # Its own Friedman test stops beside numpy 2.
    means = of.mean().unstack().to_numpy()
    pd.Series(friedmanchisquare(*means.T)).to_latex("friedman.tex")


TOOLS = {run.__name__: run for run in (timefair, heurilab, pymetaheuristic, jmetalpy)}


def main():
    """Time one tool, and count what a user writes for it."""
    tool = TOOLS[sys.argv[1]]
    statements = ast.walk(ast.parse(inspect.getsource(tool)))
    written = sum(isinstance(one, ast.stmt) for one in statements) - 2  # not its def and docstring
    lines = CAMPAIGN.count("\n") + 2 if tool is timefair else written
    Path(tool.__name__).mkdir()
    os.chdir(tool.__name__)
    start = time.monotonic()
    tool()
    took = time.monotonic() - start
    spent = sum(os.times()[:4])  # with all child processes
    print(f"{tool.__name__}: {took:.0f} s, {spent:.0f} s of processor time, {lines} lines")


if __name__ == "__main__":
    main()
