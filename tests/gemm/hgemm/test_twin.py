"""Twins: the compiler's kernels of the same configurations compute and collide as the generated ones."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.gemm.hgemm import generate
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.twin import definitions, twin, twin_name, twins
from simtc.resources import folder
from simtc.run.launch import launch
from tests.gemm.hgemm.gemms import BOARDS, arguments, operands, promised_conflicts, reference

EVERY = [one for arch in ("turing", "hopper") for one in twins(arch)]


@pytest.mark.parametrize("configuration", EVERY, ids=lambda one: f"{one.arch}-{twin_name(one)}")
def test_the_compilers_kernel_gives_the_same_bits_and_conflicts(configuration):
    m, n, k = configuration.block
    A, B = operands(2 * m, n, 3 * k)
    D = np.zeros((2 * m, n), np.float16 if configuration.accumulator == "f16" else np.float32)
    result = launch(
        twin(configuration),
        configuration.grid(2 * m, n),
        configuration.threads,
        arguments(A, np.ascontiguousarray(B.T), D),
        shared_bytes=configuration.shared_bytes,
        device=BOARDS[configuration.arch],
        timing=True,
    )
    expected = reference(A, B, configuration.accumulator, configuration.arch)
    np.testing.assert_array_equal(D.view(np.uint8), expected.view(np.uint8))
    assert result.bank_conflicts == promised_conflicts(configuration, blocks=2)


@pytest.mark.parametrize("configuration", EVERY, ids=twin_name)
def test_both_take_the_same_launch(configuration):
    ours, compiled = generate(configuration), twin(configuration)
    for kernel in (ours, compiled):
        assert [(p.offset, p.size) for p in kernel.parameters] == [(p.offset, p.size) for p in ours.parameters]
        assert (kernel.sm, kernel.max_threads) == (configuration.sm_number, configuration.threads)
    assert compiled.shared_bytes == compiled.shared_reserved_bytes  # all of it is asked for at launch


@pytest.mark.parametrize(("arch", "sm"), [("turing", "sm_75"), ("hopper", "sm_90")])
def test_every_listing_is_of_a_configuration_and_there_are_enough(arch, sm):
    shipped = {path.stem for path in (folder("kernels") / "twins" / sm).iterdir()}
    assert shipped == {twin_name(one) for one in twins(arch)} == {twin_name(one) for one in twins(sm)}
    assert len(shipped) >= 8


def test_what_the_template_cannot_be():
    with pytest.raises(
        BadInputError, match=r"has no twin: hgemm_general\.cu is for sm_75 and later, and does not split k"
    ):
        definitions(Configuration(block=(64, 64, 32), warp=(32, 32, 8), arch="volta"))
    with pytest.raises(BadInputError, match=r"does not ship for sm_75: add it to kernels/twins\.toml"):
        twin(Configuration(block=(64, 64, 32), warp=(32, 32, 8)))
    with pytest.raises(BadInputError, match="unknown generation with twins 'volta': known are turing, hopper"):
        twins("volta")
