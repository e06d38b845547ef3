"""``codemeta.json`` of the project says what ``pyproject.toml`` says.

python tests/documentation/codemeta_file.py --fix
"""

from __future__ import annotations

from codemeta_file import FILE, text


def test_it_is_as_pyproject_has_it() -> None:
    assert FILE.read_text() == text()
