"""External algorithms: what is said, what may be said, and what a command may do to us."""

import math
import os
import re
import select
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from objectives import Cut, Plain, bowl

from timefair.algorithms import libraries
from timefair.algorithms.external import protocol
from timefair.algorithms.external.protocol import ExternalError
from timefair.algorithms.external.spawn import spawn

HEAR = 'while read -r line && [ "$line" != begin ]; do :; done\n'
"""The beginning of a shell script that leaves the header aside."""


class Sum(Plain):
    progress = 0.25

    def __init__(self, most: float = math.inf, left: int | None = None) -> None:
        super().__init__(bowl, 2, most, lower=-5.0, upper=5.0, left=left)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where launches make their folders; nothing may be left in it."""
    place = tmp_path / "launches"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def script(tmp_path):
    def write(text: str, interpreter: str = "/bin/sh") -> str:
        path = tmp_path / "solver"
        path.write_text(f"#!{interpreter}\n{text}")
        path.chmod(0o755)
        return str(path)

    return write


def launch(command: str, objective: Sum | None = None, **parameters: object) -> Sum:
    objective = objective or Sum()
    libraries.load(f"external:{command}", parameters).solve(objective, np.random.default_rng(1))
    return objective


def ends(pid: int, within_s: float = 30) -> bool:
    """Whether a process has ended, or does so in time; it may be a zombie."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    ended = bool(poll.poll(within_s * 1000))
    os.close(pidfd)
    return ended


def test_the_header_says_all_that_applies():
    objective = Sum(left=300)
    objective.integer = np.array([False, True])
    parameters = {"step": 0.1, "n": 3, "on": True, "no": None, "text": "a b", "list": [1, "x", 2.5]}
    assert protocol.header(objective, 2**53 - 1, parameters).decode().splitlines() == [
        "timefair 1",
        "dimension 2",
        "lower -5.0 -5.0",
        "upper 5.0 5.0",
        "integer 0 1",
        "seed 9007199254740991",
        "evaluations 300",
        "parameter step 0.1",
        "parameter n 3",
        "parameter on true",
        "parameter no none",
        "parameter text a b",
        "parameter list 1 x 2.5",
        "begin",
    ]


def test_the_seed_comes_from_the_launch_and_progress_is_told(script, tmp_path):
    command = script(f"sed -n 's/^seed //p; /^begin/q' >> {tmp_path}/s")
    launch(command)
    launch(command)
    libraries.load(f"external:{command}", {}).solve(Sum(), np.random.default_rng(2))
    first, again, other = map(int, (tmp_path / "s").read_text().split())
    assert first == again != other
    assert 0 <= min(first, other) <= max(first, other) < 2**53
    launch(script(f"{HEAR}echo progress; read -r used; echo $used > {tmp_path}/used"))
    assert (tmp_path / "used").read_text() == "0.25\n"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("", "'external:' needs a command: external:./solver --flag"),
        ("./a 'b", '"./a \'b" cannot be split into words: No closing quotation'),
        ("./nowhere -x", "there is no file './nowhere'"),
        ("./plain", "'./plain' is not executable: chmod +x ./plain"),
        ("no-such-command 1", "there is no command 'no-such-command' on the PATH"),
        ("plain", "there is no command 'plain' on the PATH; this folder's is ./plain"),
    ],
)
def test_a_command_that_cannot_be_started_gets_one_line(command, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plain").touch()
    assert libraries.faults(f"external:{command}", {}) == [line]


@pytest.mark.parametrize("value", ["a\nb", {"a": 1}, [[1]], ["a b"], [""], "a\0", 1j])
def test_a_parameter_that_fits_no_line_gets_one(value):
    (line,) = libraries.faults("external:sh", {"p": value})
    assert line.startswith("'p' of an external algorithm is a number, a text of one line, ")
    assert line.endswith(f"not {value!r}")


def test_files_are_found_from_any_folder_and_are_part_of_the_code(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script('cat "$1" > "$2"')
    Path("settings").write_text("hello")
    use = f"external:./solver settings {tmp_path}/out"
    libraries.load(use, {}).solve(Sum(), np.random.default_rng(1))
    assert Path("out").read_text() == "hello"
    files = libraries.source_files(use)
    assert {tmp_path / "solver", tmp_path / "settings"} <= set(files)
    assert {"protocol.py", "spawn.pyx"} <= {p.name for p in files}


def test_points_and_batches_are_answered_in_order(script):
    text = f"""{HEAR}echo 1 2; read -r a
    printf 'batch 3\\n0 0\\n1 1\\n2 2\\n'; read -r b; read -r c; read -r d
    printf 'batch 0\\n3 3\\n'; read -r e
    [ "$a $b $c $d $e" = "5.0 0.0 2.0 8.0 18.0" ]"""
    objective = launch(script(text))
    assert np.array_equal(objective.points, [[1, 2], [0, 0], [1, 1], [2, 2], [3, 3]])
    assert objective.batches == [3, 0]


@pytest.mark.slow
def test_a_command_may_write_ahead_of_the_answers(script):
    count = 30_000  # more than all pipes hold, both ways
    text = f"""
import sys
while input() != "begin":
    pass
for k in range({count}):
    print(k, 0)
sys.stdout.flush()
assert all(float(next(sys.stdin)) == k * k for k in range({count}))
"""
    assert len(launch(script(text, sys.executable)).points) == count


@pytest.mark.parametrize("ending", ["echo stop; exec sleep 1000", "echo stop; exit 3", "exit 0"])
def test_stop_or_the_end_of_its_output_ends_a_launch(script, ending):
    assert launch(script(f"{HEAR}echo 1 2; {ending}")).points[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo 1 2 3", "'1 2 3' has 3 numbers; a point has 2 here"),
        ("echo 1 two", "'1 two' is not a point of 2 numbers"),
        ("echo batch -1", "'batch -1' is not a batch: write batch and a number"),
        ("echo batch 2; echo 1 2; echo stop", "'stop' is not a point of 2 numbers"),
        ("echo batch 2; echo 1 2", "its output ended after 1 of a batch's 2 points"),
        ("printf '1 2'", "its output ended within a line: '1 2'"),
        ("printf '\\377 1\\n'", r"'\\xff 1' is not a point of 2 numbers"),
        ("echo batch 2; exit 3", "ended with exit code 3"),
        ("kill -SEGV $$", "ended by SIGSEGV"),
        ("echo no licence >&2; exit 1", "ended with exit code 1; standard error: no licence"),
        (
            "for k in 1 2 3 4 5 6 7; do echo line $k >&2; echo >&2; done; echo oh; exec sleep 1000",
            "'oh' is not a point of 2 numbers; standard error: "
            "line 3 / line 4 / line 5 / line 6 / line 7",
        ),
    ],
)
def test_what_goes_wrong_is_told_with_the_end_of_standard_error(script, text, message):
    with pytest.raises(ExternalError, match=f"^{re.escape(message)}$"):
        launch(script(HEAR + text))


def test_a_command_gets_a_folder_and_a_small_environment(script, tmp_path, folder, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    os.dup2(0, 500)  # inheritable
    text = "env > $1; pwd >> $1; touch left; ls /proc/$$/fd | grep -c 500 >> $1; ulimit -c >> $1"
    launch(f"{script(text)} {tmp_path}/out")
    *lines, here, descriptors, core = (tmp_path / "out").read_text().splitlines()
    environment = dict(line.split("=", 1) for line in lines)
    for name in ("PWD", "OLDPWD", "SHLVL", "_"):  # the shell's own
        environment.pop(name, None)
    threads = {k: v for k, v in os.environ.items() if k.endswith(protocol.THREAD_ENDINGS)}
    assert threads["OMP_NUM_THREADS"] == "1"
    assert environment == {
        "PATH": os.environ["PATH"],
        "HOME": here,
        "TMPDIR": here,
        "LANG": "C.UTF-8",
        "PYTHONPATH": protocol.CLIENT,
        "PYTHONHASHSEED": "0",
        **threads,
    }
    assert Path(here).parent == folder
    assert not Path(here).exists()
    assert descriptors == "0"
    assert core == "0"
    os.close(500)


def test_a_cut_ends_the_command_whatever_it_ignores(script, tmp_path, folder):
    text = f"trap '' TERM INT HUP PIPE; echo $$ > {tmp_path}/pid; while :; do echo 1 2; done"
    with pytest.raises(Cut):
        launch(script(text), Sum(most=5))
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()
    assert list(folder.iterdir()) == []


def test_a_command_dies_with_the_process_that_started_it():
    read, write = os.pipe()
    hold, go = os.pipe()
    starter = os.fork()
    if starter == 0:
        pid = spawn(["/bin/sleep", "1000"], {}, "/", 0, 1, 2)
        os.write(write, str(pid).encode())
        os.read(hold, 1)
        os._exit(0)
    pid = int(os.read(read, 20))
    assert not ends(pid, within_s=0)
    os.write(go, b"x")
    os.waitpid(starter, 0)
    assert ends(pid)
    for descriptor in (read, write, hold, go):
        os.close(descriptor)
