"""The family `hgemm`: f16 operands on tensor cores, made of tile sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Compiled, Configured, Family, Option, Refused
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.configure import configure
from simtc.gemm.hgemm.fits import COPIES, LAYOUTS, LOADS, TRANSPOSES, TYPES
from simtc.gemm.hgemm.problem import hgemm_problem, is_strided
from simtc.gemm.hgemm.space import space
from simtc.gemm.hgemm.tiles import ELEMENT_BYTES
from simtc.gemm.problem import Problem

__all__ = ["FAMILY"]

_OPTIONS = (
    Option(name="block", kind="shape", help="tile of a thread block", default="the fastest by closed forms"),
    Option(name="warp", kind="shape", help="step of a warp", default="the fastest by closed forms"),
    Option(name="layout", kind="str", help=f"of shared memory: {', '.join(LAYOUTS)}", default="pad"),
    Option(name="stages", kind="int", help="tiles of A and B in shared memory", default="1, of ldgsts 3"),
    Option(name="copy", kind="str", help=f"to shared memory: {', '.join(COPIES)}", default="ldg up to 2 stages"),
    Option(name="types", kind="str", help=f"of A and B: {', '.join(TYPES)}", default="f16"),
    Option(name="accumulator", kind="str", help=f"type of C: {', '.join(ELEMENT_BYTES)}", default="f16, of bf16 f32"),
    Option(name="loads", kind="str", help=f"of fragments: {', '.join(LOADS)}", default="lds up to sm_75"),
    Option(name="sts_interleave", kind="int", help="HMMAs between two STS", default="as equation 6 asks"),
    Option(name="transpose", kind="str", help=f"of A and B, as BLAS says: {', '.join(TRANSPOSES)}", default="tn"),
    Option(name="split_k", kind="int", help="slices of k for different blocks", default="1"),
)
_OF_PROBLEMS = {"accumulator": "f16", "transpose": "tn", "types": "f16"}  # choices, and what they are unless made


class _Hgemm(Family):
    name = "hgemm"
    summary = "f16 operands on tensor cores, tiles through shared memory, made of tile sizes"
    example = "-m 4096 -n 4096 -k 4096"
    options = _OPTIONS

    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        made = _completed(choices)
        return hgemm_problem(sizes, *(made.get(name, default) for name, default in _OF_PROBLEMS.items()))

    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:
        self._require_tensor_cores(device)
        rest = _staged(_completed(choices))
        rest = {name: value for name, value in rest.items() if name not in ("block", "warp")}
        return configure(
            device,
            choices.get("block"),
            choices.get("warp"),
            problem=problem,
            **_asked_by(problem) | rest,
        )

    def space(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Iterator[Configured | Refused]:
        self._require_tensor_cores(device)
        return space(device, _asked_by(problem) | _completed(choices))

    def configured(self, arch: str, choices: Mapping[str, Any]) -> Configured:
        return Configuration(arch=arch, **_staged(_completed(choices)))

    def twins(self, arch: str) -> tuple[Configured, ...]:
        from simtc.gemm.hgemm.twin import twins  # noqa: PLC0415 - closed forms start without its readers

        try:
            return twins(arch)
        except BadInputError:
            return ()

    def compilations(self) -> Iterator[Compiled]:
        from simtc.gemm.hgemm.twin import twin_generations  # noqa: PLC0415 - as above

        for arch in twin_generations():
            yield from (one.compiled() for one in self.twins(arch))

    def _require_tensor_cores(self, device: Device) -> None:
        if device.cycle_level is None:
            raise BadInputError(
                f"{device.name} ({device.sm_name}) has no tensor cores, which {self.name} runs on. Try: simtc arch"
            )


def _completed(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices with the type of sums, where that of the operands leaves only one."""
    return ({"accumulator": "f32"} if choices.get("types") == "bf16" else {}) | dict(choices)


def _staged(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices with a number of stages that LDGSTS can fill, where it was chosen without one."""
    return ({"stages": 3} if choices.get("copy") == "ldgsts" else {}) | dict(choices)


def _asked_by(problem: Problem) -> dict[str, Any]:
    """Return the choices that a problem makes."""
    epilogue = "beta" if problem.beta else "alpha" if problem.alpha != 1 else "none"
    return {"epilogue": epilogue, "strided": is_strided(problem)}


FAMILY = _Hgemm()
