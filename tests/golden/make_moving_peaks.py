"""Writes moving_peaks.json: values of moving peaks, computed by the program of their authors.

    python tests/golden/make_moving_peaks.py FOLDER

FOLDER has `BenchmarkGenerator_GMPB.m` and `fitness_GMPB.m` of the version of February 2022 of D.
Yazdani's EDOLAB (commit c63a50ec of Danial-Yazdani/EDOLAB-MATLAB), which GNU Octave executes. The
random numbers of the program are replaced by those that timefair draws from the same seed, so that
both make the same landscapes. Its QR decomposition is replaced too, because it draws its matrix
from another distribution.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np

from timefair.extensions.competitions import moving

CASES = [
    {"seed": 1, "dimension": 2, "peaks": 5, "shift": 1.0},
    {"seed": 2, "dimension": 5, "peaks": 10, "shift": 5.0},
    {"seed": 3, "dimension": 10, "peaks": 4, "shift": 60.0},
]
ENVIRONMENTS = 12
EVALUATED = [0, 1, 11]
"""The environments in which points are evaluated, from 0."""

OCTAVE = r"""
1;
global queue place
function y = next(kind, varargin)
  global queue place
  if isfield(place, kind), place.(kind) += 1; else place.(kind) = 1; end
  y = queue.(kind).(sprintf("d%d", place.(kind)));
  if nargin > 2, y = reshape(y, varargin{2}, varargin{1})'; end
end
function y = rand(rows, columns)
  if nargin == 1, y = zeros(rows); else y = next("rand", rows, columns); end
end
function y = randn(rows, columns)
  y = next("randn", rows, columns);
end
function [q, r] = qr(a)
  q = next("qr", rows(a), columns(a)); r = [];
end
function y = randperm(n)
  y = next("randperm");
end
function y = pdist2(points, origin)
  y = sqrt(sum((points - origin) .^ 2, 2));
end
function y = EnvironmentVisualization(x, problem)
  y = NaN;
end
input = jsondecode(fileread("input.json"));
out = fopen("output.txt", "w");
for k = 1:numel(input)
  queue = input(k).draws; place = struct(); case_ = input(k);
  problem = BenchmarkGenerator_GMPB(
    case_.peaks, 1, case_.dimension, case_.shift, case_.environments, "GMPB");
  for e = 1:numel(case_.evaluated)
    problem.Environmentcounter = case_.evaluated(e) + 1;
    points = case_.points.(sprintf("d%d", e));
    for p = 1:rows(points)
      fprintf(out, "%.17g\n", fitness_GMPB(points(p, :), problem));
    end
  end
end
fclose(out);
"""


class Recorder:
    """A generator that keeps what was drawn from it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.uniforms: list[np.ndarray] = []
        self.normals: list[np.ndarray] = []
        self.permutations: list[np.ndarray] = []

    def uniform(self, least, most, shape):
        values = self.rng.uniform(least, most, shape)
        self.uniforms.append((values - least) / (most - least))
        return values

    def standard_normal(self, shape):
        self.normals.append(self.rng.standard_normal(shape))
        return self.normals[-1]

    def permutation(self, planes):
        permuted = self.rng.permutation(planes)
        order = list(combinations(range(planes.max() + 1), 2))
        self.permutations.append(np.array([order.index(tuple(plane)) + 1 for plane in permuted]))
        return permuted


def draws(recorder: Recorder, rotations: np.ndarray) -> dict[str, dict[str, list[float]]]:
    """What the program draws, in its own order."""
    centres, heights, widths, angles, taus, etas = recorder.uniforms
    uniform = [centres, heights, widths, angles, taus, angles, taus, etas]
    normal = []
    changes = recorder.normals[1:]  # the first ones are those of the rotations
    for first in range(0, len(changes), 6):
        shift, height, width, angle, tau, eta = changes[first : first + 6]
        normal += [shift, width, height, angle, tau, eta]
    return {
        "rand": numbered(uniform),
        "randn": numbered(normal),
        "qr": numbered(rotations),
        "randperm": numbered(recorder.permutations),
    }


def numbered(arrays) -> dict[str, list[float]]:
    return {f"d{k}": array.ravel().tolist() for k, array in enumerate(arrays, start=1)}


def main() -> None:
    program = Path(sys.argv[1]).resolve()
    asked = []
    for case in CASES:
        recorder = Recorder(case["seed"])
        of = moving.landscapes(
            case["dimension"],
            peaks=case["peaks"],
            environments=ENVIRONMENTS,
            severity=moving.Severity(shift=case["shift"]),
            rng=recorder,  # type: ignore[arg-type]
        )
        rng = np.random.default_rng(case["seed"])
        points = [
            np.vstack(
                [
                    of.centres[e] + rng.standard_normal(of.centres[e].shape),
                    rng.uniform(*moving.COORDINATE, (4, case["dimension"])),
                ]
            )
            for e in EVALUATED
        ]
        asked.append(
            {
                **case,
                "environments": ENVIRONMENTS,
                "evaluated": EVALUATED,
                "draws": draws(recorder, of.rotations[0]),
                "points": {f"d{k}": found.tolist() for k, found in enumerate(points, start=1)},
            }
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "input.json").write_text(json.dumps(asked))
        (folder / "main.m").write_text(OCTAVE)
        command = ["octave-cli", "--quiet", "--path", str(program), "main.m"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        values = iter(map(float, (folder / "output.txt").read_text().split()))
    cases = [
        {
            **{key: case[key] for key in ("seed", "dimension", "peaks", "shift")},
            "environments": [
                {"environment": e, "points": points, "values": [next(values) for _ in points]}
                for e, points in zip(EVALUATED, case["points"].values(), strict=True)
            ],
        }
        for case in asked
    ]
    version = subprocess.run(
        ["octave-cli", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    origin = f"EDOLAB, February 2022, commit c63a50ec; {version}"
    found = {"origin": origin, "number_of_environments": ENVIRONMENTS, "cases": cases}
    path = Path(__file__).with_name("moving_peaks.json")
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
