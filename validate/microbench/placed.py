"""Which SM gets which block of a grid: how the block scheduler fills a Hopper GPU.

    python validate/microbench/placed.py validate/captures/h100/placed.csv

Beside a GPU with nvcc and CuPy this runs placed.cu with grids of 33 to 1,056 blocks of several sizes, and writes the SM
of each block that has room at once, in their order.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOM = {(128, 120000): 1, (128, 100000): 2, (256, 50000): 4, (128, 1000): 16, (32, 0): 32, (1024, 0): 2}
GRIDS = {  # by threads and bytes of shared memory, for which an SM has room for so many blocks
    (128, 120000): (33, 66, 100, 128, 132, 200), (128, 100000): (33, 66, 100, 132, 200, 264, 400),
    (256, 50000): (132, 264, 300, 528, 1000), (128, 1000): (66, 132, 200, 264, 700, 1056), (32, 0): (132, 500),
    (1024, 0): (132, 264, 400),
}  # fmt: skip
_CYCLES = 20000  # that a block stays


def run(cp: Any, kernel: Any, threads: int, shared: int, blocks: int) -> list[int]:
    """Return the SM of each block of a grid that had room at once."""
    kernel.max_dynamic_shared_size_bytes = max(shared, 1)
    sms = cp.zeros(blocks, cp.uint32)
    kernel((blocks,), (threads,), (sms, np.int32(_CYCLES)), shared_mem=shared)
    count = cp.cuda.Device().attributes["MultiProcessorCount"]
    return [int(sm) for sm in sms.get()[: count * ROOM[threads, shared]]]


def main() -> None:
    """Compile, run, and write where blocks were."""
    import cupy as cp  # noqa: PLC0415 - only where there is a GPU

    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(__file__).resolve().parent / "placed.cu", Path(folder) / "placed.cubin"
        command = ["nvcc", "-cubin", "-arch=sm_90", "-std=c++17", "-lineinfo", "-o", str(cubin), str(source)]
        subprocess.run(command, check=True)  # noqa: S603 - nvcc
        kernel = cp.RawModule(path=str(cubin)).get_function("placed")
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["threads", "shared_bytes", "blocks", "sms"])
        for (threads, shared), grids in GRIDS.items():
            for blocks in grids:
                found = run(cp, kernel, threads, shared, blocks)
                rows.writerow([threads, shared, blocks, " ".join(map(str, found))])
    Path(sys.argv[1]).write_text(text.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
