"""Compile what a campaign will launch, on all cores at once: the campaign then finds it in the cache.

python validate/precompile.py tuning batched
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from simtc.errors import SimtcError
from simtc.gemm.family import Compiled
from simtc.gpu import compile_one, open_gpu
from simtc.validate.validate import campaign_settings, cases_of


def main() -> None:
    """Compile for the GPU at hand."""
    gpu = open_gpu(os.environ.get("SIMTC_BACKEND", "pycuda"))
    chip = gpu.description
    wanted: dict[Compiled, None] = {}
    for campaign in sys.argv[1:]:
        for case in cases_of(campaign, campaign_settings(campaign), chip.sm, chip.device):
            configuration = getattr(case, "configuration", None)
            if configuration is not None:
                wanted[configuration.compiled()] = None

    def one(what: Compiled) -> None:
        try:
            compile_one(what.source, what.name, gpu, definitions=what.definitions)
        except SimtcError as error:
            print(error)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, wanted))
    print(f"{len(wanted)} kernels")


if __name__ == "__main__":
    main()
