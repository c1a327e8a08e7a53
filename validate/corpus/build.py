"""Compile the corpus, and write a half's archive: python validate/corpus/build.py [HALF] [--keep FOLDER].

halves.cubin, which says where arrays lie, is compiled as well.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simtc.gpu.compile import find_nvcc, nvcc_version
from simtc.validate.corpus.archive import FILES, kernels_of
from simtc.validate.corpus.text import source_text

_HERE = Path(__file__).resolve().parent
_FLAGS = ("-cubin", "-arch=sm_90", "-std=c++17", "-diag-suppress", "177,550")


def main() -> None:
    """Write sources, compile them, and pack the cubins and what made them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "half", nargs="?", choices=FILES, default="exam", help="whose archive is written: exam by default"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where sources and cubins stay")
    given = parser.parse_args()
    nvcc = find_nvcc()
    if nvcc is None:
        raise SystemExit("no nvcc was found. Try: NVCC=/path/to/nvcc")
    with tempfile.TemporaryDirectory() as scratch:
        home = given.keep or Path(scratch)
        texts = {file: source_text(kernels) for file, kernels in kernels_of(given.half).items()}

        def compiled(file: str) -> bytes:
            source, cubin = home / f"{file}.cu", home / f"{file}.cubin"
            source.write_text(texts[file], encoding="utf-8")
            command = [nvcc, *_FLAGS, f"-I{_HERE}", "-o", str(cubin), str(source)]
            subprocess.run(command, check=True)  # noqa: S603 - the user's compiler
            return cubin.read_bytes()

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            cubins = dict(zip(texts, pool.map(compiled, texts), strict=True))
    subprocess.run([nvcc, *_FLAGS[:2], "-o", _HERE / "halves.cubin", _HERE / "halves.cu"], check=True)  # noqa: S603
    sources = {file: hashlib.sha256(text.encode()).hexdigest() for file, text in texts.items()}
    made = {"toolkit": nvcc_version(nvcc), "flags": list(_FLAGS), "sources": sources}
    members = {"manifest.json": json.dumps(made, indent=1).encode()}
    members |= {f"{file}.cubin": cubin for file, cubin in cubins.items()}
    with tarfile.open(_HERE / FILES[given.half], "w:xz", preset=9) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
