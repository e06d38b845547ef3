from collections.abc import Mapping, Sequence

def spawn(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    stdin: int,
    stdout: int,
    stderr: int,
) -> int: ...
