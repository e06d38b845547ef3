"""The peers: other packages that our numbers are compared with."""

import socket

import pytest


@pytest.fixture(scope="session")
def cocopp():
    """cocopp with every run weighing the same. It asks the network when it is imported."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(2)
    try:
        module = pytest.importorskip("cocopp")
    finally:
        socket.setdefaulttimeout(before)
    balanced = module.genericsettings.balance_instances
    module.genericsettings.balance_instances = False
    yield module
    module.genericsettings.balance_instances = balanced
