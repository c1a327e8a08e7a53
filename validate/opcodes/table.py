"""What the opcode campaign asks of a chip: every operation once, as CUDA C++ of its own, grouped by operands."""

from __future__ import annotations

from dataclasses import dataclass

from atomics import float_atomics, half_atomics
from floating import approximate, approximate_double, bfloat_approximate, double, half_approximate, packed, single
from integer import integer
from lanes import elected, lanes
from operands import DOMAINS
from operation import Op

__all__ = ["OPS_PER_KERNEL", "Group", "groups", "source"]

OPS_PER_KERNEL = 24


@dataclass(frozen=True)
class Group:
    """Operations that one kernel executes over the inputs of one domain."""

    kernel: str
    domain: str
    ops: tuple[Op, ...]


def groups() -> tuple[Group, ...]:
    """Return every group; names that begin with approximate_ are compared within a bound, the rest bit for bit."""
    exact = {
        "integer": list(integer()),
        "single": [*single()],
        "half": [*packed("f16"), *half_atomics("f16x2")],
        "bfloat": [*packed("bf16"), *half_atomics("bf16x2")],
        "double": [*double()],
        "lanes": list(lanes()),
        "elected_lanes": list(elected()),
        "single_atomics": list(float_atomics())[:2],
        "double_atomics": list(float_atomics())[2:],
        "approximate_single": list(approximate()),
        "approximate_double": list(approximate_double()),
        "approximate_half": list(half_approximate()),
        "approximate_bfloat": list(bfloat_approximate()),
    }
    out = []
    for name, ops in exact.items():
        domain = next(d for d in DOMAINS if d in name.split("_"))
        for first in range(0, len(ops), OPS_PER_KERNEL):
            out.append(Group(f"{name}_{first // OPS_PER_KERNEL}", domain, tuple(ops[first : first + OPS_PER_KERNEL])))
    return tuple(out)


_KERNEL = """
extern "C" __global__ void %s(const unsigned* in, unsigned* out, unsigned* scratch, int n)
{
    __shared__ __align__(16) unsigned words[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    const unsigned a = in[i], b = in[n + i], c = in[2 * n + i], d = in[3 * n + i], e = in[4 * n + i], f = in[5 * n + i];
    const unsigned long long A = a | (unsigned long long)(d) << 32, B = b | (unsigned long long)(e) << 32, C = c | (unsigned long long)(f) << 32;
    const float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);
    const double da = __longlong_as_double(A), db = __longlong_as_double(B), dc = __longlong_as_double(C);
    const unsigned short ha = a, hb = b, hc = c;
    unsigned* const mine = scratch + 2 * i;
    unsigned r0, r1;
%s
}
"""


def source() -> str:
    """Return the campaign as one CUDA source: a kernel a group, a result a row of `out`."""
    text = ["#include <cuda_fp16.h>", "#include <cuda_bf16.h>"]
    for group in groups():
        lines, row = [], 0
        for op in group.ops:
            stores = f"out[{row} * n + i] = r0;" + (f" out[{row + 1} * n + i] = r1;" if op.words == 2 else "")
            lines.append(f"    {op.code} {stores}")
            row += op.words
        text.append(_KERNEL % (group.kernel, "\n".join(lines)))
    return "\n".join(text)


if __name__ == "__main__":
    print(source())
