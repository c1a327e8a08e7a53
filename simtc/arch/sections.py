"""What is known of one SM, section by section, but of its memory; the same names as in `sm/*.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simtc.errors import BadInputError

__all__ = ["Fetch", "Issue", "Launch", "Limits", "Pipe", "Pipes", "Scalar", "SpecialOperation", "TensorInstruction"]

_SCOREBOARDS = 6  # that a control code has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What fits on one SM: the numbers that occupancy follows from."""

    sub_cores: int  # warp schedulers with their own registers and pipes; warp w lives on sub-core w % sub_cores
    warps: int  # warp slots of the SM
    warp_unit: int  # warps are allocated in multiples of this
    blocks: int  # resident thread blocks
    threads: int  # resident threads
    block_threads: int  # threads of one block
    registers: int  # 32-bit registers of the SM
    register_unit: int  # registers are allocated in multiples of this
    register_unit_warps: int  # to so many warps together: 1 for each its own; 0 for all of a block
    thread_registers: int  # registers that one thread can address
    l1_shared_bytes: int  # the memory that L1 and shared memory divide between them
    shared_bytes: int  # the largest shared memory of the SM
    shared_carveouts_bytes: tuple[int, ...]  # shared sizes that the driver chooses from; L1 has the rest
    block_shared_bytes: int  # shared memory of one block, without opting in
    block_shared_optin_bytes: int  # with cudaFuncAttributeMaxDynamicSharedMemorySize
    block_shared_reserved_bytes: int  # taken by the system from every block's allocation
    shared_unit_bytes: int  # shared memory is allocated in multiples of this
    block_barriers: int  # named barriers of one block
    barriers: int  # named barriers of the SM

    def __post_init__(self) -> None:
        if self.threads != 32 * self.warps:
            raise BadInputError(f"{self.warps} warp slots hold {32 * self.warps} threads, not {self.threads}")
        if max(self.shared_carveouts_bytes) != self.shared_bytes:
            raise BadInputError(f"the largest carve-out {max(self.shared_carveouts_bytes)} is not {self.shared_bytes}")
        if self.warps % self.sub_cores:
            raise BadInputError(f"{self.warps} warp slots do not divide among {self.sub_cores} sub-cores")


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """How a sub-core issues: at most one warp-instruction a cycle, as the control codes allow."""

    scoreboards: int  # counters of a warp, SB0..
    scoreboard_visible_cycles: int  # from the issue of a producer until a waiter sees its count
    stall1_yield_cycles: int  # what stall 1 costs when the yield bit is 0
    register_banks: int  # register r lives in bank r % register_banks
    bank_reads: int  # 32-lane reads of one bank in one cycle; the same register is read once
    branch_taken_cycles: int  # from a taken branch to the next instruction of its warp
    branch_not_taken_cycles: int  # least, where the stall count asks for fewer
    sync_cycles: float  # BSYNC, from its issue to the next one
    barrier_base_cycles: int  # period of back-to-back BAR.SYNC: base + warp * warps of the block
    barrier_warp_cycles: int
    barrier_release_cycles: int  # from the last arrival to the first instruction after it
    source_read_cycles: (
        int  # from issue until the sources of an instruction outside the memory I/O queue have been read
    )
    store_port_registers: int  # of a store, that take a cycle of the register port which matrix instructions use
    barrier_queued_release_cycles: float = (
        0.0  # from when the last one that reads registers leaves the memory I/O queue
    )
    barrier_defers: int = 0  # 1 where a warp that waits at a barrier issues arithmetic up to the next other instruction
    reuse_lost: int = 0  # 1 where what was kept for `reuse` is lost when another warp issues
    reads_ahead: int = 0  # 1 where two instructions have their registers read at once
    register_branch_cycles: float = 0.0  # until RET knows its target; 0 where nothing is known: as SHFL

    def __post_init__(self) -> None:
        if self.scoreboards != _SCOREBOARDS:
            raise BadInputError(f"{self.scoreboards} scoreboards: control codes name {_SCOREBOARDS} of them")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """The instruction caches; the cycles are the cost of one instruction of straight-line code."""

    l0_bytes: int  # of a sub-core
    l1_bytes: int  # of the SM; code that fits stays resident across launches
    l1_cycles: float  # of code larger than L0
    l2_cycles: float  # of code larger than L1
    cold_cycles: float  # the first time since the module was loaded
    flushed_cycles: float  # the first time since all caches were flushed
    first_cycles: float  # until the first instruction then comes


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a launch costs beside its instructions."""

    base_cycles: float  # sm__cycles_active of an empty kernel: base + warp * warps
    warp_cycles: float
    block_cycles: float  # of the whole chip, from one block that ends to the next
    sm_start_cycles: float  # from the first block of one SM to that of the next SM
    sm_block_cycles: float  # from one block that an SM is given to the next: sm_block + sm_block_warp * warps
    sm_block_warp_cycles: float
    chip_cycles: float  # gpc__cycles_elapsed minus sm__cycles_active
    store_answer_cycles: float  # from L2, which takes a store, to the SM: a block whose stores are not answered stays


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipe:
    """A pipe of a sub-core whose results have a fixed latency.

    The hardware does not check these results: the compiler keeps a distance, in issue cycles, from the producer to its
    reader (`safe_...`, forwarding included). `observed_cycles` is what one link of a dependent chain takes in a
    microbenchmark. Where sub-cores share the FP64 unit it signals a scoreboard instead, after about `observed_cycles`.
    """

    issue_interval_cycles: int  # between two warp-instructions of this pipe
    safe_same_cycles: int  # to a reader on this pipe
    safe_cross_cycles: int  # to a reader on another arithmetic pipe
    safe_memory_cycles: int  # to an address or data of a memory instruction
    safe_tensor_cycles: int  # to a source of a tensor instruction
    safe_variable_cycles: int  # to any other instruction of variable latency: MUFU, conversions, LDC
    observed_cycles: float

    def __post_init__(self) -> None:
        if self.safe_cross_cycles < self.safe_same_cycles:
            raise BadInputError("a reader on another pipe cannot be served before one on the same pipe")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialOperation:
    """An instruction of variable latency that touches neither shared nor global memory."""

    issue_interval_cycles: float
    latency_cycles: float  # from issue to the release of its scoreboard (CS2R: to its reader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """The arithmetic pipes of a sub-core (the tensor pipe is per instruction, see TensorInstruction)."""

    fp64_sub_cores: int  # sub-cores that share one FP64 unit
    wide_upper_cycles: int  # IMAD.WIDE reads the upper half of C this much after the lower, and arithmetic that of D
    safe_predicate_cycles: int  # from a SETP to an instruction that its predicate guards, or a branch
    safe_uniform_predicate_cycles: int | None  # likewise for a uniform predicate; None before Turing
    alu: Pipe  # IADD3 LOP3 SHF MOV ISETP PRMT SEL FMNMX
    fma: Pipe  # FFMA FMUL FADD
    imad: Pipe  # IMAD, and VIADD on Hopper: the heavy half of the FMA pipe, forwarding to and from fma
    imad_wide: Pipe  # IMAD.WIDE IMAD.HI; the latencies are those of the lower half of D
    fp16: Pipe  # HFMA2 HADD2 HMUL2; on Hopper they issue with imad
    fp64: Pipe  # DFMA DADD DMUL
    xu: SpecialOperation  # MUFU, conversions, POPC, FLO
    uniform: Pipe | None  # UIADD3 ULOP3 USHF UIMAD ...; cross: to a vector instruction. None before Turing
    uniform_move: Pipe | None  # ULDC UMOV VOTEU
    wide_second_pass_cycles: int = 0  # of dispatch: IMAD.WIDE and IMAD.HI are issued in two passes
    heavy_apart: int = 0  # 1 where FFMA does not wait for IMAD, and HFMA2 does, but for HFMA2.MMA
    behind_half_cycles: int = 0  # of dispatch: what another pipe than that of halves takes more behind HFMA2.MMA
    xu_read_cycles: float = 0.0  # of the memory I/O queue, for an operand of XU; 0 where XU is not behind it
    xu_entries: float = 0.0  # of XU, behind that queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """Floating-point operations a cycle and SM outside the tensor cores; a multiply-add is two."""

    f32_flops: int
    f64_flops: int

    @classmethod
    def of(cls, limits: Limits, pipes: Pipes) -> Scalar:
        """Derive the rates from the pipes."""
        warp_flops = 2 * 32 * limits.sub_cores
        return cls(
            f32_flops=warp_flops // pipes.fma.issue_interval_cycles,
            f64_flops=warp_flops // (pipes.fp64.issue_interval_cycles * pipes.fp64_sub_cores),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorInstruction:
    """One machine instruction of the tensor pipe, at the full rate of the generation.

    Boards that halve the rate with an f32 accumulator say so (Device.tensor_f32_accumulate_rate).
    """

    fma: int  # multiply-adds of one warp-instruction
    issue_interval_cycles: int  # of a sub-core, shared by its warps
    register_port_cycles: int  # what its operands take of the register ports; each other reader adds to that
    register_wait_cycles: float | None  # what each access to registers by others waits meanwhile; None: not known
    store_wait_cycles: float | None  # ... what each cycle waits in which the registers of a store are read
    stage_wait_cycles: float | None  # ... what a wavefront that is loaded holds up the data stage
    latency_first_cycles: float  # from issue until the first half of D can be read
    latency_second_cycles: float  # ... the second half
    chain_safe_cycles: int  # the least distance to an instruction that accumulates onto D; no hardware checks it
    chain_observed_cycles: float  # one link of a dependent chain in a microbenchmark, as the compiler spaces it

    def __post_init__(self) -> None:
        if self.latency_second_cycles < self.latency_first_cycles:
            raise BadInputError("the second half of D cannot be ready before the first")


def prove_names(what: str, names: Mapping[str, object], due: tuple[str, ...]) -> None:
    """Prove that a table has every entry that users of it rely on."""
    missing = [name for name in due if name not in names]
    if missing:
        raise BadInputError(f"{what} lacks {', '.join(missing)}")
