"""Run the opcode campaign on the GPU at hand: `python capture.py OPCODES.cubin FOLDER` (needs CuPy, nothing of simtc).

Writes FOLDER/opcodes.npz, for every kernel the first threads' results, and FOLDER/opcodes.json: what ran where, and
for every operation the sha256 of all threads' results. How far MUFU is from the rounded exact value is measured over
all 2^32 arguments by the kernels of mufu.cu, compiled beside it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import cupy as cp
import numpy as np
from operands import inputs
from table import groups

THREADS, KEPT, BLOCK = 16384, 256, 256


def main() -> None:
    """Run every group and write what the chip said."""
    module, folder = cp.RawModule(path=sys.argv[1]), Path(sys.argv[2])
    kept, whole, records = {}, {}, {}
    for group in groups():
        words = inputs(group.domain, THREADS)
        rows = sum(op.words for op in group.ops)
        out = cp.full((rows, THREADS), 0xDEADBEEF, cp.uint32)
        scratch = cp.zeros(2 * THREADS, cp.uint32)
        module.get_function(group.kernel)(
            (THREADS // BLOCK,), (BLOCK,), (cp.asarray(words), out, scratch, np.int32(THREADS))
        )
        cp.cuda.Device().synchronize()
        got = out.get()
        kept[group.kernel], whole[group.kernel] = got[:, :KEPT], got[:, :4096]
        row = 0
        records[group.kernel] = {}
        for op in group.ops:
            part = np.ascontiguousarray(got[row : row + op.words])
            records[group.kernel][op.name] = hashlib.sha256(part.tobytes()).hexdigest()
            row += op.words
    np.savez_compressed(folder / "opcodes.npz", **kept)
    names = sorted(whole)
    for part in range(2):
        np.savez_compressed(folder / f"whole{part}.npz", **{name: whole[name] for name in names[part::2]})
    (folder / "opcodes.json").write_text(json.dumps({"threads": THREADS, "kept": KEPT, "block": BLOCK, "ops": records}))
    print(len(names), "kernels", sum(len(r) for r in records.values()), "operations")


if __name__ == "__main__":
    main()
