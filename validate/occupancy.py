"""Ask CUDA's driver how many blocks an SM holds, for kernels of many register counts: captures/BOARD/occupancy.json.

python validate/occupancy.py OUT.json          (on a machine with a GPU and CuPy)

tests/analytic/test_occupancy.py compares every answer with simtc.analytic.occupancy.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SOURCE = r"""
extern "C" __global__ void many(float *p, int n)
{
    float x[200];
#pragma unroll
    for (int i = 0; i < 200; ++i) x[i] = p[i * 1024 + threadIdx.x];
    for (int k = 0; k < n; ++k)
#pragma unroll
        for (int i = 0; i < 200; ++i) x[i] = x[i] * x[(i + 7) % 200] + 1.0f;
#pragma unroll
    for (int i = 0; i < 200; ++i) p[i * 1024 + threadIdx.x] = x[i];
}
"""
REGISTERS = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 168, 200, 255)
SHARED = (0, 1, 1000, 5000, 20000, 48000)


def main() -> None:
    """Compile once for each limit of registers, and ask for every number of warps."""
    import cupy as cp  # noqa: PLC0415 - only a machine with a GPU has it

    rows = []
    for most in REGISTERS:
        kernel = cp.RawKernel(SOURCE, "many", options=(f"-maxrregcount={most}",))
        for shared in SHARED:
            for warps in range(1, 33):
                blocks = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, 32 * warps, shared)
                rows.append([kernel.num_regs, shared, 32 * warps, blocks])
    found = {
        "schema": "simtc.occupancy/1",
        "device": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "driver": cp.cuda.runtime.driverGetVersion(),
        "date": sys.argv[2] if len(sys.argv) > 2 else "",
        "columns": ["registers", "dynamic_shared_bytes", "threads", "blocks"],
        "rows": rows,
    }
    Path(sys.argv[1]).write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
