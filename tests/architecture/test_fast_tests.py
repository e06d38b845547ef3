"""The fast tests cover every room of the package."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
PACKAGE = Path(__file__).parents[2] / "workflow/timefair"
FILES = sorted(
    path for room in ("unit", "extensions") for path in (TESTS / room).rglob("test_*.py")
)
NOT_FAST = ("slow", "workflow", "peer", "thorough")


def marks(node: ast.AST) -> set[str]:
    """The names of pytest's marks in a decorator or an expression."""
    return {
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "pytest.mark"
    }


def fast_tests(path: Path) -> list[str]:
    """The tests of a file whose first case has the mark `fast`."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    of_file = [
        node.value
        for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    if any(marks(value) & set(NOT_FAST) for value in of_file):
        return []
    return [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any(marks(decorator) & set(NOT_FAST) for decorator in node.decorator_list)
    ]


def test_every_room_of_the_package_has_fast_tests():
    rooms = {path.parent for path in PACKAGE.glob("*/__init__.py")}
    rooms |= {path.parent for path in PACKAGE.glob("extensions/*/__init__.py")}
    names = {path.relative_to(PACKAGE).as_posix() for path in rooms} - {"extensions"}
    with_tests = {"/".join(path.relative_to(TESTS).parts[:2]) for path in FILES if fast_tests(path)}
    with_tests = {place.removeprefix("unit/") for place in with_tests}
    assert names <= with_tests
