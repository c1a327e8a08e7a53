"""nvcc: where it is, which one it is, and what it makes of a source."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from simtc.compiler.cache import kept, kept_at, sources_of
from simtc.compiler.nvrtc import Made
from simtc.errors import BadInputError, MissingToolError

__all__ = ["FLAGS", "Nvcc", "find_nvcc", "nvcc_version"]

FLAGS = ("-std=c++17", "-lineinfo")  # as the shipped listings were made


def find_nvcc() -> str | None:
    """Return nvcc: $NVCC, the one on PATH, or that of $CUDA_HOME, $CUDA_ROOT or /usr/local/cuda."""
    given = os.environ.get("NVCC") or shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_ROOT"), "/usr/local/cuda"]
    places = [Path(home) / "bin" / "nvcc" for home in homes if home]
    return given or next((str(place) for place in places if place.exists()), None)


@cache
def nvcc_version(nvcc: str) -> str:
    """Return what nvcc calls itself, such as "nvcc 13.0.88".

    Raises:
        MissingToolError: it cannot be run.

    """
    match = re.search(r"V(\d+\.\d+\.\d+)", _run(nvcc, ["--version"])[1])
    return f"nvcc {match[1]}" if match else "nvcc"


class Nvcc:
    """One nvcc, by its path.

    Raises:
        MissingToolError: it cannot be run.

    """

    def __init__(self, path: str) -> None:
        self.path, self.version = path, nvcc_version(path)

    def compile(self, text: str, path: Path, flags: Sequence[str], expressions: Sequence[str] = ()) -> Made:  # noqa: ARG002 - it knows none
        """Compile a file, or a text under a file's name, to a cubin."""
        with tempfile.TemporaryDirectory(prefix="simtc-") as scratch:
            out, source = Path(scratch) / "kernel.cubin", path
            if not path.is_file():
                source = Path(scratch) / path.name
                source.write_text(text, encoding="utf-8")
            failed, log = _run(self.path, ["-cubin", *flags, "-o", str(out), str(source)])
            log = log.replace(f"{scratch}{os.sep}", "").strip()
            return Made(cubin=None if failed else out.read_bytes(), log=log, names={})

    def cubin(self, text: str, path: Path, flags: Sequence[str], folders: Sequence[Path] = (), name: str = "") -> Path:
        """Return the file of what a source compiles to, kept from the last time if nothing in it has changed.

        Raises:
            BadInputError: it does not compile; with the compiler's first words.

        """

        def build() -> bytes:
            made = self.compile(text, path, [*flags, *(f"-I{folder}" for folder in folders)])
            if made.cubin is None:
                why = made.log.replace(str(path), path.name).splitlines()
                raise BadInputError(f"nvcc cannot compile {name or path.name}: {' '.join(why[:3])[:300]}")
            return made.cubin

        return kept(kept_at([self.version, path.name, *flags, *sources_of(text, [path.parent, *folders])]), build)


def _run(nvcc: str, arguments: Sequence[str]) -> tuple[int, str]:
    """Run the user's own compiler, with no shell; return its exit status and its words."""
    try:
        done = subprocess.run(  # noqa: S603 - as above
            [nvcc, *arguments], capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise MissingToolError(f"{nvcc} cannot be run ({error.strerror}). Try: NVCC=/path/to/nvcc simtc ...") from None
    return done.returncode, done.stderr + done.stdout
