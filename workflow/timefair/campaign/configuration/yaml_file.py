"""Reads a YAML file strictly; a fault is one line with the file and the number of the line."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml

from timefair.basics.errors import InputError
from timefair.basics.expansion import MOST_VALUES, TOO_LARGE, expanded_size

MERGE = "tag:yaml.org,2002:merge"
"""The tag of ``<<``, which adds those keys of another mapping that are not given here."""


BOOL, TEXT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:str"


class _Loader(yaml.SafeLoader):
    """A SafeLoader that refuses aliases with a too large expansion, and duplicate keys.

    Without it, YAML would silently use the last of two values of a key, and would read keys such as
    ``on`` as truth values instead of words.
    """

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        if expanded_size(node, _nodes) > MOST_VALUES:
            raise ValueError(TOO_LARGE)
        return self.construct_document(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            if key_node.tag == BOOL:
                key_node.tag = TEXT
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"{key!r} is given twice", problem_mark=key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


def _nodes(node: yaml.Node) -> Iterable[yaml.Node]:
    """The nodes of the keys and values of a mapping, or of the members of a list."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else ()


def read_yaml(path: Path) -> object:
    """The content of a YAML file; raises `InputError` with file and line."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InputError(f"{where}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text in UTF-8") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
