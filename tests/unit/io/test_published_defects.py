"""Tolerated defects in COCO's archives, and the cautions that report them."""

import re

import pytest
from campaigns import refused

from timefair.basics.errors import InputError

INFO, DAT, TDAT = "A/x.info", "A/data_f5/x_f5_DIM2.dat", "A/data_f5/x_f5_DIM2.tdat"


def events(row):
    return [(event["evaluations"], event["precision"]) for event in row["events"]]


def trial(text, number):
    """The lines of a trial in a data file."""
    return re.findall(r"%[^%]*", text)[number]


@pytest.fixture(params=["first", "latest"])
def archive(request):
    return request.getfixturevalue(request.param)


def test_all_generations_give_the_same_runs(first, latest, multiobjective, constrained, read):
    rows, cautions = read(first)
    assert cautions == []
    assert [(row["instance"], row["evaluations"]) for row in rows] == [(1, 20), (2, 20), (3, 20)]
    assert [row["f_opt"] for row in rows] == [79.48, -20.5, 6.0]
    assert events(rows[1]) == [(1, 30.0), (13, 0.5)]
    assert read(latest)[0] == rows
    with_constraints, cautions = read(constrained)
    assert cautions == ["bbob-constrained: evaluations of f and of the constraints are summed"]
    assert events(with_constraints[1]) == [(4, 30.0), (52, 0.5)]
    assert with_constraints[1]["evaluations"] == 80
    (_, second, _), (caution,) = read(multiobjective)
    assert caution.startswith("bbob-biobj: precisions are distances of the hypervolume indicator")
    assert (events(second), second["evaluations"]) == ([(1, 30.0), (13, 0.5)], 20)
    assert (second["instance"], second["f_opt"], second["algorithm"]) == (2, 0.0, "walk")


def test_a_multiobjective_precision_below_0_stays_negative(multiobjective, read):
    for name, text in multiobjective.items():
        below = text.replace("3.000000000000000e-09", "-2.5e-05").replace("3.0e-09", "-2.5e-05")
        assert below != text
        multiobjective[name] = below
    rows, _ = read(multiobjective)
    assert events(rows[-1])[-1] == (7, -2.5e-05)
    assert [row["best_precision"] >= 0 for row in rows] == [True, True, False]


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("data_f5/", ".\\DATA_f5\\").replace(".dat", ".DAT"),
        lambda text: re.sub(r"(?<=\d)e(?=[+-]\d)", "D", text),
        lambda text: re.sub(r"e([+-])(\d\d)\b", r"e\g<1>0\2", text),
        lambda text: re.sub(r"(?m)^(% f.*)$", r"% a remark\n\1\n%\n% another", text),
        lambda text: text.replace(" ", "\t") if "funcId" not in text else text,
        lambda text: text.rstrip("\n") if "funcId" in text else text,
        lambda text: text.replace("algId = 'walk'", "algId = \"walk\", note.of-us = 'a, b = c'"),
        lambda text: re.sub(r"(?m)^(\d+) ", lambda at: f"{float(at[1]):.4e} ", text),
    ],
)
def test_notation_does_not_matter(change, archive, read):
    clean, _ = read(archive)
    archive.everywhere(change)
    assert read(archive) == (clean, [])


def test_missing_trials_are_refused(archive, read):
    archive[DAT] = archive[DAT].replace(trial(archive[DAT], 1), "")
    with pytest.raises(InputError, match=r"2 trials, but the \.info file lists 3; give the"):
        read(archive)


def test_of_more_trials_those_that_are_listed_are_read(archive, read):
    clean, _ = read(archive)
    for name in (DAT, TDAT):
        first = trial(archive[name], 0)
        archive[name] = first.replace("\n20 ", "\n31 ").replace("\n9 ", "\n31 ") + archive[name]
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT}: 4 trials, but the .info file lists 3; the others are skipped"]


def test_without_tdat_the_end_is_that_of_the_info_file(archive, read):
    clean, _ = read(archive)
    del archive[TDAT]
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT}: no .tdat file; trials end where the .info file has their end"]


@pytest.mark.parametrize("lost", [0, 2])
def test_a_tdat_file_of_fewer_trials(lost, archive, read):
    clean, _ = read(archive)
    archive[TDAT] = archive[TDAT].replace(trial(archive[TDAT], lost), "")
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [
        f"{TDAT}: 2 trials, of which the first {lost} match the .dat file; the others end "
        "where the .info file has their end"
    ]


def test_an_entry_listed_twice(archive, read):
    clean, _ = read(archive)
    twice = archive | {"A/again.info": archive[INFO]}
    assert read(twice) == (clean, [f"{DAT}: listed twice; read once"])


def test_other_trials_in_another_folder_are_repetitions(archive, read):
    more = {name.replace("A/", "B/", 1): text for name, text in archive.items()}
    more = {name: text.replace("\n4 ", "\n5 ") for name, text in more.items()}
    rows, _ = read(archive | more)
    assert [(row["instance"], row["run"]) for row in rows] == [
        (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1),
    ]  # fmt: skip


def test_one_data_file_in_several_entries(archive, read):
    clean, _ = read(archive)
    header = archive[INFO].rpartition("data_f5")[0]
    start, first, *others = archive[INFO][len(header) :].rstrip().split(", ")
    archive[INFO] = f"{header}{start}, {first}\n{header}{', '.join([start, *others])}\n"
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [
        f"{DAT}: listed in several entries; its trials are read in the order of the entries"
    ]


def test_missing_data_files_and_incomplete_entries(archive, read):
    clean, _ = read(archive)
    header = archive[INFO].partition("data_f5")[0].replace("DIM = 2", "DIM = 3")
    archive[INFO] += f"{header}data_f5/none.dat, 1:20|1.0e+00\n{header}data_f5/none.dat\n{header}"
    archive["A/empty.info"] = ""
    assert read(archive) == (
        clean,
        [
            "A/empty.info: no entry of published data; skipped",
            f"{INFO}: data file 'data_f5/none.dat' does not exist; its trials are skipped",
            f"{INFO}: data file 'data_f5/none.dat' without trials is skipped",
            f"{INFO}: an entry without trials is skipped",
        ],
    )


def test_precisions_below_0(archive, read):
    for name in (DAT, TDAT):
        archive.edit(name, "+3.000000000e-09", "-1.000000000e-12")
    rows, cautions = read(archive)
    assert (events(rows[2])[-1], cautions) == ((7, 0.0), [])
    archive.edit(DAT, "-1.000000000e-12", "-1.000000000e-02")
    rows, cautions = read(archive)
    assert f"{DAT}: precisions are far below 0; check the optimum in the data" in cautions
    assert events(rows[2])[-1] == (7, -0.01)
    assert rows[2]["best_precision"] == -0.01


def test_only_the_end_of_a_tdat_file_is_read(read):
    """In a published archive, its lines contradict the .dat file, which agrees with cocopp."""
    header = "% function evaluation | noise-free fitness - Fopt (79.48) | best\n"
    rows, cautions = read(
        {
            "A/x.info": "funcId = 1, DIM = 2, Precision = 1e-8, algId = 'A'\n%\n"
            "x.dat, 1:200|4.8e-2\n",
            "A/x.dat": header + "1 108 108\n97 .048 .048\n",
            "A/x.tdat": header + "1 5.475 5.475\n50 4 4\n97 .048 .048\n200 .048 .048\n",
        }
    )
    assert events(rows[0]) == [(1, 108.0), (97, 0.048)]
    assert rows[0]["evaluations"] == 200
    assert cautions == []


def test_lines_out_of_order(archive, read):
    clean, _ = read(archive)
    lines = archive[DAT].splitlines(keepends=True)
    lines[2:4] = lines[3:1:-1]
    archive[DAT] = "".join(lines)
    assert read(archive) == (
        clean,
        [
            f"{DAT}: evaluations decrease within a trial; its lines are sorted",
            f"{DAT}: the best precision increases within a trial; the later, larger value is used",
        ],
    )


def test_the_best_of_many_algorithms_is_refused(archive, read):
    archive.edit(INFO, "\n%", "\n% Combination of a.tgz, b.tgz", 1)
    with pytest.raises(InputError, match="best results of many algorithms, not runs of one"):
        read(archive)


def test_a_data_file_of_two_functions_is_refused(archive, read):
    archive[INFO] += archive[INFO].replace("funcId = 5", "funcId = 6")
    assert refused(read, archive)[0].endswith(
        f"{DAT}: listed with two values of funcId (5 and 6); expected one"
    )
