"""A job for prepared processes, or such a process: ``job.py DRIVER REQUEST [NUMBERS]``.

With the numbers that `hand_over` appends it prepares, and serves.
"""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from timefair.basics.errors import Interrupted
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import interruptible
from timefair.measure import runner as prepared


def main() -> int:
    driver, request = map(json.loads, sys.argv[1:3])
    if len(sys.argv) > 3:
        return serve(driver, request, *map(int, sys.argv[3:]))
    command = [sys.executable, *sys.argv]
    prepared.CONTINUE_S = 0.1
    begun = Path(request.get("begun", "begun.txt"))
    status = prepared.hand_over(prepared.address(driver), request, command, os.environ, begun)
    return 99 if status is None else status


def serve(driver: int, request: dict, listener: int, starter: int) -> int:
    prepared.begin(starter)
    print("preparing", os.getpid(), flush=True)
    if Path(request.get("prepared", "/")).exists():
        time.sleep(request.get("preparation_s", 0))
    if request["do"] == "fail to prepare":
        print("cannot be prepared", flush=True)
        return 2
    kernel.adopt_orphans()
    prepared.serve(socket.socket(fileno=listener), driver, work)
    return 0


def work(number: int, request: dict) -> int:
    print("measuring", os.getpid(), os.getppid(), number, flush=True)
    if request.get("leave"):
        left = subprocess.Popen(["sleep", "60"], start_new_session=True)
        print("leaving", left.pid, flush=True)
    try:
        with interruptible():
            if request["do"] == "wait":
                time.sleep(60)
            if request["do"] == "be signalled":
                be_signalled(Path(request["begun"]), request["times"], request["number"])
    except Interrupted as stop:
        print(stop, flush=True)
        return 128 + stop.number
    return request.get("status", 0)


def be_signalled(begun: Path, times: int, number: int) -> None:
    """Note a run and get a signal, so many times in all."""
    noted = begun.read_text() if begun.exists() else ""
    if len(noted) < times:
        begun.write_text(noted + ".")
        os.kill(os.getpid(), number)


if __name__ == "__main__":
    raise SystemExit(main())
