"""Cards of opcodes: what the instruction table knows of each."""

from __future__ import annotations

from simtc.isa.opcodes import Opcode, opcodes
from simtc.report.cards.card import Card

__all__ = ["opcode_cards"]

_PIPES = {
    "alu": "ALU pipe",
    "fma": "FMA pipe",
    "fmaheavy": "FMA pipe",
    "fp16": "FP16 pipe",
    "fp64": "FP64 pipe",
    "xu": "XU pipe",
    "uniform": "uniform pipe",
    "tensor": "tensor pipe",
    "lsu": "LSU queue",
}
_BEHIND = {
    "shared": "[data stage: 32 banks]",
    "global": "[L1] --miss--> [L2] --miss--> [DRAM]",
    "generic": "[shared memory, or L1 and L2 and DRAM]",
    "local": "[L1] --miss--> [L2]",
}
_CURES = {
    "tensor": "Keep the pipe fed: fragments in registers before they are needed, several independent D.",
    "lsu": "Wide, aligned, coalesced accesses without bank conflicts, and room between them.",
    "xu": "Few of them: the pipe takes one in several cycles.",
}


def opcode_cards() -> list[Card]:
    """Return a card for every opcode of the instruction table."""
    return [_card(one) for one in opcodes().values()]


def _card(one: Opcode) -> Card:
    latency = "the compiler counts the cycles until its result (fixed latency)"
    if one.latency == "variable":
        latency = "a scoreboard says when its result is there (variable latency)"
    if one.fixed_from is not None:
        latency += f"; from sm_{one.fixed_from} on the compiler counts cycles instead"
    where = {
        "none": "It occupies no pipe",
        "adu": "It executes in the ADU",
        "cbu": "It executes in the branch unit (CBU)",
    }
    place = where.get(one.unit) or f"It executes in the {one.unit} pipe"
    memory = f" It reads or writes {' and '.join(one.spaces)} memory." if one.spaces else ""
    pipe = _PIPES.get(one.unit)
    return Card(
        word=one.name,
        kind="opcode",
        what=f"{one.name} {one.does}. {place}; {latency}.{memory}",
        picture=(_path(one),),
        cure=_CURES.get(one.unit, ""),
        where="clock.md#memory" if one.unit == "lsu" else "sass.md#two-kinds-of-latency",
        see=tuple(filter(None, (pipe, *(_causes(one))))),
    )


def _path(one: Opcode) -> str:
    """Draw the way of an instruction."""
    if one.unit == "none":
        return "[scheduler]"
    name = {"lsu": "LSU queue"}.get(
        one.unit, one.unit.upper() + " pipe" if one.unit not in ("adu", "cbu") else one.unit
    )
    stations = ["[scheduler]", f"[{name}]", *(_BEHIND[space] for space in one.spaces)]
    if one.writes:
        stations.append(f"{'scoreboard' if one.latency == 'variable' else 'fixed latency'}: result in {one.writes}")
    return " --> ".join(stations)


def _causes(one: Opcode) -> tuple[str, ...]:
    """Return the stall causes that a reader of its result, or the next of its kind, meets."""
    if one.unit == "tensor":
        return ("math_pipe_throttle", "fused step")
    if one.unit == "lsu":
        return ("long_scoreboard", "lg_throttle") if "global" in one.spaces else ("short_scoreboard", "mio_throttle")
    return ("wait",) if one.latency == "fixed" else ("short_scoreboard",)
