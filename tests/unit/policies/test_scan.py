"""A module in a package of policies is all that a policy needs to be found."""

import sys
from pathlib import Path

import pytest

from timefair.policies.restarts import RESTARTS
from timefair.policies.restarts.base import RestartPolicy
from timefair.policies.scan import declared
from timefair.policies.stopping import STOPPING

POLICY = '''
from typing import Literal
from timefair.policies.restarts.base import RestartPolicy

class {kind}(RestartPolicy):
    """One launch."""

    policy: Literal["{name}"] = "{name}"
'''


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    """A function: write modules into a package of this test, by their names, and give its name."""
    name = f"found_{request.node.name.partition('[')[0]}"
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()

    def write(**modules: str) -> str:
        for module, text in modules.items():
            (tmp_path / name / f"{module}.py").write_text(text)
        return name

    yield write
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


def test_policies_are_in_the_order_of_their_modules(package):
    name = package(
        b=POLICY.format(kind="Second", name="first-by-name"),
        a=POLICY.format(kind="First", name="second-by-name"),
    )
    found = declared(name, RestartPolicy, "policy")
    assert {key: kind.__name__ for key, kind in found.items()} == {
        "second-by-name": "First",
        "first-by-name": "Second",
    }
    assert list(found) == ["second-by-name", "first-by-name"]


def test_two_policies_of_one_name_are_refused(package):
    name = package(
        a=POLICY.format(kind="One", name="same"), b=POLICY.format(kind="Other", name="same")
    )
    with pytest.raises(RuntimeError, match=rf"{name}\.a and {name}\.b declare two .* 'same'"):
        declared(name, RestartPolicy, "policy")


@pytest.mark.parametrize(("kinds", "room"), [(RESTARTS, "restarts"), (STOPPING, "stopping")])
def test_every_module_of_a_room_declares_one(kinds, room):
    folder = Path(sys.modules[f"timefair.policies.{room}"].__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    found = [kind.__module__.rpartition(".") for kind in kinds.values()]
    own = [module for package, _, module in found if package == f"timefair.policies.{room}"]
    assert sorted(own) == sorted(modules)
