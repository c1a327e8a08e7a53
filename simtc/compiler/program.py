"""CUDA C++ as a Program: compiled for a board's generation, read, and kept for the next time."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from simtc import arch
from simtc.compiler.cache import keep, kept_at, sources_of
from simtc.compiler.nvcc import FLAGS, Nvcc, find_nvcc
from simtc.compiler.nvrtc import Nvrtc, nvrtc
from simtc.errors import BadInputError, MissingToolError, unknown
from simtc.isa import Kernel, Program
from simtc.sass import load
from simtc.sass.elf import GENERATIONS

__all__ = ["COMPILERS", "CompileError", "compile_source"]

COMPILERS = ("nvrtc", "nvcc")
_TEXT = "source.cu"  # the name of a source that is no file
_OLD = re.compile(r"^.*Architectures prior to .* are deprecated.*\n?", re.MULTILINE)  # known, and the reason for 12.8
_ERROR = re.compile(r"^.*\berror\b.*$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_]\w*\Z")
_MANGLED = re.compile(r"_Z(\d+)")


class CompileError(BadInputError):
    """The compiler refused a source; `log` has its words as they are."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


def compile_source(
    source: str | os.PathLike[str],
    *,
    device: str | arch.Device = "t4",
    kernel: str | None = None,
    definitions: Sequence[str] = (),
    includes: Sequence[str | os.PathLike[str]] = (),
    compiler: str = "nvrtc",
    say: Callable[[str], object] | None = None,
) -> Program:
    r"""Compile CUDA C++ for a board, with no GPU; the result is kept on disk, under a hash of all it was made from.

    Args:
        source: a path, or the text itself as a string with a line end in it.
        device: the board, such as "t4", or its generation, such as "sm_75".
        kernel: the one that is wanted, by its name or, for an instance of a template, by a name expression such as
            "scale<float, 4>"; the program then has that kernel alone, under that name.
        definitions: macros as -D takes them, "NAME" or "NAME=VALUE".
        includes: folders of headers, beside the source's own.
        compiler: "nvrtc" (simtc[compile]), or "nvcc" for the one at hand.
        say: called with the compiler's words, such as warnings, when it compiles and has any.

    Raises:
        CompileError: the compiler refuses the source; `log` has its words.
        BadInputError: no such file, board, compiler or kernel.
        MissingToolError: the compiler is not here.

    Example:
        >>> compile_source("__global__ void k(float* x) {\n x[0] = 1; }", device="t5")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown device 't5': ...

    """
    if compiler not in COMPILERS:
        raise unknown("compiler", compiler, COMPILERS)
    path, text = _read(source)
    sm = _generation(device)
    folders = [path.parent.resolve(), *_folders(includes)]
    flags = [f"-arch=sm_{sm}", *FLAGS, *(f"-D{each}" for each in definitions), *(f"-I{each}" for each in folders)]
    expressions = [kernel] if kernel and not _PLAIN.match(kernel) else []
    if compiler == "nvcc" and expressions:
        raise BadInputError(f"{kernel!r} is a name expression, which nvcc does not take: use NVRTC (--compiler nvrtc)")
    tool = _tool(compiler, sm)
    kept = kept_at([tool.version, path.name, *flags, *expressions, *sources_of(text, folders)])
    name = kept.with_suffix(".name")
    if not (kept.is_file() and (not expressions or name.is_file())):
        made = tool.compile(text, path, flags, expressions)
        log = _OLD.sub("", made.log).strip()
        if made.cubin is None:
            first = _ERROR.search(log)
            said = first[0] if first else log.splitlines()[0] if log else "without a word"
            raise CompileError(f"{tool.version} does not compile {path.name} for sm_{sm}: {said.strip()}", log)
        if log and say is not None:
            say(log)
        for lowered in made.names.values():
            keep(name, lowered.encode())
        keep(kept, made.cubin)
    program = Program(kernels=_kernels(kept, path), origin=str(path))
    if kernel is None:
        return program
    lowered = name.read_text(encoding="utf-8") if expressions else kernel
    return Program(kernels={kernel: _wanted(program, lowered, kernel)}, origin=str(path))


def _read(source: str | os.PathLike[str]) -> tuple[Path, str]:
    if isinstance(source, str) and "\n" in source:
        return Path(_TEXT), source
    path = Path(source)
    try:
        return path, path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise BadInputError(f"cannot read {os.fspath(source)}: {reason}") from None


def _kernels(cubin: Path, path: Path) -> Mapping[str, Kernel]:
    """Read what a source was compiled to."""
    try:
        kernels = load(cubin).kernels
    except BadInputError as error:
        if "holds no kernel" not in str(error):
            raise
        raise BadInputError(f"{path.name} holds no kernel; of a template name an instance: 'scale<float>'") from None
    return {name: _of_text(kernel) for name, kernel in kernels.items()} if path == Path(_TEXT) else kernels


def _of_text(kernel: Kernel) -> Kernel:
    """Take out of the name of a source that is no file the folder in which it happened to be compiled."""
    return replace(
        kernel,
        instructions=tuple(
            replace(i, source=(_TEXT, i.source[1])) if i.source and Path(i.source[0]).name == _TEXT else i
            for i in kernel.instructions
        ),
    )


def _generation(device: str | arch.Device) -> int:
    """Return the generation to compile for, which simtc must be able to read then."""
    if isinstance(device, str) and re.fullmatch(r"sm_\d+", device):
        name, of = device, ""
    else:
        board = arch.device(device) if isinstance(device, str) else device
        name, of = board.sm_name, f" of {board.name}"
    known = [f"sm_{sm}" for sm in GENERATIONS]
    if name not in known:
        raise unknown(f"generation{of} to compile for", name, known)
    return int(name.removeprefix("sm_"))


def _folders(includes: Sequence[str | os.PathLike[str]]) -> list[Path]:
    folders = [Path(each) for each in includes]
    for folder in folders:
        if not folder.is_dir():
            raise BadInputError(f"-I {folder}: there is no such folder")
    return [folder.resolve() for folder in folders]


def _wanted(program: Program, name: str, asked: str) -> Kernel:
    """Return a kernel by its name as the source has it, or as the cubin has it."""
    if name in program.kernels:
        return program[name]
    found = [kernel for mangled, kernel in program.items() if _base(mangled) == name]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(kernel.name for kernel in found)
        raise BadInputError(f"{program.origin} has several kernels {asked}: name one of {names}")
    raise unknown(f"kernel in {program.origin}", asked, [_base(mangled) for mangled in program])


def _base(mangled: str) -> str:
    """Return the name in a mangled one that is in no namespace and of no template."""
    match = _MANGLED.match(mangled)
    return mangled[match.end() : match.end() + int(match[1])] if match else mangled


def _tool(compiler: str, sm: int) -> Nvcc | Nvrtc:
    if compiler == "nvcc":
        found = find_nvcc()
        if found is None:
            raise MissingToolError("there is no nvcc here: NVCC=/path/to/nvcc simtc ..., or leave --compiler nvcc out")
        return Nvcc(found)
    tool = nvrtc()
    known = tool.architectures()
    if sm not in known:
        raise unknown(f"architecture of {tool.version}", f"sm_{sm}", [f"sm_{each}" for each in known])
    return tool
