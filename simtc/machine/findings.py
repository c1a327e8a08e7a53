"""What the checks found, as sentences that a user reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from simtc.errors import KernelFaultError
from simtc.isa import Kernel
from simtc.machine.arena import Arena
from simtc.machine.faults import UNTOUCHED, instruction_text, lanes_text
from simtc.machine.micro import UNIFORM_PREDICATE
from simtc.machine.shadow import FINDINGS
from simtc.machine.state import GLOBAL_BASE
from simtc.machine.watch import PREDICATE_AT, UNIFORM_AT, Found

__all__ = ["findings_error"]

_SHOWN = 10
_RACES = {
    Found.READ_AFTER_WRITE: "shared memory race (read after write)",
    Found.WRITE_AFTER_WRITE: "shared memory race (write after write)",
    Found.WRITE_AFTER_READ: "shared memory race (write after read)",
    Found.COPY_NOT_WAITED_FOR: "shared memory race with an asynchronous copy that nothing has waited for",
}
_UNKNOWN = {
    Found.UNKNOWN_REGISTER: "use of a register that nothing wrote",
    Found.UNKNOWN_SHARED: "use of a value from shared memory that nothing wrote",
    Found.UNKNOWN_GLOBAL: "use of a value from global memory that nothing wrote",
}


def findings_error(
    shadows: Iterable[dict[str, np.ndarray]],
    kernel: Kernel,
    arena: Arena,
    grid: tuple[int, int, int],
    fault: KernelFaultError | None,
) -> KernelFaultError | None:
    """Build the error for what all threads of a checked run found, and for the fault that ended it; None for nothing.

    Args:
        shadows: the arrays of the checked run, one a thread.
        kernel: what ran.
        arena: to say where an address lies.
        grid: the launch's grid, to name the block.
        fault: what ended the run, if anything did.

    """
    found = sorted(
        (one for shadow in shadows for one in shadow["findings"][: int(shadow["found"][0])]),
        key=lambda one: (int(one["block"]), int(one["step"])),
    )
    first: dict[tuple[int, ...], np.void] = {}
    for one in found:
        kind, pair = int(one["kind"]), [int(one["place"]), int(one["other"])]
        first.setdefault((0, *sorted(pair)) if kind in _RACES else (kind, *pair), one)
    if not first:
        return fault
    texts = [_sentence(one, kernel, arena, grid) for one in first.values()]
    if fault is not None:
        texts.insert(0, str(fault).removesuffix(f". {UNTOUCHED}"))
    return KernelFaultError(f"{_joined(texts)}. {UNTOUCHED}")


def _joined(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    count = f"at least {len(texts)}" if len(texts) >= FINDINGS else f"{len(texts)}"
    more = [f"  and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    shown = [f"  {number}. {text}" for number, text in enumerate(texts[:_SHOWN], 1)]
    return "\n".join([f"{count} faults:", *shown, *more])


def _sentence(one: np.void, kernel: Kernel, arena: Arena, grid: tuple[int, int, int]) -> str:
    kind, number = Found(int(one["kind"])), int(one["block"])
    block = (number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1]))
    lanes = lanes_text(int(one["lanes"]))
    who = f"block {block}, warp {int(one['warp'])}, lane{'s' if '-' in lanes or ' ' in lanes else ''} {lanes}"
    here = f"{kernel.name} at {instruction_text(kernel, int(one['place']))}"
    there = instruction_text(kernel, int(one["other"])) if one["other"] >= 0 else ""
    if kind in _RACES:
        return _race(kind, one, f"{here}, {who}", there)
    if kind in _UNKNOWN:
        loaded = f", loaded at {there}" if there else ""
        return f"{_UNKNOWN[kind]}: {here}, {who}, {_register(int(one['register']))}{loaded}"
    if kind is Found.ATOMIC_ON_NOTHING:
        return f"atomic on memory that nothing wrote: {here}, {who}, {_address(int(one['address']), one, arena)}"
    return _synchronisation(kind, one, f"{here}, {who}", there)


def _race(kind: Found, one: np.void, here: str, there: str) -> str:
    warp, lane = divmod(int(one["thread"]), 32)
    same_warp, other = one["warp"] == warp, f"warp {warp}, lane {lane}"
    text = f"{_RACES[kind]}: {here}, shared address {int(one['address']):#x}, and {there} of {other}"
    if kind is Found.COPY_NOT_WAITED_FOR:
        return (
            f"{text}: a wait for the copy's group (cp.async.wait_group, __pipeline_wait_prior) is missing, or it comes "
            "too late"
        )
    if one["place"] == one["other"] and kind is Found.WRITE_AFTER_WRITE and same_warp:
        return f"{text}: nothing says which of them writes last; they need places of their own, or an atomic"
    cure = "__syncwarp()" if same_warp else "__syncthreads()"
    return f"{text}: nothing orders the two; a {cure} between them is missing"


def _register(number: int) -> str:
    if number < UNIFORM_AT:
        return f"register R{number}"
    if number < PREDICATE_AT:
        return f"register UR{number - UNIFORM_AT}"
    place = number - PREDICATE_AT
    return f"predicate UP{place - UNIFORM_PREDICATE}" if place >= UNIFORM_PREDICATE else f"predicate P{place}"


def _address(address: int, one: np.void, arena: Arena) -> str:
    if one["register"]:  # it says that the memory is global
        return f"address {GLOBAL_BASE + address:#x}: {arena.describe(GLOBAL_BASE + address)}"
    return f"shared address {address:#x}"


def _synchronisation(kind: Found, one: np.void, here: str, there: str) -> str:
    barrier, value, second = int(one["register"]), int(one["address"]), int(one["thread"])
    divergent, invalid = f"divergent threads at a barrier: {here}", f"invalid argument of a barrier: {here}"
    if kind is Found.DIVERGENT_BARRIER:
        return (
            f"{divergent}, barrier {barrier}, while lanes {lanes_text(value)} of the warp have not ended: all threads "
            "must come to it, so move it out of the branch"
        )
    if kind is Found.MISSED_BARRIER:
        return (
            f"{divergent}, come here after they took barrier {barrier} {value} times, others {second} times ({there}): "
            "all threads that have not ended must come to it, so move it out of the branch"
        )
    if kind is Found.BARRIER_COUNT:
        return f"{invalid}, barrier {barrier} of {value} threads: give a multiple of 32"
    if kind is Found.BARRIER_COUNTS:
        return (
            f"{invalid}, barrier {barrier} of {value or 'all'} threads, where {there} gives {second or 'all'}: "
            "all must give the same number"
        )
    return (
        f"invalid mask of a warp's synchronisation: {here}, mask {value:#010x}: it must name each thread that comes, "
        "so compute it before the threads part (__ballot_sync), or leave it out"
    )
