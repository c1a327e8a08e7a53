"""One board: an SM generation with its number of SMs, clocks, L2 and DRAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import get_type_hints

from simtc.arch.constant import Constant, find
from simtc.arch.generation import Sm, sm
from simtc.arch.load import Reader
from simtc.arch.sections import Limits, Scalar
from simtc.arch.simt import Simt
from simtc.arch.unit_tables import NOTHING, Tables, constants_of, said, tables_of
from simtc.errors import BadInputError, unknown
from simtc.results.display import Columns, Display, by_column

__all__ = ["Device", "device", "device_names"]

# Cycles of the SM clock that pass outside the SMs, whatever their clock; those of `[clock.UNIT]` are in ns.
_PASS_ELSEWHERE = (
    "l2_clock_cycles", "l2_store_queue_cycles", "dram_cycles", "dram_spread_cycles", "dram_tail_cycles",
    "dram_row_tail_cycles", "dram_row_open_cycles", "dram_refresh_period_cycles", "dram_refresh_cycles",
)  # fmt: skip
_NUMBERS = (int, float, tuple[int, ...])
_ROUNDED = 0.03  # by which what a vendor prints may differ from what its own numbers make
_FOLDER = Path(__file__).resolve().parent / "devices"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Device(Display):
    """One board.

    Example:
        >>> t4 = device("t4")
        >>> t4, t4.sm, t4.sm_count, t4.clock_mhz
        (device('t4'), sm('sm_75'), 40, 1590)
        >>> t4.provenance("clock_mhz").source
        'yan2020'
        >>> round(t4.tensor_peak_tflops("f16", "f32"), 1)
        65.1

    """

    name: str
    product: str  # as the vendor calls it
    cuda: str  # a pattern that is found in the name that CUDA gives the board, in lower case, and in no other board's
    sm_name: str  # sm_75; of boards with closed forms alone: sm_13, sm_20
    limits: Limits
    scalar: Scalar
    simt: Simt | None  # what stands for the clock's data in closed forms; None where there is a clock
    cycle_level: Sm | None  # what the clock needs; None where only closed forms are known
    sm_count: int
    clock_mhz: int  # what simulations assume unless told otherwise: the clock that the measurements ran at
    tensor_clock_mhz: int  # to which that falls while HMMA or IMMA execute; 0 where it is not known to
    tensor_hold_cycles: float  # for which it stays there after the last of them
    tensor_fall_ns: float = 0.0  # that is lost whenever it falls; 0 where nothing is known
    launch_cycles: float = 0.0  # that a launch takes outside the SMs; 0 where none is known but its generation's
    base_clock_mhz: int
    boost_clock_mhz: int
    tdp_watts: int
    tensor_f32_accumulate_rate: float  # of the full tensor rate, with an f32 accumulator: 0.5 on GeForce
    l2_bytes: int
    l2_kept_bytes: int  # of lines that it keeps, copies in its other half included
    l2_slices: int
    l2_sector_bytes: int
    l2_bytes_per_cycle: float  # of the chip, all slices, at the SM clock
    l2_measured_gb_per_s: float
    l2_hit_cycles: float  # latency of LDG.32 that misses L1
    l2_clock_cycles: float  # of them, those that pass at L2's own clock; 0 where nothing is known
    l2_spread_cycles: float  # from the nearest to the farthest slice
    l2_fetch_bytes: int  # what a miss brings from DRAM
    l2_request_bytes: float  # that a slice could read while it serves a request, be it for a sector or two
    l2_store_request_bytes: float  # likewise one that stores
    l2_dirty_bytes: float = 0.0  # that L2 keeps before it writes them to DRAM; 0 for all
    l2_fill_bytes: float = 0.0  # that L2 reads from DRAM for a sector stored to in part; 0 where nothing is known
    l2_turn_bytes: float = 0.0  # and what a turn from loads to stores costs a slice, or back; 0 where nothing is known
    l2_halves: int  # each with its own memory, whose lines it keeps, and copies of the other's that its SMs use
    l2_far_cycles: float = 0.0  # that a hit takes longer where only the other half has the line
    l2_store_queue_cycles: float  # that a slice may be behind before stores wait for it
    gpcs: int  # groups of SMs that share a port to L2; 0 where none is known
    gpc_pairs: tuple[int, ...] = ()  # of SMs, of each of them, but for first ones; as many each where nothing is known
    first_pairs: tuple[int, ...] = ()  # the GPCs of those that get blocks before all others, in their order
    near_gpcs: tuple[int, ...] = ()  # whose SMs are near one half of L2; every other one where nothing is known
    cluster_sms: int  # of a GPC, that share a port for what they send to L2; 0 where nothing is known
    cluster_packets_per_cycle: float  # of 32 bytes, that such a port takes; 0 for no limit that is known
    gpc_bytes_per_cycle: float  # of such a port, before requests are coalesced; 0 for no limit that is known
    gpc_l2_bytes_per_cycle: float  # and behind it
    gpc_constant_cycles: float  # from one line of constants that it gives a sub-core to the next; 0 where not known
    dram_bytes: int
    dram_clock_mhz: int  # as nvidia-smi reports it: two transfers a clock
    dram_bus_bits: int
    dram_gb_per_s: float
    dram_measured_gb_per_s: float
    dram_cycles: float  # latency of LDG.32 that misses L2, TLB warm
    dram_spread_cycles: float  # from the quickest to the slowest of such loads
    dram_tail_cycles: float  # mean of what a load takes beyond that, now and then much more: exponential
    dram_row_tail_cycles: float  # the same where it opens another row of DRAM
    dram_row_open_cycles: float  # after which a row that nobody reads is closed
    dram_row_bytes: int  # of a row
    dram_banks: int  # each of which holds a row open, of all channels
    memory_half_bits: tuple[int, ...]  # of an address, whose parity says which half of L2 it hangs on
    memory_large_bytes: int  # from which on an array begins where the lowest of those bits changes
    dram_refresh_period_cycles: float  # from one refresh to the next
    dram_refresh_cycles: float  # during which nothing is read; 0 where it is part of the latency
    clock: Tables  # what units of the clock declare themselves; the SM's included: see `clocked`
    constants: Mapping[str, Constant]  # provenance, by path; the SM's included
    rested: Device | None = None  # of a board under tensor load: the board that it is without

    def __post_init__(self) -> None:
        theoretical = 2e-3 * self.dram_clock_mhz * self.dram_bus_bits / 8  # two transfers a clock
        if abs(self.dram_gb_per_s - theoretical) > _ROUNDED * theoretical:
            raise BadInputError(
                f"{self.name}: DRAM of {self.dram_gb_per_s:g} GB/s, but its clock and bus make {theoretical:g}"
            )
        if self.cycle_level is not None and self.l2_sector_bytes != self.cycle_level.l1.sector_bytes:
            raise BadInputError(
                f"{self.name}: sectors of {self.l2_sector_bytes} bytes in L2, {self.cycle_level.l1.sector_bytes} in L1"
            )

    def __hash__(self) -> int:  # cheap and consistent with equality; what is a mapping stays out of it
        return hash((self.name, self.clock_mhz))

    @property
    def sm(self) -> Sm:
        """The SM generation.

        Raises:
            BadInputError: only closed forms are known of this board.

        """
        if self.cycle_level is None:
            raise BadInputError(
                f"{self.name} ({self.sm_name}) has no cycle-level data, only what closed forms need: "
                f"use --fidelity analytic, or a board from sm_70 on. Try: simtc arch"
            )
        return self.cycle_level

    @property
    def outside_cycles(self) -> float:
        """What a launch takes beyond the cycles in which SMs are active: the board's own, else its generation's."""
        return self.launch_cycles or self.sm.launch.chip_cycles

    @property
    def l2_measured_bytes_per_cycle(self) -> float:
        """L2 bandwidth, measured, at the SM clock."""
        return self.l2_measured_gb_per_s * 1e3 / self.clock_mhz

    @property
    def dram_bytes_per_cycle(self) -> float:
        """DRAM bandwidth, theoretical, at the SM clock."""
        return self.dram_gb_per_s * 1e3 / self.clock_mhz

    @property
    def dram_measured_bytes_per_cycle(self) -> float:
        """DRAM bandwidth, measured, at the SM clock."""
        return self.dram_measured_gb_per_s * 1e3 / self.clock_mhz

    def clocked(self, path: str, default: float = 0.0) -> float:
        """Return a constant that a unit of the clock declares, as `said` has it: what is in ns, in cycles."""
        return said(self.clock, path, default, self.clock_mhz)

    def at(self, clock_mhz: int) -> Device:
        """Return the board with its SMs at another clock: L2 and DRAM keep theirs, so their cycles change.

        Example:
            >>> h200 = device("h200")
            >>> slow = h200.at(990)
            >>> slow.dram_cycles / h200.dram_cycles, h200.l2_hit_cycles - slow.l2_hit_cycles == slow.l2_clock_cycles
            (0.5, True)

        """
        ratio = clock_mhz / self.clock_mhz
        changed = {name: getattr(self, name) * ratio for name in _PASS_ELSEWHERE}
        changed["cluster_packets_per_cycle"] = self.cluster_packets_per_cycle / ratio
        l2_hit = self.l2_hit_cycles - self.l2_clock_cycles * (1 - ratio)
        return replace(self, clock_mhz=clock_mhz, l2_hit_cycles=l2_hit, rested=None, **changed)

    def under_tensor_load(self) -> Device:
        """Return the board as it runs a kernel with HMMA or IMMA: at `tensor_clock_mhz` if its clock is higher.

        A board under load knows the one that it is at rest, so that it is never lowered twice.

        Example:
            >>> h200 = device("h200")
            >>> loaded = h200.under_tensor_load()
            >>> loaded.clock_mhz, device("t4").under_tensor_load().clock_mhz
            (1815, 1590)
            >>> loaded.under_tensor_load() is loaded, loaded.at_rest() is h200
            (True, True)

        """
        if self.rested is not None or not 0 < self.tensor_clock_mhz < self.clock_mhz:
            return self
        return replace(self.at(self.tensor_clock_mhz), rested=self)

    def at_rest(self) -> Device:
        """Return the board while no tensor instruction executes."""
        return self.rested or self

    def tensor_rate(self, inputs: str, accumulator: str) -> float:
        """Return the dense multiply-adds a cycle and SM of a type pair, as this board runs it.

        Raises:
            BadInputError: the tensor cores do not take this pair.

        """
        pair, rates = f"{inputs}.{accumulator}", self.sm.tensor_rate
        if pair not in rates:
            raise unknown(f"type pair of {self.name}'s tensor cores", pair, rates, then=f"simtc arch {self.sm_name}")
        return rates[pair] * (self.tensor_f32_accumulate_rate if accumulator == "f32" else 1)

    def tensor_peak_tflops(self, inputs: str, accumulator: str, *, clock_mhz: float | None = None) -> float:
        """Return the theoretical dense peak: SMs x multiply-adds x 2 x clock."""
        return 2 * self.sm_count * self.tensor_rate(inputs, accumulator) * (clock_mhz or self.clock_mhz) * 1e-6

    def scalar_peak_tflops(self, kind: str, *, clock_mhz: float | None = None) -> float:
        """Return the theoretical peak outside the tensor cores, for "f32" or "f64"."""
        rates = {"f32": self.scalar.f32_flops, "f64": self.scalar.f64_flops}
        if kind not in rates:
            raise unknown("scalar type", kind, rates)
        return self.sm_count * rates[kind] * (clock_mhz or self.clock_mhz) * 1e-6

    def provenance(self, path: str) -> Constant:
        """Return the constant behind a path of this board, such as `clock_mhz`, or of its SM, such as `limits.warps`.

        Raises:
            BadInputError: nothing has that path.

        """
        return find(self.constants, path, self.name)

    def headline(self) -> str:
        """Return the chip in one line."""
        return f"{self.name} ({self.product}): {self.sm_name}, {self.sm_count} SMs at {self.clock_mhz} MHz"

    def columns(self) -> Columns:
        """Return one row a constant, as `simtc arch` prints it."""
        names = ("name", "value", "unit", "status", "source", "note")
        return by_column([{name: getattr(one, name) for name in names} for one in self.constants.values()])

    def __repr__(self) -> str:
        return f"device({self.name!r})"


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def device_names() -> list[str]:
    """Return the boards that have data."""
    return list(_names())


def device(name: str) -> Device:
    """Return a board by its name.

    Raises:
        BadInputError: no such board, or its file is at fault.

    Example:
        >>> device("t5")
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown device 't5': known are ...; did you mean 't4'? Try: simtc arch

    """
    if name not in device_names():
        raise unknown("device", name, device_names(), then="simtc arch")
    return load_device(_FOLDER / f"{name}.toml")


@cache
def load_device(path: Path) -> Device:
    """Read a board from a file."""
    reader = Reader(path)
    name, product, cuda, sm_name = (reader.text(key) for key in ("name", "product", "cuda", "sm"))
    cycle_level = None if "limits" in reader.table else sm(sm_name)
    limits = cycle_level.limits if cycle_level else reader.take(Limits, "limits")
    scalar = Scalar.of(cycle_level.limits, cycle_level.pipes) if cycle_level else reader.take(Scalar, "scalar")
    simt = None if cycle_level else reader.take(Simt, "simt")
    hints = get_type_hints(Device)
    defaults = {field.name: field.default for field in fields(Device)}
    numbers = {key: reader.take(hint, key, defaults[key]) for key, hint in hints.items() if hint in _NUMBERS}
    clock, own = reader.take(Tables, "clock", NOTHING), reader.finish()
    return Device(
        name=name,
        product=product,
        cuda=cuda,
        sm_name=sm_name,
        limits=limits,
        scalar=scalar,
        simt=simt,
        cycle_level=cycle_level,
        clock=tables_of(cycle_level.clock if cycle_level else NOTHING, clock),
        constants=constants_of(cycle_level.constants if cycle_level else {}, own),
        **numbers,
    )
