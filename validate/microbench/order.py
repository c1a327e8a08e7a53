"""When each block of an SM ends, where several execute the same loop: which of them a sub-core prefers.

    python validate/microbench/order.py validate/captures/h100/order.csv

Beside a Hopper GPU with nvcc and CuPy this runs order.cu with 4 and with 8 blocks of four warps on every SM, and writes
the mean over SMs of the cycle in which the first of them, the second, ... has ended.
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
from numpy.typing import NDArray

THREADS = 128
SHARED = {4: 53248, 8: 26624}  # bytes of a block, by blocks that an SM has room for
COUNTS = {  # of the loop
    "order_imad": 100, "order_ffma": 100, "order_ffma_x2": 100, "order_hfma2": 100, "order_dfma": 60, "order_mufu": 40,
    "order_hmma_x4": 100, "order_hmma_x64": 10, "order_sts": 60, "order_ldg": 20, "order_stage": 20,
}  # fmt: skip
DATA_BYTES = 128 * 2048 * 16  # that blocks read


def ends(times: NDArray[np.uint32], blocks: int) -> list[float]:
    """Return the mean over SMs of when the first block of each has ended, the second one, ...

    Args:
        times: (warps, 3), the SM of each warp, and its clock before and after the loop.
        blocks: how many each SM has.

    """
    by_block = times.astype(np.int64).reshape(-1, THREADS // 32, 3)
    sms, starts, finished = by_block[:, 0, 0], by_block[:, :, 1].min(axis=1), by_block[:, :, 2].max(axis=1)
    sorted_ends = [
        np.sort(finished[sms == sm] - starts[sms == sm].min()) for sm in np.unique(sms) if (sms == sm).sum() == blocks
    ]
    return [float(x) for x in np.mean(sorted_ends, axis=0)]


def run(cp: Any, kernel: Any, blocks: int, count: int) -> list[float]:
    """Run a kernel on every SM of a GPU three times, and return the ends of the last one."""
    sms = cp.cuda.Device().attributes["MultiProcessorCount"]
    kernel.max_dynamic_shared_size_bytes = SHARED[blocks]
    times, data = cp.zeros((sms * blocks * THREADS // 32, 3), cp.uint32), cp.zeros(DATA_BYTES, cp.uint8)
    for _ in range(3):
        kernel((sms * blocks,), (THREADS,), (times, data, np.int32(count)), shared_mem=SHARED[blocks])
        cp.cuda.Device().synchronize()
    return ends(times.get(), blocks)


def main() -> None:
    """Compile, run, and write what it took."""
    import cupy as cp  # noqa: PLC0415 - only where there is a GPU

    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "order.cubin"
        command = ["nvcc", "-cubin", "-arch=sm_90", "-std=c++17", "-lineinfo", "-o", str(cubin), str(here / "order.cu")]
        subprocess.run(command, check=True)  # noqa: S603 - nvcc
        module = cp.RawModule(path=str(cubin))
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["kernel", "count", "blocks", "ends"])
        for name, count in COUNTS.items():
            for blocks in SHARED:
                found = run(cp, module.get_function(name), blocks, count)
                rows.writerow([name, count, blocks, " ".join(f"{end:.0f}" for end in found)])
    Path(sys.argv[1]).write_text(text.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
