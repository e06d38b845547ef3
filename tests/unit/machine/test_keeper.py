"""The keeper of a namespace ends with it."""

import os

from timefair.machine.linux import kernel


def test_a_keeper_ends_although_an_interruption_left_a_process_to_reap():
    """Once, both waited for each other, and a job that was to end did not."""

    def live():
        with kernel.kept_keeper(network=False):
            if os.fork() == 0:
                os._exit(0)

    pid = kernel.forked(live)
    kernel.wait_or_kill(pid, 60.0)
    assert os.waitpid(pid, 0)[1] == 0
