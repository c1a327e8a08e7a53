"""A kernel cut out of the source that it was published in: without the program around it, which needs a GPU."""

from __future__ import annotations

import hashlib
import re

from simtc.errors import BadInputError

__all__ = ["cut", "defined", "digest"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")


def cut(text: str, function: str) -> str:
    r"""Return a kernel's text, its template line included, comments taken out.

    Raises:
        BadInputError: there is no such kernel, or more than one.

    Example:
        >>> cut("int n; // one\n__global__ void k(int* p) { if (n) { *p = 1; } } int m;", "k")
        '__global__ void k(int* p) { if (n) { *p = 1; } }'

    """
    plain = _COMMENT.sub("", text)
    head = re.compile(rf"(?:template\s*<[^>]*>\s*)?__global__[^;{{}}()]*\b{re.escape(function)}\s*\(")
    found = [match for match in head.finditer(plain) if _body(plain, match.end()) is not None]
    if len(found) != 1:
        raise BadInputError(f"{len(found)} kernels {function} in this source, instead of one")
    start = found[0].start()
    return plain[start : _body(plain, found[0].end())]


def _body(text: str, position: int) -> int | None:
    """Return where a function ends whose parameters begin at a position; None for a declaration."""
    opened = text.find("{", position)
    declared = text.find(";", position)
    if opened < 0 or 0 <= declared < opened:
        return None
    depth = 0
    for match in re.finditer(r"[{}]", text[opened:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return opened + match.end()
    return None


def defined(text: str, name: str) -> str:
    r"""Return the #define of a macro.

    Raises:
        BadInputError: the source has none of that name.

    Example:
        >>> defined("#define ROWS 4\n#define AT(i, j) ((i) * 4 + (j))\n", "AT")
        '#define AT(i, j) ((i) * 4 + (j))'

    """
    match = re.search(rf"^[ \t]*#define[ \t]+{re.escape(name)}\b.*$", _COMMENT.sub("", text), re.MULTILINE)
    if match is None:
        raise BadInputError(f"there is no #define {name} in this source")
    return match[0].strip()


def digest(text: str) -> str:
    """Return the SHA-256 of a text without its white space: what a download may change in a source changes nothing.

    Example:
        >>> digest("int  a;") == digest("int a ;")
        True

    """
    return hashlib.sha256(_SPACE.sub("", text).encode()).hexdigest()
