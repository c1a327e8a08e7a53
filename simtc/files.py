"""Files in and out: an output takes its place only once it is whole, and an input is read or refused in one sentence.

A disk that is full, a run that is interrupted or a fault in what writes leave the older file as it was, because what
is new is written beside it and renamed at the end.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from simtc.errors import BadInputError, nearest

if TYPE_CHECKING:
    import numpy as np

__all__ = ["read_array", "read_arrays", "read_json", "replacing", "require_writable", "write_array", "write_text"]

_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # names of what is open already: to rename over them would cut them off
_LARGEST_JSON = 1 << 28  # bytes: captures have some hundred thousand

# What numpy raises for a file that is damaged, cut short, or of another kind.
_DAMAGED = (
    ValueError, TypeError, KeyError, SyntaxError, EOFError, OverflowError, MemoryError, RecursionError,
    NotImplementedError, zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError,
)  # fmt: skip


def _cannot(path: Path, error: OSError | str) -> BadInputError:
    why = error if isinstance(error, str) else error.strerror or str(error)
    return BadInputError(f"cannot write {path}: {why}")


def _in_place(path: Path) -> bool:
    """Tell whether a path is a device or a pipe, which nothing can be renamed over."""
    return str(path).startswith(_STREAMS) or (path.exists() and not path.is_file())


def require_writable(*paths: Path | None) -> None:
    """Refuse what could not be written later: before a long run, not after it.

    Raises:
        BadInputError: a folder that does not exist or takes no new file, or a path that is a folder.

    Example:
        >>> require_writable(Path("no such folder/d.npy"))
        Traceback (most recent call last):
        simtc.errors.BadInputError: cannot write no such folder/d.npy: there is no folder no such folder

    """
    for path in paths:
        if path is not None:
            try:
                _try(path)
            except OSError as error:
                raise _cannot(path, error) from None


def _try(path: Path) -> None:
    if path.is_dir():
        raise _cannot(path, "it is a folder")
    folder = Path(os.path.realpath(path)).parent
    if not _in_place(path) and not folder.is_dir():
        raise _cannot(path, f"there is no folder {path.parent}")
    if path.exists() and not os.access(path, os.W_OK):
        raise _cannot(path, "permission denied")
    if not _in_place(path):
        beside = _beside(folder)
        beside.open("xb").close()
        beside.unlink()


def _beside(folder: Path) -> Path:
    return folder / f".simtc-{secrets.token_hex(6)}.part"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for what is to take the place of `path`, which it does when the block ends without an error.

    Raises:
        BadInputError: it cannot be written; an older file is as it was.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "d.txt"
        ...     write_text(path, "old")
        ...     with replacing(path) as file:
        ...         file.write(b"new") and path.read_text()
        ...     path.read_text()
        'old'
        'new'

    """
    try:
        if _in_place(path):
            with path.open("wb") as file:
                yield file
            return
        target = Path(os.path.realpath(path))  # a link stays a link
        beside = _beside(target.parent)
        try:
            with beside.open("xb") as file:
                yield file
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot(path, error) from None


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8.

    Raises:
        BadInputError: it cannot be written; an older file is as it was.

    """
    with replacing(path) as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def write_array(path: Path, array: np.ndarray) -> None:
    """Write an array as .npy, under exactly this name.

    Raises:
        BadInputError: it cannot be written; an older file is as it was.

    """
    import numpy as np  # noqa: PLC0415 - text is written without it

    with replacing(path) as file:
        np.save(file, array)


def read_array(path: Path, *, what: str) -> np.ndarray:
    """Read the array of a .npy file, contiguous and in the byte order of this machine.

    Args:
        path: the file.
        what: it is for, as an error begins: "argument 0".

    Raises:
        BadInputError: there is no such file, or it is no .npy file of plain numbers.

    """
    import numpy as np  # noqa: PLC0415 - only where there is an array

    try:
        with path.open("rb") as file:
            found = np.load(file, allow_pickle=False)
    except OSError as error:
        raise BadInputError(f"{what}: {_unreadable(path, error)}") from None
    except _DAMAGED as error:
        raise BadInputError(f"{what}: {path} is not a .npy file ({_first(error)}). Try: numpy.save") from None
    if not isinstance(found, np.ndarray):
        raise BadInputError(f"{what}: {path} holds several arrays (.npz); give a .npy file. Try: numpy.save")
    return np.ascontiguousarray(_native(found)).reshape(found.shape)


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Read arrays of a .npz file by name, in the byte order of this machine.

    Raises:
        BadInputError: there is no such file, it is no .npz file of plain numbers, or an array is missing.

    """
    import numpy as np  # noqa: PLC0415 - only where there is an array

    how = f"write one with numpy.savez({path}, {', '.join(f'{name}=' for name in names)})"
    try:
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            single = isinstance(archive, np.ndarray)
            have = [] if single else list(archive.files)
            found = {name: _native(archive[name]) for name in names if name in have}
    except OSError as error:
        raise _unreadable(path, error) from None
    except _DAMAGED as error:
        raise BadInputError(f"{path} is not an .npz of plain arrays ({_first(error)}): {how}") from None
    if single:
        raise BadInputError(f"{path} holds a single array: {how}")
    for name in names:
        if name not in found:
            guess = nearest(name, have)
            hint = f"; is it {guess!r}?" if guess else ""
            raise BadInputError(f"{path} has no array {name}: it has {', '.join(have) or 'nothing'}{hint}")
    return found


def read_json(path: Path, *, what: str) -> Any:
    """Read a JSON file.

    Args:
        path: the file.
        what: what it should be, for the error: "a run is what simtc run --json printed".

    Raises:
        BadInputError: there is no such file, or it is no JSON that can be read.

    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_JSON)
        return json.loads(data.decode("utf-8"))  # what was cut short is no JSON
    except OSError as error:
        raise _unreadable(path, error) from None
    except RecursionError:
        raise BadInputError(f"{path} is nested too deeply; {what}") from None
    except ValueError as error:
        raise BadInputError(f"{path} is not JSON ({_first(error)}); {what}") from None


def _unreadable(path: Path, error: OSError) -> BadInputError:
    if isinstance(error, FileNotFoundError):
        return BadInputError(f"there is no file {path}")
    return BadInputError(f"cannot read {path}: {error.strerror or error}")


def _first(error: BaseException) -> str:
    """Return the first line of what a library says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _native(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
