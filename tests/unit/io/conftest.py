"""Published data as their loggers write them, and a function that imports them."""

import shutil

import pytest

from timefair.io.importing import import_data
from timefair.records.store import read_runs


class Archive(dict):
    """Names and texts of files, which one edits before they are read."""

    def edit(self, name, before, after, times=-1):
        assert before in self[name], f"{before!r} is not in {name}"
        self[name] = self[name].replace(before, after, times)

    def everywhere(self, change):
        for name in self:
            self[name] = change(self[name])


@pytest.fixture
def read(tmp_path):
    """A function: the rows of a record of some files, and the cautions."""

    def made(files, format="coco", **options):
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        for name, text in files.items():
            (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "data" / name).write_text(text, newline="")
        found = import_data(tmp_path / "data", format, tmp_path / "out.parquet", **options)
        return read_runs([tmp_path / "out.parquet"]).to_pylist(), found.cautions

    return made


TRIALS = {1: [(1, 7.5), (4, 2.0), (9, 0.25)], 2: [(1, 30.0), (13, 0.5)], 3: [(1, 8.0), (7, 3e-9)]}
"""Evaluations and precisions of improvements, per instance; all trials end at evaluation 20."""
END = 20
F_OPT = {1: 79.48, 2: -20.5, 3: 6.0}


def _lines(instance, steps, form):
    for at, precision in steps:
        yield form.format(at=at, q=precision, f=F_OPT[instance] + precision)


def _coco(info, header, form, name):
    last = {i: steps[-1][1] for i, steps in TRIALS.items()}
    said = ", ".join(f"{i}:{END}|{last[i]:.1e}" for i in TRIALS)
    files = Archive({"A/x.info": info.format(trials=said)})
    for ending in ("dat", "tdat"):
        text = ""
        for i, steps in TRIALS.items():
            more = [(END, last[i])] if ending == "tdat" else []
            text += header.format(i=i, f_opt=F_OPT[i])
            text += "".join(_lines(i, steps + more, form))
        files[f"A/{name}.{ending}"] = text
    return files


@pytest.fixture
def first():
    """Three trials as COCO's loggers of 2009 to 2015 wrote them."""
    return _coco(
        "funcId = 5, DIM = 2, Precision = 1.000e-008, algId = 'walk'\n% a comment\n"
        "data_f5\\x_f5_DIM2.dat, {trials}\n",
        "% function evaluation | noise-free fitness - Fopt ({f_opt:.12e}) | best | f | best f\n",
        "{at} {q:+.9e} {q:+.9e} {f:+.9e} {f:+.9e} +1.0e+00 -1.0e+00\n",
        "data_f5/x_f5_DIM2",
    )


@pytest.fixture
def latest():
    """The same three trials as COCO's loggers write them since 2022."""
    return _coco(
        "suite = 'bbob', funcId = 5, DIM = 2, Precision = 1.000e-08, algId = 'walk', "
        "coco_version = '2.8.2', logger = 'bbob', data_format = 'bbob-new2', settings = ''\n% \n"
        "data_f5/x_f5_DIM2.dat, {trials}\n",
        "% f evaluations | g evaluations | best noise-free fitness - Fopt ({f_opt:.12e}) + sum\n",
        "{at} 0 {q:+.9e} {f:+.9e} {f:+.9e} +1.0e+00 -1.0e+00\n",
        "data_f5/x_f5_DIM2",
    )


@pytest.fixture
def constrained(latest):
    """The same three, with three evaluations of constraints before each of f."""
    files = Archive(latest)
    files.edit("A/x.info", "suite = 'bbob'", "suite = 'bbob-constrained'")
    for name in ("A/data_f5/x_f5_DIM2.dat", "A/data_f5/x_f5_DIM2.tdat"):
        lines = [line.split(" ", 2) for line in files[name].splitlines()]
        files[name] = "".join(
            f"{n} {g if n == '%' else 3 * int(n)} {rest}\n" for n, g, rest in lines
        )
    return files


@pytest.fixture
def multiobjective():
    """The same three trials as multi-objective data."""
    return _coco(
        "suite = 'bbob-biobj', algorithm = 'walk', indicator = 'hyp', folder = '1-1', "
        "coco_version = '2.8.2', settings = '' \n% \n"
        "function =  5, dim =  2, x_hyp.dat, {trials}\n",
        "%\n% index = 0, name = x\n% instance = {i}, reference value = 9.0e-01\n"
        "% function evaluation | indicator value | target hit\n",
        "{at}\t{q:.15e}\t1.0e+00\n",
        "1-1/x_hyp",
    )
