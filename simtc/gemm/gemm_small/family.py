"""The family `gemm_small`: batches of tiny square products."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Compiled, Configured, Family, Option
from simtc.gemm.gemm_small.configuration import LARGEST, PACKED, GemmSmall
from simtc.gemm.hgemm_batched.choose import BUILT, sm_for
from simtc.gemm.problem import Problem

__all__ = ["FAMILY"]

_PLANES = {"f16": 1, "c32": 2}  # of a number


class _GemmSmall(Family):
    name = "gemm_small"
    summary = "batches of tiny square products, N up to 32, without tensor cores or packed into them"
    example = "-m 8 -n 8 -k 8 --batch 10000"
    options = (
        Option(name="types", kind="str", help="halves (f16) or half-complex numbers (c32)", default="f16"),
        Option(name="packed", kind="flag", help=f"16 / N problems in one matrix instruction, N up to {PACKED}"),
    )

    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        return self._made(int(sizes["m"]), 0, choices).problem(sizes)

    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:
        return self._made(problem.m, sm_for(device, self.name), choices)

    def compilations(self) -> Iterator[Compiled]:
        for sm in BUILT:
            yield from (GemmSmall(size=1, sm=sm, planes=planes).compiled() for planes in (1, 2))

    def _made(self, size: int, sm: int, choices: Mapping[str, Any]) -> GemmSmall:
        types = choices.get("types", "f16")
        if types not in _PLANES:
            raise unknown(f"types of {self.name}", types, _PLANES, then=f"simtc simulate {self.name} {self.example}")
        packed, planes = bool(choices.get("packed")), _PLANES[types]
        if packed and planes == 2:
            raise BadInputError("--packed is of real numbers: leave --types c32 out")
        return GemmSmall(size=max(1, min(size, PACKED if packed else LARGEST)), sm=sm, planes=planes, packed=packed)


FAMILY = _GemmSmall()
