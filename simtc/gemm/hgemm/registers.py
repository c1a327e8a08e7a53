"""Which registers a kernel uses for what: fixed homes, none ever moved or spilled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simtc.gemm.hgemm.pieces import copier_limits

if TYPE_CHECKING:  # it says how many registers it takes
    from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["EPILOGUE", "SCRATCH", "Registers", "allocate", "epilogue_row", "fragment_registers"]

_CHUNK = 8  # halves in 16 bytes
EPILOGUE = 12  # of the epilogue's registers, before those of its rows
SCRATCH = 16  # registers that the set-up and the epilogue work with
_QUAD = 4  # registers that an LDSM.4 writes
SETS = 2  # of fragments: one is multiplied while the other is loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Registers:
    """The first register of each group.

    The set-up works in R0 and up, before accumulators and fragments hold anything; the epilogue from `free` on, when
    everything but the accumulators is dead.
    """

    accumulators: int
    fragments_a: tuple[int, int]  # of either set
    fragments_b: tuple[int, int]
    prefetch: int  # four for each LDG.128, those of A first
    pointers: int  # two for each LDG.128
    addresses_a: int  # shared-memory addresses of fragment loads, one for each variant
    addresses_b: int
    variants: tuple[int, int]  # of either: 1, or with the xor layout one for each place along a row
    stores: tuple[int, int]  # shared-memory addresses of STS.128, of A and B
    pitches: tuple[int, int]  # bytes from one row to the next of an operand whose rows do not go along k
    one: int  # holds 1: IMAD.WIDE adds 64-bit numbers with it
    remaining: int  # tiles of k that are still to be multiplied
    limits: tuple[int, ...]  # for each of copier_limits(tiles): so many tiles must remain that the thread copies one
    free: int
    total: int
    shares: dict[str, int]  # registers by use


def _fragment_sets(place: int, sizes: tuple[int, int]) -> tuple[tuple[tuple[int, int], tuple[int, int]], int]:
    """Lay out both sets of fragments of A and of B from a register on; return also the first register behind them."""
    firsts = []
    for size in SETS * sizes:
        firsts.append(_aligned(place, 4))
        place = firsts[-1] + size
    return ((firsts[0], firsts[2]), (firsts[1], firsts[3])), place


def allocate(tiles: Tiles) -> Registers:
    """Lay out the registers of a configuration, whether or not they fit.

    Example:
        >>> from simtc.gemm.hgemm.configuration import Configuration
        >>> yan = allocate(Configuration(block=(256, 256, 32), warp=(128, 64, 8)))
        >>> yan.total, yan.shares
        (230, {'accumulators': 128, 'fragments': 48, 'prefetch': 32, 'addresses': 22})

    """
    m, n, k = tiles.units
    side_a, side_b, side_d = tiles.instruction.a, tiles.instruction.b, tiles.instruction.d
    accumulators = m * n * side_d.registers
    copies = sum(tiles.copies)
    variants = (_variants(tiles, 0), _variants(tiles, 1))
    sizes = k * fragment_registers(m, side_a.registers), k * fragment_registers(n, side_b.registers)
    (a_sets, b_sets), place = _fragment_sets(accumulators, sizes)
    prefetch = _aligned(max(place, SCRATCH), 4)
    pointers = prefetch + (0 if tiles.asynchronous else 4 * copies)
    addresses_a = pointers + 2 * copies
    addresses_b = addresses_a + variants[0]
    store = addresses_b + variants[1]
    pitch = store + 4
    limit = pitch + sum(tiles.turned)
    limits = tuple(range(limit, limit + len(copier_limits(tiles))))
    end = limit + len(limits)
    total = max(end, _aligned(accumulators, 4) + max(SCRATCH, EPILOGUE + epilogue_row(tiles)))
    return Registers(
        accumulators=0,
        fragments_a=a_sets,
        fragments_b=b_sets,
        prefetch=prefetch,
        pointers=pointers,
        addresses_a=addresses_a,
        addresses_b=addresses_b,
        variants=variants,
        stores=(store, store + 1),
        pitches=(pitch, limit - 1),
        one=store + 2,
        remaining=store + 3,
        limits=limits,
        free=_aligned(accumulators, 4),
        total=total,
        shares={
            "accumulators": accumulators,
            "fragments": prefetch - accumulators,
            "prefetch": pointers - prefetch,
            "addresses": total - pointers,
        },
    )


def fragment_registers(count: int, each: int) -> int:
    """Return the registers of `count` operands side by side, from where those of the next part of k start.

    LDSM.4 writes registers from a multiple of four on, so three operands of two take the room of four.
    """
    return count * each if count * each < _QUAD else _aligned(count * each, _QUAD)


def epilogue_row(tiles: Tiles) -> int:
    """Return the registers that the epilogue takes for a row of D: pointers, and where it is added to, a row of C."""
    return 4 + _aligned(tiles.row_registers, 4) if tiles.epilogue == "beta" else 2


def _aligned(place: int, to: int) -> int:
    return -(-place // to) * to


def _variants(tiles: Tiles, which: int) -> int:
    """Return how many addresses an operand's fragment loads start from.

    An exclusive or cannot be an instruction's immediate offset, so the xor layout takes an address for each place of a
    load along a row, as far as the layout's turns go.
    """
    if tiles.layout != "xor":
        return 1
    if tiles.turned[which]:
        return max(min(tiles.tiles[which].turns * _CHUNK, tiles.warp[which]) // tiles.load_rows(which), 1)
    return tiles.block[2] // tiles.load_depth
