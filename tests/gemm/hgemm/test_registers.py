"""Registers are each used for one thing."""

from __future__ import annotations

import pytest

from simtc.gemm.hgemm.registers import allocate
from tests.gemm.hgemm.gemms import EVERY, name


@pytest.mark.parametrize("configuration", EVERY, ids=name)
def test_groups_do_not_overlap(configuration):
    r, family = allocate(configuration), configuration.instruction
    m, n, k = configuration.units
    copies = sum(configuration.copies)
    groups = [
        (r.accumulators, m * n * family.d.registers),
        *((first, m * k * family.a.registers) for first in r.fragments_a),
        *((first, n * k * family.b.registers) for first in r.fragments_b),
        (r.prefetch, 4 * copies),
        (r.pointers, 2 * copies),
        (r.addresses_a, r.variants[0]),
        (r.addresses_b, r.variants[1]),
        *((single, 1) for single in (*r.stores, r.one, r.remaining)),
    ]
    taken = [register for first, count in groups for register in range(first, first + count)]
    assert len(taken) == len(set(taken))
    assert max(taken) < r.total == sum(r.shares.values())
    assert r.prefetch % 4 == r.pointers % 2 == r.fragments_a[0] % 4 == r.fragments_b[1] % 4 == 0
