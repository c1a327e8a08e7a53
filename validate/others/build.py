"""Compile kernels by others, and record how they are launched: python validate/others/build.py PACKAGES [FILE].

PACKAGES is a folder with CUTLASS's and cuRAND's headers: pip install --no-deps --target PACKAGES nvidia-cutlass
nvidia-curand. CUB and Thrust come with nvcc. No GPU is needed: recorder.cpp stands in for CUDA's runtime. FILE (in
simtc's cache, where campaign `others` looks) gets the cubins, the launches, and what they were made of; it holds code
of others, and is no part of the project.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simtc.gpu.code import codes_of
from simtc.gpu.compile import find_nvcc, nvcc_version
from simtc.isa import Kernel
from simtc.validate.recorded import archive

_HERE = Path(__file__).resolve().parent
_FLAGS = ("-arch=sm_90", "-std=c++17", "-w", "-cudart", "none")
_INCLUDES = ("include", "tools/util/include", "examples/41_fused_multi_head_attention")  # of CUTLASS
_RESERVED_BYTES = 1024  # of a block's shared memory, by the driver: not the kernel's
_TOGETHER = 2  # compilers at a time: each takes up to 2 GB


def main() -> None:
    """Compile every source file, run what it became, and pack what came out."""
    nvcc = find_nvcc()
    if nvcc is None:
        raise SystemExit("no nvcc was found. Try: NVCC=/path/to/nvcc")
    packages = Path(sys.argv[1])
    includes = [f"-I{path}" for path in _folders(packages, nvcc)]
    sources = sorted(_HERE.glob("*.cu"))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(_TOGETHER) as pool:
        made = list(pool.map(lambda source: _made(nvcc, includes, source, Path(scratch)), sources))
    texts = {path.name: path for path in sorted(_HERE.glob("*.c*"))}
    manifest = {
        "toolkit": nvcc_version(nvcc),
        "flags": list(_FLAGS),
        "packages": sorted(path.name.removesuffix(".dist-info") for path in packages.glob("*.dist-info")),
        "sources": {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in texts.items()},
    }
    members = {"manifest.json": json.dumps(manifest, indent=1).encode()}
    for source, (cubin, launches) in zip(sources, made, strict=True):
        members |= {f"{source.stem}.cubin": cubin, f"{source.stem}.jsonl": launches}
    target = Path(sys.argv[2]) if sys.argv[2:] else archive()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(target, "w:xz", preset=9) as packed:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))


def _folders(packages: Path, nvcc: str) -> list[Path]:
    cutlass = packages / "cutlass_library" / "source"
    curand = [path.parent for path in packages.rglob("curand_kernel.h")]
    if not cutlass.is_dir() or not curand:
        raise SystemExit(
            f"{packages} holds no headers. Try: pip install --no-deps --target {packages} nvidia-cutlass nvidia-curand"
        )
    said = subprocess.run([nvcc, "--dryrun", "-E", "x.cu"], capture_output=True, text=True, check=True).stderr  # noqa: S603
    own = [Path(path) for path in re.findall(r'-I"?([^" ]+)', said)]
    return [*(cutlass / name for name in _INCLUDES), curand[0], *(path / "cccl" for path in own)]


def _made(nvcc: str, includes: list[str], source: Path, scratch: Path) -> tuple[bytes, bytes]:
    """Return a source file's cubin and its launches, a line of JSON each step."""
    home = scratch / source.stem
    home.mkdir()
    recorder, table = home / "recorder", home / "kernels"
    command = [nvcc, *_FLAGS, *includes, "-keep", "-keep-dir", str(home), "-o", str(recorder), str(source)]
    subprocess.run([*command, str(_HERE / "recorder.cpp")], check=True)  # noqa: S603 - the user's compiler
    cubin = (home / f"{source.stem}.sm_90.cubin").read_bytes()
    kernels = [code.kernel for code in codes_of(cubin, source.name).values()]
    facts = [(one.name, one.registers, one.shared_bytes - _RESERVED_BYTES, *_sizes(one)) for one in kernels]
    table.write_text("".join(" ".join(map(str, line)) + "\n" for line in facts))
    return cubin, subprocess.run([str(recorder), str(table)], capture_output=True, check=True).stdout  # noqa: S603


def _sizes(kernel: Kernel) -> list[int]:
    return [parameter.size for parameter in kernel.parameters]


if __name__ == "__main__":
    main()
