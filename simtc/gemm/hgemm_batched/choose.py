"""From choices to a configuration: what was named, the table's version otherwise, and refusals with the nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Configured, Refused
from simtc.gemm.hgemm_batched.configuration import PADS, TRANSPOSES, BatchedGemm
from simtc.gemm.hgemm_batched.selection import selected_version
from simtc.gemm.hgemm_batched.shipped import COMPLEX_VERSIONS
from simtc.gemm.hgemm_batched.space import broken_rule, limit_bytes, tiling_of, tilings
from simtc.gemm.hgemm_batched.tiling import SHAPES, Tiling
from simtc.gemm.problem import Problem

__all__ = ["BUILT", "chosen", "made_with", "space"]

BUILT = (70, 75, 80, 90)  # generations with listings
_ACCUMULATORS = ("f16", "f32")


def made_with(tiling: Tiling, sm: int, planes: int, choices: Mapping[str, Any]) -> BatchedGemm:
    """Return a configuration's kernel with transposes, sums and layout as chosen.

    Raises:
        BadInputError: a choice that there is not.

    """
    transpose, layout = choices.get("transpose", "nn"), choices.get("layout", "none")
    accumulator = choices.get("accumulator", "f16")
    for what, given, known in (
        ("transpose", transpose, TRANSPOSES),
        ("layout", layout, PADS),
        ("accumulator", accumulator, _ACCUMULATORS[: 3 - planes]),
    ):
        if given not in known:
            raise unknown(what, given, known)
    return BatchedGemm(tiling=tiling, sm=sm, transpose=transpose, accumulator=accumulator, layout=layout, planes=planes)


def sm_for(device: Device, family: str) -> int:
    """Return the generation whose code a board runs.

    Raises:
        BadInputError: it has no tensor cores.

    """
    chip = int(device.sm_name.removeprefix("sm_"))
    own = [sm for sm in BUILT if sm // 10 == chip // 10 and sm <= chip]
    if not own or device.cycle_level is None:
        raise BadInputError(
            f"{device.name} ({device.sm_name}) has no tensor cores, which {family} runs on. Try: simtc arch"
        )
    return max(own)


def chosen(problem: Problem, device: Device, planes: int, choices: Mapping[str, Any]) -> BatchedGemm:
    """Return the kernel for a problem: the version or the parameters that are named, else MAGMA's choice.

    Where some parameters are named, closed forms choose the others.

    Raises:
        BadInputError: names the rule that is broken, and the nearest configuration that there is.

    """
    named = _named(choices)
    sm = sm_for(device, "hcgemm_batched" if planes == 2 else "hgemm_batched")
    if not named:
        if planes == 2 and "version" not in choices:
            return _of_listings(problem, device, sm, choices)
        version = choices.get("version", selected_version(problem))
        return _fitting(made_with(tiling_of(version), sm, planes, choices), device)
    if "version" in choices:
        raise BadInputError(f"--version says all of --{', --'.join(named)}: leave one of them out")
    made = [one for one in space(problem, device, planes, choices) if isinstance(one, BatchedGemm)]
    if not made:
        raise _no_such(named, device, planes, choices)
    if len(made) == 1:
        return made[0]
    return min(made, key=lambda one: one.closed_form(problem, device).cycles)


def _of_listings(problem: Problem, device: Device, sm: int, choices: Mapping[str, Any]) -> BatchedGemm:
    """Return the complex kernel that closed forms find fastest of those that ship: MAGMA has released none."""
    made = [made_with(tiling_of(version), sm, 2, choices) for version in COMPLEX_VERSIONS]
    return min(made, key=lambda one: one.closed_form(problem, device).cycles)


def space(problem: Problem, device: Device, planes: int, choices: Mapping[str, Any]) -> Iterator[Configured | Refused]:
    """Yield every configuration that the paper's words allow, in MAGMA's order, or the rule that prunes it."""
    named, limit = _named(choices), limit_bytes(device)
    sm = sm_for(device, "hcgemm_batched" if planes == 2 else "hgemm_batched")
    only = tiling_of(choices["version"]) if "version" in choices else None
    first = made_with(tilings()[0], sm, planes, choices)  # refuses the other choices at once
    del problem, first
    for tiling in tilings():
        if only not in (None, tiling) or any(getattr(tiling, name) != value for name, value in named.items()):
            continue
        made = made_with(tiling, sm, planes, choices)
        rule = broken_rule(tiling, made.dynamic_shared_bytes, limit)
        yield Refused(name=made.name, rule=rule) if rule else made


def _named(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tuning parameters among the choices, as a Tiling has them."""
    named: dict[str, Any] = {}
    if "block" in choices:
        named["block"] = tuple(choices["block"])
    if "dim" in choices:
        named["dim"] = _numbers("dim", choices["dim"], 2)
    if "shape" in choices:
        named["shape"] = _numbers("shape", choices["shape"], 3)
        if named["shape"] not in SHAPES:
            known = ["x".join(map(str, shape)) for shape in SHAPES]
            raise unknown("shape of a matrix instruction of halves", choices["shape"], known)
    return named


def _numbers(name: str, text: Any, count: int) -> tuple[int, ...]:
    parts = str(text).replace(",", "x").split("x") if isinstance(text, str) else [str(part) for part in text]
    if len(parts) != count or not all(part.isdecimal() and len(part) < 10 for part in parts):
        example = "16x4" if count == 2 else "32x8x16"
        raise BadInputError(f"--{name} {text!r}: {count} sizes, such as --{name} {example}")
    return tuple(map(int, parts))


def _fitting(made: BatchedGemm, device: Device) -> BatchedGemm:
    rule = broken_rule(made.tiling, made.dynamic_shared_bytes, limit_bytes(device))
    if rule:
        raise BadInputError(f"{made.name} on {device.name} takes {made.dynamic_shared_bytes:,} bytes: {rule}")
    return made


def _no_such(named: Mapping[str, Any], device: Device, planes: int, choices: Mapping[str, Any]) -> BadInputError:
    """Say which rule the named parameters break, and which configuration is nearest to them."""
    limit = limit_bytes(device)
    given = " ".join(f"--{name} {'x'.join(map(str, value))}" for name, value in named.items())
    able = [
        one
        for one in tilings()
        if broken_rule(one, made_with(one, BUILT[0], planes, choices).dynamic_shared_bytes, limit) is None
    ]

    def distance(one: Tiling) -> float:
        pairs = [pair for name, value in named.items() for pair in zip(getattr(one, name), value, strict=True)]
        return sum(abs(log2(mine / max(theirs, 1))) for mine, theirs in pairs)

    near = min(able, key=distance)
    like = " ".join(
        f"--{name} {(',' if name == 'block' else 'x').join(map(str, getattr(near, name)))}" for name in named
    )
    return BadInputError(f"{given}: {_broken(named, device, planes, choices)}. Try: {like}")


def _broken(named: Mapping[str, Any], device: Device, planes: int, choices: Mapping[str, Any]) -> str:
    """Return the first rule that every configuration with the named parameters breaks."""
    block, dim, shape = (named.get(name) for name in ("block", "dim", "shape"))
    if block and any(not 1 <= size <= 128 for size in block):
        return "BLK_M, BLK_N and BLK_K are at most 128"
    if dim and (not 1 <= dim[0] * dim[1] <= 1024 or dim[0] * dim[1] % 32):
        return "DIM_X x DIM_Y is a multiple of 32, at most 1,024"
    if block and dim and any(size % side for size in block for side in dim):
        return "DIM_X and DIM_Y each divide BLK_M, BLK_N and BLK_K"
    if block and not any(
        all(size % unit == 0 for size, unit in zip(block, one, strict=True)) for one in ([shape] if shape else SHAPES)
    ):
        return "TC_M, TC_N and TC_K divide BLK_M, BLK_N and BLK_K"
    for one in tilings():
        if all(getattr(one, name) == value for name, value in named.items()):
            rule = broken_rule(one, made_with(one, BUILT[0], planes, choices).dynamic_shared_bytes, limit_bytes(device))
            if rule:
                return rule
    return "no configuration has all of these"
