"""What reads the constants that the clock does not: another module, or nobody but who looks a chip up.

A test moves every constant of every board. What changes neither the clock's tables nor a closed form must stand here,
with the module that reads it, or with what it tells.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

__all__ = ["DOCUMENTATION", "READERS", "reads"]

# By pattern of a constant's path, the module that reads it.
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
    "issue.barrier_base_cycles": "follows from barrier_release_cycles and the instructions around",
    "fetch.l0_bytes": "code that outgrows an instruction cache is left out",
    "fetch.l1_bytes": "likewise",
    "fetch.l1_cycles": "likewise",
    "fetch.l2_cycles": "likewise",
    "fetch.cold_cycles": "a launch finds its module loaded",
    "launch.store_drain_cycles": "follows from store_answer_cycles",
    "pipes.*.observed_cycles": "a fixed latency: compiled code keeps the safe distance",
    "pipes.fp64.safe_variable_cycles": "its readers of variable latency are the pipe's own",
    "observed_latency_cycles.*": "likewise a fixed latency",
    "tensor.*.chain_observed_cycles": "follows from the latency and the compiler's distances",
    "tensor.?GMMA.*": "wgmma is not executed",
    "tensor.QMMA.*": "QMMA is not executed",
    "shared.conflict_cycles": "follows from data_stage_bytes_per_cycle",
    "l1.line_cycles": "follows from the tags and the data stage",
    "l1.hit_bytes_per_cycle": "follows from the data stage",
    "l1.constant_l1_cycles": "follows from the latency of LDC",
    "l1.constant_l15_cycles": "follows from it and constant_first_cycles",
    "l1.constant_l2_cycles": "constants come from the cache of the GPC",
}


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
