"""Which modules read a constant; some constants nothing reads: they tell something to who looks a chip up.

A test moves every constant of every board. What changes neither the clock's tables nor a closed form must stand here,
with the module that reads it, or with what it tells. It also watches who asks for what: that is readers.toml. What a
unit of the clock declares itself, `clock.UNIT.name`, is that unit's. What a family's modules ask for stands in a
readers.toml of its own folder.
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from simtc.arch.unit_tables import CLOCK

__all__ = ["DOCUMENTATION", "OBSERVED", "READERS", "readers", "reads"]


def _observed() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    here = Path(__file__).parent
    for path in (here / "readers.toml", *here.parent.glob("gemm/*/readers.toml")):
        for pattern, modules in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[pattern] = sorted([*found.get(pattern, ()), *modules])
    return found


OBSERVED = _observed()
# By pattern of a constant's path, a module that reads it elsewhere.
READERS = {
    "limits.block_threads": "simtc.run.grid",
    "limits.block_shared_optin_bytes": "simtc.run.grid",
    "limits.block_shared_bytes": "simtc.gemm.simt.fits",
    "limits.thread_registers": "simtc.gemm.hgemm.fits",
    "limits.shared_carveouts_bytes": "simtc.timing.setup",
    "memory.*.cpi_cycles": "simtc.gemm.hgemm.pipes",
    "l1.l2_cpi_*_cycles": "simtc.gemm.hgemm.pipes",
    "tensor.*.fma": "simtc.gemm.hgemm.pipes",
    "tensor.*.chain_safe_cycles": "simtc.gemm.codegen.control",
    "pipes.xu.latency_cycles": "simtc.timing.tables",
    "issue.register_branch_cycles": "simtc.timing.tables",
    "issue.reuse_lost": "simtc.timing.tables",
    "pipes.heavy_apart": "simtc.timing.tables",
    "issue.barrier_base_cycles": "simtc.gemm.hgemm_batched.closed_form",
    "l2_kept_bytes": "simtc.timing.setup",
    "gpc_pairs": "simtc.timing.placing",
    "first_pairs": "simtc.timing.placing",
    "near_gpcs": "simtc.timing.placing",
    "memory_large_bytes": "simtc.run.arguments",
    "memory_half_bits": "simtc.timing.units.dram",
    "tensor_fall_ns": "simtc.timing.reading",
    "fetch.first_cycles": "simtc.timing.units.fetch",
    # these prove that the other constants of a chip agree with them
    "dram_bus_bits": "simtc.arch.device",
    "dram_clock_mhz": "simtc.arch.device",
    "l2_sector_bytes": "simtc.arch.device",
    "l1.sector_bytes": "simtc.arch.device",
    "issue.scoreboards": "simtc.arch.sections",
    "limits.threads": "simtc.arch.sections",
}
# By pattern, what a constant tells of the chip that no code reads: the clock has no such mechanism, or finds it itself.
DOCUMENTATION = {
    "base_clock_mhz": "a promise of the vendor: clock_mhz is what runs",
    "boost_clock_mhz": "likewise",
    "tdp_watts": "power is not modelled",
    "l2_bytes_per_cycle": "in theory: the clock has l2_measured_gb_per_s",
    "dram_bytes": "nothing is refused for want of memory",
    "limits.block_barriers": "the machine has the 16 that instructions can name",
    "limits.barriers": "occupancy does not count them",
    "issue.scoreboard_visible_cycles": "compiled code keeps that distance itself",
    "issue.branch_not_taken_cycles": "likewise",
    "fetch.l0_bytes": "code that outgrows an instruction cache is left out",
    "fetch.l1_bytes": "likewise",
    "fetch.l1_cycles": "likewise",
    "fetch.l2_cycles": "likewise",
    "fetch.cold_cycles": "a launch finds its module loaded",
    "pipes.*.observed_cycles": "a fixed latency: compiled code keeps the safe distance",
    "pipes.fp64.safe_variable_cycles": "its readers of variable latency are the pipe's own",
    "observed_latency_cycles.*": "likewise a fixed latency",
    "tensor.*.latency_first_cycles": "readers of D wait for its second half, latency_second_cycles",
    "tensor.*.chain_observed_cycles": "follows from the latency and the compiler's distances",
    "tensor.?GMMA.*": "wgmma is not executed",
    "shared.conflict_cycles": "follows from data_stage_bytes_per_cycle",
    "l1.hit_bytes_per_cycle": "follows from the data stage",
    "l1.constant_l1_cycles": "follows from the latency of LDC",
    "l1.constant_l15_cycles": "follows from it and constant_first_cycles",
    "l1.constant_l2_cycles": "constants come from the cache of the GPC",
}


@cache
def readers(path: str) -> tuple[str, ...]:
    """Return the modules of simtc that read a constant; none for one that changes nothing and documents a chip.

    Example:
        >>> readers("l1.tag_queue_entries"), readers("limits.shared_carveouts_bytes"), readers("tdp_watts")
        (('timing.units.l1',), ('timing.setup',), ())
        >>> readers("clock.dram.turn_ns")
        ('timing.units.dram',)

    """
    if reads(path).startswith("documentation"):
        return ()
    if path.startswith(CLOCK):
        return (f"timing.units.{path.split('.')[1]}",)  # no other unit may declare it
    observed = [module for pattern, modules in OBSERVED.items() if fnmatchcase(path, pattern) for module in modules]
    elsewhere = [module for pattern, module in READERS.items() if fnmatchcase(path, pattern)]
    return tuple(sorted({*observed, *(module.removeprefix("simtc.") for module in elsewhere)}))


def reads(path: str) -> str:
    """Return the module that reads a constant, or why none does; "" where the clock or a closed form does.

    Example:
        >>> reads("limits.block_threads"), reads("tdp_watts"), reads("sm_count")
        ('simtc.run.grid', 'documentation: power is not modelled', '')

    """
    for pattern, module in READERS.items():
        if fnmatchcase(path, pattern):
            return module
    told = next((why for pattern, why in DOCUMENTATION.items() if fnmatchcase(path, pattern)), "")
    return told and f"documentation: {told}"
