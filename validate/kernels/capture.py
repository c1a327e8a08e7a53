"""Run every shipped kernel on the GPU at hand, with CuPy and without simtc.

`python capture.py CUBINS KERNELS.toml SM FOLDER`

CUBINS is a folder with the cubin of each source of the catalog. Writes FOLDER/kernels.json: sizes, seed, sha256 of D.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cupy as cp
import numpy as np
from problems import Problem, cases, catalog, digest


def main() -> None:
    """Run every case and write the digests."""
    cubins, table, sm, folder = Path(sys.argv[1]), catalog(Path(sys.argv[2])), int(sys.argv[3]), Path(sys.argv[4])
    found, modules = [], {}
    for name, kernel in table.items():
        if sm not in kernel["sms"]:
            continue
        stem = kernel["source"].removesuffix(".cu")
        if stem not in modules:
            modules[stem] = cp.RawModule(path=str(cubins / f"{stem}.cubin"))
        function = modules[stem].get_function(name)
        if kernel["dynamic_shared_bytes"] > 49152 - function.shared_size_bytes:
            function.max_dynamic_shared_size_bytes = kernel["dynamic_shared_bytes"]
        for sizes, distribution, seed in cases(kernel):
            problem = Problem(kernel, sizes, distribution, seed)
            device = {x: cp.asarray(b.view(np.uint8)) for x, b in problem.buffers.items()}
            of = {id(b): device[x] for x, b in problem.buffers.items()}
            arguments = tuple(of.get(id(arg), arg) for arg in problem.args)
            function(problem.grid, (kernel["threads"], 1, 1), arguments, shared_mem=kernel["dynamic_shared_bytes"])
            cp.cuda.Device().synchronize()
            result = problem.buffers["D"]
            result[:] = device["D"].get().view(result.dtype).reshape(result.shape)
            found.append([name, *sizes, distribution, seed, digest(problem.D)])
    (folder / "kernels.json").write_text(json.dumps(found))
    print(len(found), "launches of", len(modules), "cubins")


if __name__ == "__main__":
    main()
