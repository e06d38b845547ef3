"""Objects of a kind are found in the modules of a package, and nothing else is."""

import importlib
import subprocess
import sys
from types import ModuleType

import pytest

from timefair.basics.discovery import declared
from timefair.basics.hidden_modules import hidden_modules

KIND = """
class Animal:
    def __init__(self, name):
        self.name = name
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An empty package ``menagerie`` but for its module ``kind``."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "menagerie"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "kind.py").write_text(KIND)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "menagerie"]:
        del sys.modules[name]


def animals(**options: tuple[str, ...]) -> dict[str, object]:
    importlib.invalidate_caches()
    menagerie: ModuleType = importlib.import_module("menagerie")
    return declared(menagerie, importlib.import_module("menagerie.kind").Animal, **options)


def test_objects_are_found_once_and_sorted_by_name(package):
    (package / "a.py").write_text(
        "from menagerie.kind import Animal\nTIGER = Animal('tiger')\nSAME = TIGER\nAnimal\n"
    )
    (package / "b.py").write_text(
        "from menagerie.a import TIGER\nfrom menagerie.kind import Animal\n"
        "class Bird(Animal): pass\nOWL = Bird('owl')\nNUMBER = 3\n"
    )
    found = animals()
    assert list(found) == ["owl", "tiger"]
    assert found["tiger"] is importlib.import_module("menagerie.a").TIGER


def test_two_objects_of_one_name_are_refused(package):
    for module in ("a", "b"):
        (package / f"{module}.py").write_text(
            "from menagerie.kind import Animal\nOWL = Animal('owl')\n"
        )
    with pytest.raises(RuntimeError, match=r"^menagerie.a and menagerie.b declare .*'owl'$"):
        animals()


@pytest.mark.slow
def test_the_registries_import_no_library():
    code = (
        "import sys\n"
        "from timefair.algorithms.registry import LIBRARIES\n"
        "from timefair.problems.registry import SUITES\n"
        "entries = [*SUITES.values(), *LIBRARIES.values()]\n"
        "names = {d.lower().replace('-', '_') for e in entries for d in e.distributions}\n"
        "modules = {getattr(e, 'module', '') for e in entries} | {'cocoex', 'ioh', 'sklearn'}\n"
        "loaded = (names | modules | {'pandas', 'matplotlib'}) - {'numpy', 'timefair'}\n"
        "sys.exit(' '.join(loaded & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_hidden_module_is_missing_only_inside_the_block(tmp_path, monkeypatch):
    (tmp_path / "plots.py").write_text("answer = 42\n")
    (tmp_path / "user.py").write_text(
        "try:\n    import plots\nexcept ImportError:\n    plots = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("plots", "user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with hidden_modules("plots", "another"):
        assert importlib.import_module("user").plots is None
        with pytest.raises(ModuleNotFoundError, match="plots is hidden"):
            importlib.import_module("plots")
    assert importlib.import_module("plots").answer == 42
    with hidden_modules("plots"):
        assert importlib.import_module("plots").answer == 42  # it is loaded
