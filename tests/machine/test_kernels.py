"""Every shipped kernel, on every generation it exists for, gives the bits of the chained instruction."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from simtc.resources import folder


def pairs():
    table = tomllib.loads((folder("kernels") / "kernels.toml").read_text())

    def field(name, key):
        return table[name].get(key) or field(table[name]["like"], key)

    return [pytest.param(name, sm, id=f"{name}-sm_{sm}") for name in table for sm in field(name, "sms")]


@pytest.mark.parametrize(("name", "sm"), pairs())
def test_every_bit_is_the_chained_instructions(gemm, name, sm):
    kernel = gemm.catalog[name]
    for case, sizes in enumerate(gemm.sizes_of(kernel)):
        for distribution in ("normal", "wide", "special")[case % 3 :][:1]:
            problem = gemm.Problem(name, kernel, sm, sizes, distribution, seed=case)
            got, expected = problem.run(), problem.expected()
            differ = np.flatnonzero(gemm.bits(got) != gemm.bits(expected))
            assert not differ.size, (sizes, distribution, differ.size, got.flat[differ[0]], expected.flat[differ[0]])
