"""A folder with a campaign that compares two versions of one's own library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.campaign import scaffold

BASELINE = "baseline"
"""The folder of the git worktree with the baseline, and the label of the baseline."""

WRAPPER = '''"""How timefair calls your optimizer: complete `solve`.

Both versions are called by this file. `import {package}` gets the version whose folder is under
`path` in campaign.yaml.
"""

import {package}


def solve(objective, rng):
    """One launch, from a random point. timefair ends it at the deadline, and starts the next one.

    objective(x) is the value at a point; objective.lower and objective.upper are the bounds. Take
    all randomness from rng, a numpy.random.Generator, so that both versions get the same.
    """
    start = rng.uniform(objective.lower, objective.upper)
    raise NotImplementedError("wrapper.py: call your optimizer here, such as "
                              "{package}.minimize(objective, start, rng=rng)")
'''

CAMPAIGN = """\
# Is the new version of {package} better? Run: timefair compare campaign.yaml
name: versions
problems: {{suite: bbob, functions: [1, 8, 10, 20], dimensions: 5, instances: 1-5}}
algorithms:
  baseline: {{use: "wrapper:solve", path: {baseline}}}  # {ref}, commit {commit}
  candidate: {{use: "wrapper:solve", path: {candidate}, seed_as: baseline}}  # the files as they are
budget: {{time_s: 0.17}}
runs: 24
rounds: 4 # after each round the comparison may stop
statistics:
  matters: {{ratio: 1.05}} # smaller differences do not matter
  time: reference # corrects for changes in the speed of the machine
"""

NOT_COMMITTED = f"/{BASELINE}/\n/results/\n/.snakemake/\n/comparison.*\n/summary.md\n/compare.txt\n"
"""Entries for git to ignore if the folder is committed with the library."""


def begin(target: Path, library: Path, ref: str) -> str:
    """Write the campaign, the wrapper and the baseline, a git worktree of the commit `ref`, into
    the new folder `target`; the commit in its short form. `library`: the folder in a git repository
    from which it is imported, or that of its ``src``. `InputError` if git does not know it.
    """
    if not library.is_dir():
        raise InputError(f"--for-optimizer: {library}: there is no such folder")
    source = library / "src" if (library / "src").is_dir() else library
    top = Path(_git(source, "rev-parse", "--show-toplevel"))
    commit = _git(source, "rev-parse", "--short", "--verify", f"{ref}^{{commit}}")
    inside = source.resolve().relative_to(top.resolve())
    kind = _git(source, "cat-file", "-t", f"{ref}:{inside.as_posix() if inside.parts else ''}")
    if kind != "tree":
        raise InputError(f"--for-optimizer: {source}: is not a folder in {ref}; commit it first")
    baseline = target / BASELINE
    if baseline.exists():
        raise InputError(f"{baseline}: exists already; name another folder")
    package = _package(source)
    text = CAMPAIGN.format(
        package=package,
        baseline=_in_yaml(Path(BASELINE) / inside),
        candidate=_in_yaml(Path(os.path.relpath(source.resolve(), target.resolve()))),
        ref=ref,
        commit=commit,
    )
    own = {
        scaffold.CAMPAIGN: text,
        "wrapper.py": WRAPPER.format(package=package),
        ".gitignore": NOT_COMMITTED,
    }
    scaffold.begin(target, own)
    _git(source, "worktree", "add", "--detach", str(baseline.resolve()), commit)
    return commit


def _package(source: Path) -> str:
    packages = sorted(path.parent.name for path in source.glob("*/__init__.py"))
    own = [name for name in packages if name not in ("tests", "test", "docs")]
    modules = [path.stem for path in sorted(source.glob("*.py")) if path.stem != "setup"]
    return next((name for name in (*own, *modules) if name.isidentifier()), "your_library")


def _in_yaml(path: Path) -> str:
    return json.dumps(path.as_posix(), ensure_ascii=False)


def _git(folder: Path, *words: str) -> str:
    if shutil.which("git") is None:
        raise InputError("--for-optimizer: git is not installed")
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise InputError(f"--for-optimizer: {folder}: git {words[0]}: {said[-1]}")
    return done.stdout.strip()
