"""Tolerated defects in COCO's archives, and the cautions that report them."""

import re

import pytest

from timefair.basics.errors import InputError
from timefair.io.importing import WantedProblems

INFO, DAT, TDAT = "A/x.info", "A/data_f5/x_f5_DIM2.dat", "A/data_f5/x_f5_DIM2.tdat"
ABORTED = f"{DAT}: aborted trials, without an end in the .info file, end at their last line"


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


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("data_f5/", "data_f5\\"),
        lambda text: text.replace("data_f5/", ".\\DATA_f5\\").replace(".dat", ".DAT"),
        lambda text: re.sub(r"(?<=\d)e(?=[+-]\d)", "D", text),
        lambda text: re.sub(r"(?<=\d)e(?=[+-]\d)", "E", text),
        lambda text: re.sub(r"e([+-])(\d\d)\b", r"e\g<1>0\2", text),
        lambda text: re.sub(r"(?m)^(% f.*)$", r"% a remark\n\1\n%\n% another", text),
        lambda text: re.sub(r"(?m)(?: [+-]1.0e\+00){2}$", "", text),
        lambda text: text.replace("Fopt (", "fopt  ( "),
        lambda text: text.replace(" ", "\t") if "funcId" not in text else text,
        lambda text: text + "\n\n",
        lambda text: text.rstrip("\n") if "funcId" in text else text,
        lambda text: text.replace("algId = 'walk'", "algId = \"walk\", note.of-us = 'a, b = c'"),
        lambda text: re.sub(r"(?m)^(\d+) ", lambda at: f"{float(at[1]):.4e} ", text),
    ],
)
def test_notation_does_not_matter(change, archive, read):
    clean, _ = read(archive)
    archive.everywhere(change)
    assert read(archive) == (clean, [])


def test_files_in_upper_case(archive, read):
    clean, _ = read(archive)
    assert read({f"B/{name.upper()}": text for name, text in archive.items()})[0][:3] == clean


def test_a_missing_line_end_between_entries(archive, read):
    """As some loggers of 2015 wrote them."""
    other = archive[INFO].replace("DIM = 2", "DIM = 3").replace("_DIM2", "_DIM3")
    for name in (DAT, TDAT):
        archive[name.replace("_DIM2", "_DIM3")] = archive[name]
    archive[INFO] = archive[INFO].rstrip() + other
    rows, cautions = read(archive)
    assert [row["dimension"] for row in rows] == [2, 2, 2, 3, 3, 3]
    assert cautions == []


def test_unlisted_trials_are_skipped(archive, read):
    """An aborted experiment leaves one, usually the last."""
    clean, _ = read(archive)
    for place in (0, 1, 3):
        changed = dict(archive)
        for name in (DAT, TDAT):
            trials = re.findall(r"%[^%]*", archive[name])
            trials.insert(place, trials[0].replace(f"\n{20} ", "\n19 ").replace("2.5", "2.6"))
            changed[name] = "".join(trials)
        rows, cautions = read(changed)
        assert rows == clean
        assert cautions == [f"{DAT}: 4 trials, but the .info file lists 3; the others are skipped"]


def test_missing_trials_must_be_identifiable(archive, read):
    clean, _ = read(archive)
    for name in (DAT, TDAT):
        archive[name] = archive[name].replace(trial(archive[name], 1), "")
    rows, cautions = read(archive)
    assert rows == [clean[0], clean[2]]
    assert cautions == [f"{DAT}: 2 trials, but the .info file lists 3; missing instances: 2"]
    archive[INFO] = re.sub(r":20\|[^,\n]+", "", archive[INFO])
    with pytest.raises(InputError, match=r"2 trials, but the \.info file lists 3; cannot"):
        read(archive)


def test_trials_without_an_evaluation(archive, read):
    clean, _ = read(archive)
    archive.edit(INFO, ", 2:20", ", 9:0|inf, 2:20")
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT}: 3 trials, but the .info file lists 4; missing instances: 9"]


def test_aborted_trials(archive, read):
    clean, _ = read(archive)
    archive[INFO] = re.sub(r"3:20\|\S+", "3", archive[INFO])
    assert read(archive) == (clean, [ABORTED])


def test_comments_inside_a_trial(archive, read):
    clean, _ = read(archive)
    for name in (DAT, TDAT):
        archive.edit(name, "\n4 ", "\n% restart\n4 ", 1)
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT} and 1 more: comments inside trials are ignored"]


def test_trials_without_a_comment_before_them(archive, read):
    clean, _ = read(archive)
    for name in (DAT, TDAT):
        second = trial(archive[name], 1)
        archive.edit(name, second, second.partition("\n")[2])
    rows, cautions = read(archive)
    for row, ours in zip(rows, clean, strict=True):
        assert events(row) == events(ours)
        assert row["evaluations"] == ours["evaluations"]
        assert row["f_opt"] == pytest.approx(ours["f_opt"])
    assert cautions == [
        f"{DAT} and 1 more: no comment before some trials; "
        "a trial begins where evaluations decrease"
    ]


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


def test_ends_that_differ(archive, read):
    archive.edit(INFO, "2:20", "2:21")
    rows, cautions = read(archive)
    assert rows[1]["evaluations"] == 20
    assert cautions == [
        f"{DAT}: ends or final precisions differ from the .info file; the data files are used"
    ]


def test_final_precisions_that_differ(archive, read):
    archive.edit(INFO, "2:20|5.0e-01", "2:20|5.0e-02")
    assert len(read(archive)[1]) == 1


def test_an_entry_listed_twice(archive, read):
    clean, _ = read(archive)
    twice = archive | {"A/again.info": archive[INFO]}
    assert read(twice) == (clean, [f"{DAT}: listed twice; read once"])


def test_a_folder_copied(archive, read):
    clean, _ = read(archive)
    twice = archive | {name.replace("A/", "B/", 1): text for name, text in archive.items()}
    assert read(twice) == (
        clean, ["runs that are also in another file are read once (runs: 3)"],
    )  # fmt: skip


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


def test_multiobjective_instances_out_of_order(multiobjective, read):
    """As in repeated experiments: https://github.com/numbbo/coco/issues/1108."""
    clean, _ = read(multiobjective)
    multiobjective.edit(INFO, "1:20|2.5e-01, 2:20", "2:20|2.5e-01, 1:20")
    rows, cautions = read(multiobjective)
    assert rows == clean
    assert cautions[-1] == (
        "A/1-1/x_hyp.dat: instances differ from the .info file; the data files are used"
    )


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


def test_data_files_that_no_index_lists_are_named(archive, read):
    clean, cautions = read(archive)
    dat = next(name for name in archive if name.endswith(".dat"))
    others = ["A/data_f6/x.dat", "A/data_f6/x.tdat", "A/data_f7/x.TDAT", "A/data_f8/x.parquet"]
    archive.update(dict.fromkeys(others, archive[dat]))
    archive.update({"A/inner.tar.gz": "", "A/.hidden.dat": "", "A/readme.txt": "", "A/x.json": ""})
    archive["A/x.json"] = "{}"
    (line,) = [line for line in read(archive)[1] if "listed" in line]
    assert line == f"{others[0]} and 4 more: listed in no index file; left out"
    assert read(archive)[0] == clean
    assert not any("listed" in line for line in cautions)


def test_several_names_of_the_algorithm(archive, read):
    clean, _ = read(archive)
    other = {
        name.replace("x", "y"): text.replace("x_f5", "y_f5").replace("DIM = 2", "DIM = 3")
        for name, text in archive.items()
    }
    other["A/y.info"] = other["A/y.info"].replace("'walk'", "'walk-3D'")
    rows, cautions = read(archive | other, label="ours")
    assert [row["dimension"] for row in rows] == [2, 2, 2, 3, 3, 3]
    assert cautions == ["2 names of the algorithm (walk, walk-3D); read as one algorithm"]
    assert len(read(archive | other, algorithm="walk")[0]) == len(clean)
    with pytest.raises(InputError, match="no data of the algorithm 'run'; available: walk"):
        read(archive | other, algorithm="run")


def test_data_without_a_name(archive, read):
    archive[INFO] = archive[INFO].replace(", algId = 'walk'", "")
    rows, cautions = read(archive)
    assert {row["algorithm"] for row in rows} == {"A"}
    assert cautions == [f"{INFO}: no name of the algorithm; 'A' is used, from its folder"]


def test_values_that_are_not_numbers(archive, read):
    archive.edit(DAT, "+2.000000000e+00", "NaN")
    archive.edit(DAT, "+3.000000000e+01", "1.#INF", 1)
    archive.edit(TDAT, "\n4 ", "\n3 ")
    archive.edit(TDAT, "+2.000000000e+00", "-1.#IND")
    rows, _ = read(archive)
    assert events(rows[0]) == [(1, 7.5), (9, 0.25)]


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


def test_a_tdat_file_that_contradicts_the_dat_file(read):
    """As in a published archive, where only the .dat file agrees with cocopp."""
    header = "% function evaluation | noise-free fitness - Fopt (79.48) | best\n"
    trials = {  # instance: .dat, .tdat
        1: ("1 108 108\n97 .048 .048\n", "1 5.475 5.475\n50 4 4\n97 .048 .048\n200 .048 .048\n"),
        2: ("1 7.5 7.5\n9 .25 .25\n", "1 7.5 7.5\n5 6.4 6.4\n9 .25 .25\n200 .25 .25\n"),
        3: ("1 108 108\n97 .048 .048\n", "1 107 107\n97 .048 .048\n200 .048 .048\n"),
    }
    rows, cautions = read(
        {
            "A/x.info": "funcId = 1, DIM = 2, Precision = 1e-8, algId = 'A'\n%\n"
            "x.dat, 1:200|4.8e-2, 2:200|2.5e-1, 3:200|4.8e-2\n",
            "A/x.dat": "".join(header + dat for dat, _ in trials.values()),
            "A/x.tdat": "".join(header + tdat for _, tdat in trials.values()),
        }
    )
    assert events(rows[0]) == [(1, 108.0), (97, 0.048)]
    assert events(rows[1]) == [(1, 7.5), (5, pytest.approx(6.4)), (9, 0.25)]
    assert events(rows[2]) == [(1, 108.0), (97, 0.048)]
    assert {row["evaluations"] for row in rows} == {200}
    assert cautions == [
        "A/x.dat: lines of the .tdat file are better than the .dat file allows; dropped "
        "(lines: 3, trials: 2)"
    ]


def test_rounding_does_not_contradict(archive, read):
    """1.5848931924611 is a target; a value that is larger and rounds below has not reached it."""
    archive.edit(DAT, "+5.000000000e-01", "+1.584893193e+00")
    archive.edit(TDAT, "+5.000000000e-01", "+1.584893192e+00")
    archive.edit(INFO, "5.0e-01", "1.6e+00")
    (_, second, _), cautions = read(archive)
    assert cautions == []
    assert events(second) == [(1, 30.0), (13, 1.584893193)]


def test_a_best_precision_that_increases(archive, read):
    archive.edit(DAT, "+7.500000000e+00", "+1.500000000e+00")
    rows, cautions = read(archive)
    assert events(rows[0]) == [(1, 2.0), (9, 0.25)]
    assert cautions == [
        f"{DAT}: the best precision increases within a trial; the later, larger value is used"
    ]


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


def test_truncated_data_files(archive, read):
    archive[DAT] = archive[DAT][:-3]
    assert read(archive)[1] == [
        f"{DAT}: no line end after the last line; the file may be truncated"
    ]
    archive[DAT] = archive[DAT][:-12]
    with pytest.raises(InputError, match=r"x_f5_DIM2\.dat:10: '7 .*' is not a line of COCO data"):
        read(archive)


def test_the_best_of_many_algorithms_is_refused(archive, read):
    archive.edit(INFO, "\n%", "\n% Combination of a.tgz, b.tgz", 1)
    with pytest.raises(InputError, match="best results of many algorithms, not runs of one"):
        read(archive)


def test_a_data_file_of_two_functions_is_refused(archive, read):
    archive[INFO] += archive[INFO].replace("funcId = 5", "funcId = 6")
    with pytest.raises(InputError) as caught:
        read(archive)
    assert caught.value.faults[0].endswith(
        f"{DAT}: listed with two values of funcId (5 and 6); expected one"
    )


def test_the_wanted_one_of_several_suites(archive, read):
    clean, _ = read(archive)
    noisy = {
        name.replace("x", "y"): text.replace("x_f5", "y_f5")
        .replace("funcId = 5", "funcId = 105")
        .replace("suite = 'bbob'", "suite = 'bbob-noisy'")
        for name, text in archive.items()
    }
    with pytest.raises(InputError, match=r"data of 2 suites \(bbob, bbob-noisy\); give a folder"):
        read(archive | noisy)
    wanted = WantedProblems("bbob", [5, 105], [2], [1, 2, 3])
    assert read(archive | noisy, wanted=wanted) == (clean, [])


def test_a_multiobjective_trial_without_its_comment(multiobjective, read):
    clean, _ = read(multiobjective)
    for name in ("A/1-1/x_hyp.dat", "A/1-1/x_hyp.tdat"):
        start, second, third = (
            "".join(lines) for lines in re.findall(r"((?:%[^\n]*\n)+)([^%]*)", multiobjective[name])
        )
        multiobjective[name] = start + re.sub("(?m)^%.*\n", "", second) + third
    rows, cautions = read(multiobjective)
    assert rows == clean
    assert len(cautions) == 2
