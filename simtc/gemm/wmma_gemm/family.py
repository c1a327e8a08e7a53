"""The family `wmma_gemm`: every type pair, shape and transpose of WMMA, straight from global memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from simtc.arch import Device
from simtc.arch.generation import ALIASES
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Compiled, Configured, Family, Option, Refused
from simtc.gemm.problem import Problem
from simtc.gemm.wmma_gemm.configuration import WmmaGemm
from simtc.gemm.wmma_gemm.pairs import PAIRS, SHAPES, TRANSPOSES, Pair, pair_named, shape_named

__all__ = ["FAMILY"]

_OWN_CODE_ONLY = (87,)  # Tegra's code runs on no other board, and later boards of its generation have desktop code
_OPTIONS = (
    Option(name="types", kind="str", help=f"of A and B, and of C: {', '.join(PAIRS)}", default="f16_f32"),
    Option(
        name="shape",
        kind="str",
        help="of the matrix instruction: " + ", ".join("x".join(map(str, shape)) for shape in SHAPES),
        default="the first that the types have",
    ),
    Option(name="transpose", kind="str", help=f"of A and B, which lie by rows: {', '.join(TRANSPOSES)}", default="nn"),
    Option(name="as_printed", kind="flag", help="index as the document prints it: right for squares alone"),
)


class _WmmaGemm(Family):
    name = "wmma_gemm"
    summary = "every type pair, shape and transpose of WMMA, operands straight from global memory"
    example = "-m 1024 -n 1024 -k 1024 --device a100_sxm --types s8"
    options = _OPTIONS

    def scales(self, choices: Mapping[str, Any]) -> tuple[float, float]:
        pair = pair_named(choices.get("types", "f16_f32"))
        return pair.alpha, pair.beta

    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        return self._made(0, choices).problem(sizes)

    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:  # noqa: ARG002
        pair = pair_named(choices.get("types", "f16_f32"))
        sm = _best(pair, device)
        if sm is None:
            having = ", ".join(one.name for one in PAIRS.values() if _best(one, device) is not None)
            has = f"it has {having}" if having else "it has none of WMMA's"
            raise BadInputError(
                f"{pair.name} is compiled for {', '.join(f'sm_{sm}' for sm in pair.built)}; {device.name} is "
                f"{device.sm_name}: {has}. Try: simtc arch"
            )
        return self._made(sm, choices)

    def space(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Iterator[Configured | Refused]:
        """Yield every type pair, shape and transpose."""
        self.problem({"m": problem.m, "n": problem.n, "k": problem.k}, choices)  # refuses names that mean nothing
        shapes = {"x".join(map(str, shape)): shape for shape in SHAPES}
        free = {"types": tuple(PAIRS), "shape": tuple(shapes), "transpose": TRANSPOSES}
        axes = [(choices[name],) if name in choices else values for name, values in free.items()]
        for types, shape, transpose in product(*axes):
            pair, name = PAIRS[types], f"{self.name} {types} {shape} {transpose}"
            sm = _best(pair, device)
            if shapes[shape] not in pair.shapes:
                yield Refused(name=name, rule="the type pair has the shape")
            elif sm is None:
                yield Refused(name=name, rule="a listing of the type pair runs on the board")
            else:
                yield self._made(sm, {**choices, "types": types, "shape": shape, "transpose": transpose})

    def configured(self, arch: str, choices: Mapping[str, Any]) -> Configured:
        return self._made(int(ALIASES.get(arch, arch).removeprefix("sm_")), choices)

    def programs(self, device: Device) -> tuple[Configured, ...]:
        return tuple(
            self._made(sm, {"types": pair.name, "shape": "x".join(map(str, shape)), "transpose": transpose})
            for pair in PAIRS.values()
            for sm in [_best(pair, device)]
            if sm is not None
            for shape in pair.shapes
            for transpose in TRANSPOSES
        )

    def compilations(self) -> Iterator[Compiled]:
        for pair in PAIRS.values():
            for sm in pair.built:
                yield self._made(sm, {"types": pair.name}).compiled()

    def _made(self, sm: int, choices: Mapping[str, Any]) -> WmmaGemm:
        pair = pair_named(choices.get("types", "f16_f32"))
        transpose = choices.get("transpose", "nn")
        if transpose not in TRANSPOSES:
            raise unknown("transpose", transpose, TRANSPOSES)
        return WmmaGemm(
            types=pair.name,
            shape=shape_named(pair, choices.get("shape")),
            transpose=transpose,
            sm=sm,
            as_printed=bool(choices.get("as_printed", False)),
        )


def _best(pair: Pair, device: Device) -> int | None:
    """Return the generation whose listing a board runs; None where it runs none."""
    chip = int(device.sm_name.removeprefix("sm_"))
    own = [sm for sm in pair.built if sm // 10 == chip // 10 and sm <= chip]
    return max((sm for sm in own if sm == chip or sm not in _OWN_CODE_ONLY), default=None)


FAMILY = _WmmaGemm()
