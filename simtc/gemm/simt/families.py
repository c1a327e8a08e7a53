"""What `sgemm`, `dgemm`, `cgemm` and `zgemm` are as families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from simtc.arch import Device
from simtc.arch.generation import ALIASES
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Compiled, Configured, Family, Option, Refused
from simtc.gemm.problem import Problem
from simtc.gemm.simt.blocking import KINDS, Blocking, candidates
from simtc.gemm.simt.configuration import BUILT, SimtGemm, shipped_blockings
from simtc.gemm.simt.fits import refusal
from simtc.gemm.simt.numbers import Numbers

__all__ = ["SimtFamily"]

_BLOCKING = (
    Option(name="block", kind="shape", help="tile of a thread block", default="the fastest by closed forms"),
    Option(
        name="blocking", kind="str", help="of operands: register, or shared: A from registers, B from shared memory"
    ),
    Option(name="threads", kind="str", help="of a block, X x Y, where --blocking is shared", default="16x4"),
)
_TRANSPOSE = Option(
    name="transpose", kind="str", help="of A and B, as BLAS says, with c for a conjugate transpose", default="nn"
)
_COMPLEX = Option(name="complex", kind="str", help="by three real products or by four: m3, 4m", default="m3")


class SimtFamily(Family):
    """GEMM outside the tensor cores, of one kind of numbers."""

    def __init__(self, numbers: Numbers) -> None:
        """Make the family of some numbers."""
        self.numbers = numbers
        self.name = numbers.family  # type: ignore[misc] # four families of one class
        self.summary = f"{numbers.text} outside the tensor cores, blocked for registers"  # type: ignore[misc]
        self.example = "-m 1024 -n 1024 -k 1024 --device t4"  # type: ignore[misc]
        self.options = (*_BLOCKING, _TRANSPOSE, *((_COMPLEX,) if numbers.is_complex else ()))  # type: ignore[misc]

    def problem(self, sizes: Mapping[str, Any], choices: Mapping[str, Any]) -> Problem:
        """Return the problem of given sizes."""
        return self._made(shipped_blockings(self.numbers)[0], 0, choices).problem(sizes)

    def configure(self, problem: Problem, device: Device, choices: Mapping[str, Any]) -> Configured:
        """Return the kernel that was chosen, or of those that can be the fastest by closed forms."""
        if "block" in choices:
            made = self._made(self._chosen(choices), _generation(device), choices)
            why = refusal(made, device)
            if why:
                raise BadInputError(f"{made.name} in blocks of {','.join(map(str, made.tile))}: {why.rule}")
            return made
        found = [one for one in self.space(problem, device, choices) if isinstance(one, SimtGemm)]
        if not found:
            raise BadInputError(
                f"no kernel of {self.name} on {device.name} has --blocking {choices.get('blocking')} and "
                f"--transpose {choices.get('transpose', 'nn')}. Try: --blocking register"
            )
        return min(found, key=lambda one: one.closed_form(problem, device).cycles)

    def space(
        self,
        problem: Problem,  # noqa: ARG002 - as every family's
        device: Device,
        choices: Mapping[str, Any],
    ) -> Iterator[Configured | Refused]:
        """Yield what can be tuned: every listing that ships, and of boards without a clock all blockings."""
        sm = _generation(device)
        if sm in BUILT:
            tried = [(one.kind, one.block, one.threads) for one in shipped_blockings(self.numbers)]
        else:  # where operands come from shared memory at no load, blocking for registers was not tried yet
            older = device.simt is not None and device.simt.shared_operand_cycles > 0
            kind = choices.get("blocking", "shared" if older and not self.numbers.is_complex else "register")
            tried = [one for one in candidates() if one[0] == kind]
        methods = (choices["complex"],) if "complex" in choices else self.numbers.methods
        for (kind, block, threads), method in product(tried, methods):
            if kind != choices.get("blocking", kind) or block != choices.get("block", block):
                continue
            try:
                made = self._made(Blocking(kind=kind, block=block, threads=threads), sm, {**choices, "complex": method})
            except BadInputError as error:
                label = f"{kind} {'x'.join(map(str, block))} of {threads[0]}x{threads[1]} threads"
                yield Refused(name=label, rule=str(error).split(". Try")[0].split(": ", 1)[1])
                continue
            yield refusal(made, device) or made

    def programs(self, device: Device) -> tuple[Configured, ...]:
        """Return every kernel that ships for a board."""
        sm = _generation(device)
        return tuple(one for one in self._shipped(sm)) if sm in BUILT else ()

    def compilations(self) -> Iterator[Compiled]:
        """Yield every listing."""
        for sm in BUILT:
            yield from {one.compiled().listing: one.compiled() for one in self._shipped(sm)}.values()

    def configured(self, arch: str, choices: Mapping[str, Any]) -> Configured:
        """Return the kernel of choices for a generation."""
        sm = int(ALIASES.get(arch, arch).removeprefix("sm_"))
        return self._made(self._chosen(choices), sm, choices)

    def _shipped(self, sm: int) -> Iterator[SimtGemm]:
        letters = "ntc" if self.numbers.is_complex else "nt"
        for blocking, method in product(shipped_blockings(self.numbers), self.numbers.methods):
            for pair in product(letters, letters):
                if blocking.kind == "register" or pair[0] == "n":
                    yield self._made(blocking, sm, {"transpose": "".join(pair), "complex": method})

    def _chosen(self, choices: Mapping[str, Any]) -> Blocking:
        """Return the blocking of choices."""
        default = shipped_blockings(self.numbers)[0]
        block = tuple(choices.get("block", default.block))
        kind = choices.get("blocking", "shared" if "threads" in choices else "register")
        threads = "16x16" if kind == "register" else choices.get("threads", "16x4")
        sides = threads.split("x")
        if len(sides) != 2 or not all(side.isdecimal() for side in sides):
            raise BadInputError(f"threads {threads!r}: along x and y, such as 16x4")
        return Blocking(kind=kind, block=(block[0], block[1], block[2]), threads=(int(sides[0]), int(sides[1])))

    def _made(self, blocking: Blocking, sm: int, choices: Mapping[str, Any]) -> SimtGemm:
        transpose, method = choices.get("transpose", "nn"), choices.get("complex", self.numbers.methods[0])
        letters = "ntc" if self.numbers.is_complex else "nt"
        pairs = ["".join(pair) for pair in product(letters, letters)]
        if transpose not in pairs:
            raise unknown("transpose", transpose, pairs)
        if method not in self.numbers.methods:
            raise unknown(f"way to multiply in {self.name}", method, self.numbers.methods)
        if choices.get("blocking", blocking.kind) not in KINDS:
            raise unknown("blocking", choices["blocking"], KINDS)
        if blocking.kind == "shared" and self.numbers.is_complex:
            raise BadInputError(f"blocking shared: {self.name} is blocked for registers. Try: --blocking register")
        if blocking.kind == "shared" and transpose[0] != "n":
            raise BadInputError(
                f"transpose {transpose}: a row of D a thread is coalesced where A is not transposed. "
                "Try: --blocking register"
            )
        return SimtGemm(numbers=self.numbers, blocking=blocking, transpose=transpose, method=method, sm=sm)


def _generation(device: Device) -> int:
    """Return the generation whose listing a board runs; its own, where none does."""
    chip = int(device.sm_name.removeprefix("sm_"))
    return max((sm for sm in BUILT if sm // 10 == chip // 10 and sm <= chip), default=chip)
