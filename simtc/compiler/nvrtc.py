"""NVRTC: where it and its headers are, and its C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from simtc.errors import MissingToolError

__all__ = ["Made", "Nvrtc", "nvrtc"]

_LIBRARY = ("nvidia-cuda-nvrtc-cu12", ("libnvrtc.so.12", "nvrtc64_120_0.dll"))
# Distributions with headers, and one header of each.
_HEADERS = {
    "nvidia-cuda-runtime-cu12": "cuda_fp16.h",
    "nvidia-cuda-nvcc-cu12": "crt/mma.h",
    "nvidia-cuda-cccl-cu12": "cuda/std/cstdint",
}
_HOW = "pip install 'simtc[compile]', or --compiler nvcc where there is a CUDA toolkit"
_COMPILE_ERROR = 6  # NVRTC_ERROR_COMPILATION, whose words are in the log

# Host headers that kernels include out of habit; NVRTC has none, and what they declare is there without them.
_EMPTY = ("stdio.h", "cstdio", "stdlib.h", "cstdlib", "math.h", "cmath", "assert.h", "cassert", "iostream")
_AS_STD = "namespace std { using namespace cuda::std; }\n"
_SHIMS: Mapping[str, str] = dict.fromkeys(_EMPTY, "") | {
    "stdint.h": "#include <cuda/std/cstdint>\nusing namespace cuda::std;\n",
    "cstdint": f"#include <cuda/std/cstdint>\n{_AS_STD}using namespace cuda::std;\n",
    "stddef.h": "#include <cuda/std/cstddef>\nusing cuda::std::size_t; using cuda::std::ptrdiff_t;\n",
    "cstddef": "#include <cuda/std/cstddef>\nusing cuda::std::size_t; using cuda::std::ptrdiff_t;\n",
    "type_traits": f"#include <cuda/std/type_traits>\n{_AS_STD}",
    "limits": f"#include <cuda/std/limits>\n{_AS_STD}",
    "climits": "#include <cuda/std/climits>\n",
    "limits.h": "#include <cuda/std/climits>\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What came of a compilation: no cubin where it failed; the log has the compiler's words."""

    cubin: bytes | None
    log: str
    names: Mapping[str, str]  # of the name expressions, as the cubin has them


class Nvrtc:
    """One NVRTC with its headers."""

    def __init__(self, library: Path, includes: Sequence[Path]) -> None:
        self._library = ctypes.CDLL(str(library))
        self.includes = tuple(includes)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"NVRTC {major.value}.{minor.value}"

    def architectures(self) -> tuple[int, ...]:
        """Return the generations that it compiles for."""
        count = ctypes.c_int()
        self._library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        found = (ctypes.c_int * count.value)()
        self._library.nvrtcGetSupportedArchs(found)
        return tuple(found)

    def compile(self, text: str, path: Path, flags: Sequence[str], expressions: Sequence[str] = ()) -> Made:
        """Compile a source for the generation that the flags name."""
        program = ctypes.c_void_p()
        encode = [(header.encode(), body.encode()) for header, body in _SHIMS.items()]
        bodies = (ctypes.c_char_p * len(encode))(*(body for _, body in encode))
        headers = (ctypes.c_char_p * len(encode))(*(header for header, _ in encode))
        self._library.nvrtcCreateProgram(
            ctypes.byref(program), text.encode(), str(path).encode(), len(encode), bodies, headers
        )
        try:
            for expression in expressions:
                self._library.nvrtcAddNameExpression(program, expression.encode())
            options = [*flags, *(f"-I{path}" for path in self.includes)]
            arguments = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            status = self._library.nvrtcCompileProgram(program, len(options), arguments)
            log = self._fetch(program, "ProgramLog").decode(errors="replace").strip("\0\n")
            if status:
                return Made(cubin=None, log=log or self._words(status), names={})
            names = {expression: self._lowered(program, expression) for expression in expressions}
            return Made(cubin=self._fetch(program, "CUBIN"), log=log, names=names)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _words(self, status: int) -> str:
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return str(self._library.nvrtcGetErrorString(status).decode())

    def _lowered(self, program: ctypes.c_void_p, expression: str) -> str:
        found = ctypes.c_char_p()
        self._library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(found))
        return (found.value or b"").decode()

    def _fetch(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._library[f"nvrtcGet{what}Size"](program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._library[f"nvrtcGet{what}"](program, buffer)
        return buffer.raw


@cache
def nvrtc() -> Nvrtc:
    """Return the NVRTC of simtc[compile].

    Raises:
        MissingToolError: it or its headers are not installed.

    """
    distribution, names = _LIBRARY
    library = next((path for name in names if (path := _file(distribution, name))), None)
    includes = {header: _file(package, header) for package, header in _HEADERS.items()}
    missing = [] if library else [distribution]
    missing += [package for package, header in _HEADERS.items() if includes[header] is None]
    if library is None or missing:
        raise MissingToolError(f"compiling needs NVRTC and its headers ({', '.join(missing)} not here): {_HOW}")
    try:
        return Nvrtc(library, [path.parents[header.count("/")] for header, path in includes.items() if path])
    except OSError as error:
        raise MissingToolError(f"NVRTC cannot be loaded ({error}): {_HOW}") from None


def _file(distribution: str, name: str) -> Path | None:
    """Return a file that a distribution has, by the end of its path."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.as_posix().endswith(f"/{name}")), None)
