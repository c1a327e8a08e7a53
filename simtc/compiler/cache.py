"""What was compiled is kept, under a hash of everything that it was made from."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from simtc.errors import BadInputError
from simtc.files import replacing

__all__ = ["keep", "kept", "kept_at", "sources_of"]

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def kept_at(parts: Sequence[str]) -> Path:
    """Return where the cubin made from these parts is kept."""
    key = hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "simtc" / "cubin" / f"{key}.cubin"


def keep(path: Path, data: bytes) -> None:
    """Write what is kept; a reader sees the whole of it or nothing.

    Raises:
        BadInputError: it cannot be written.

    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {error.strerror}") from None
    with replacing(path) as file:
        file.write(data)


def kept(path: Path, build: Callable[[], bytes]) -> Path:
    """Return where it is kept, built first if it is not there yet."""
    if not path.is_file():
        keep(path, build())
    return path


def sources_of(text: str, folders: Sequence[Path]) -> Iterator[str]:
    """Yield a source and all that it includes from these folders, directly or not: a toolkit's headers are not in them.

    Example:
        >>> list(sources_of("int x;", []))
        ['int x;']

    """
    waiting, seen = [text], set[Path]()
    while waiting:
        one = waiting.pop()
        yield one
        for name in _INCLUDE.findall(one):
            path = next((folder / name for folder in folders if (folder / name).is_file()), None)
            if path is not None and path.resolve() not in seen:
                seen.add(path.resolve())
                waiting.append(path.read_text(encoding="utf-8", errors="replace"))
