"""CUDA C++ as a Program: compiled for a board's generation, read, and kept for the next time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simtc import arch
from simtc.compiler.cache import kept_at, sources_of
from simtc.compiler.nvrtc import Made, nvrtc
from simtc.errors import BadInputError, MissingToolError, unknown
from simtc.isa import Kernel, Program
from simtc.sass import load

__all__ = ["COMPILERS", "CompileError", "Compiled", "compile_cuda", "compile_source"]

COMPILERS = ("nvrtc", "nvcc")
_FLAGS = ("-std=c++17", "-lineinfo")  # as the shipped kernels are compiled
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A compiled source: its kernels, what made them, and what the compiler said."""

    program: Program
    cubin: bytes
    compiler: str
    log: str


def compile_source(
    source: str | os.PathLike[str],
    *,
    device: str | arch.Device = "t4",
    kernel: str | None = None,
    definitions: Sequence[str] = (),
    includes: Sequence[str | os.PathLike[str]] = (),
    compiler: str = "nvrtc",
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

    Raises:
        CompileError: the compiler refuses the source; `log` has its words.
        BadInputError: no such file, board, compiler or kernel.
        MissingToolError: the compiler is not here.

    Example:
        >>> compile_source("__global__ void k(float* x) {\n x[0] = 1; }", device="t5")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown device 't5': ...

    """
    return compile_cuda(
        source, device=device, kernel=kernel, definitions=definitions, includes=includes, compiler=compiler
    ).program


def compile_cuda(
    source: str | os.PathLike[str],
    *,
    device: str | arch.Device = "t4",
    kernel: str | None = None,
    definitions: Sequence[str] = (),
    includes: Sequence[str | os.PathLike[str]] = (),
    compiler: str = "nvrtc",
) -> Compiled:
    """Compile as compile_source does; return the cubin and the compiler's words too."""
    if compiler not in COMPILERS:
        raise unknown("compiler", compiler, COMPILERS)
    path, text = _read(source)
    sm = _generation(device)
    folders = [path.parent.resolve(), *_folders(includes)]
    flags = [f"-arch=sm_{sm}", *_FLAGS, *(f"-D{each}" for each in definitions), *(f"-I{each}" for each in folders)]
    expressions = [kernel] if kernel and not _PLAIN.match(kernel) else []
    if compiler == "nvcc" and expressions:
        raise BadInputError(f"{kernel!r} is a name expression, which nvcc does not take: use NVRTC (--compiler nvrtc)")
    tool = _Nvcc() if compiler == "nvcc" else _NvrtcTool(sm)
    kept = kept_at([tool.version, path.name, *flags, *expressions, *sources_of(text, folders)])
    log = ""
    if not (kept.is_file() and (not expressions or kept.with_suffix(".name").is_file())):
        made = tool.compile(text, path, flags, expressions)
        log = _OLD.sub("", made.log).strip()
        if made.cubin is None:
            first = _ERROR.search(log)
            said = first[0] if first else log.splitlines()[0] if log else "without a word"
            raise CompileError(f"{tool.version} does not compile {path.name} for sm_{sm}: {said.strip()}", log)
        _keep(kept, made.cubin)
        for name in made.names.values():
            _keep(kept.with_suffix(".name"), name.encode())
    program = Program(kernels=load(kept).kernels, origin=str(path))
    if kernel is not None:
        lowered = kept.with_suffix(".name").read_text(encoding="utf-8") if expressions else kernel
        program = Program(kernels={kernel: _wanted(program, lowered, kernel)}, origin=str(path))
    return Compiled(program=program, cubin=kept.read_bytes(), compiler=tool.version, log=log)


def _read(source: str | os.PathLike[str]) -> tuple[Path, str]:
    if isinstance(source, str) and "\n" in source:
        return Path(_TEXT), source
    path = Path(source)
    try:
        return path, path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise BadInputError(f"cannot read {os.fspath(source)}: {reason}") from None


def _generation(device: str | arch.Device) -> int:
    if isinstance(device, str) and re.fullmatch(r"sm_\d+", device):
        return int(device[3:])
    board = arch.device(device) if isinstance(device, str) else device
    return int(board.sm_name.removeprefix("sm_"))


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


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)


class _NvrtcTool:
    """NVRTC of simtc[compile]."""

    def __init__(self, sm: int) -> None:
        self._nvrtc = nvrtc()
        self.version = self._nvrtc.version
        known = self._nvrtc.architectures()
        if sm not in known:
            names = [f"sm_{each}" for each in known]
            raise unknown(f"architecture of {self.version}", f"sm_{sm}", names)

    def compile(self, text: str, path: Path, flags: Sequence[str], expressions: Sequence[str]) -> Made:
        return self._nvrtc.compile(text, str(path), flags, expressions)


class _Nvcc:
    """The nvcc of a CUDA toolkit at hand."""

    def __init__(self) -> None:
        homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_ROOT"), "/usr/local/cuda"]
        places = [Path(home) / "bin" / "nvcc" for home in homes if home]
        found = os.environ.get("NVCC") or shutil.which("nvcc") or next((str(x) for x in places if x.exists()), None)
        if found is None:
            raise MissingToolError("there is no nvcc here: NVCC=/path/to/nvcc simtc ..., or leave --compiler nvcc out")
        self._nvcc = found
        said = self._run(["--version"])[1]
        match = re.search(r"V(\d+\.\d+\.\d+)", said)
        self.version = f"nvcc {match[1]}" if match else "nvcc"

    def compile(self, text: str, path: Path, flags: Sequence[str], expressions: Sequence[str]) -> Made:  # noqa: ARG002
        with tempfile.TemporaryDirectory(prefix="simtc-") as scratch:
            out, source = Path(scratch) / "kernel.cubin", path
            if not path.is_file():
                source = Path(scratch) / path.name
                source.write_text(text, encoding="utf-8")
            failed, log = self._run(["-cubin", *flags, "-o", str(out), str(source)])
            return Made(cubin=None if failed else out.read_bytes(), log=log.strip(), names={})

    def _run(self, arguments: Sequence[str]) -> tuple[int, str]:
        try:
            done = subprocess.run(  # noqa: S603 - the user's own compiler, no shell
                [self._nvcc, *arguments], capture_output=True, text=True, errors="replace", check=False
            )
        except OSError as error:
            raise MissingToolError(f"{self._nvcc} cannot be run ({error.strerror}): NVCC=/path/to/nvcc") from None
        return done.returncode, done.stderr + done.stdout
