"""Every generated kernel computes the instruction's own bits, keeps the clock's rules, and collides as promised."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simtc.arch import device, device_names
from simtc.errors import BadInputError
from simtc.gemm.hgemm import Configuration, generate, program
from simtc.gemm.registry import family
from simtc.run.launch import launch
from simtc.sass import write_listing
from tests.gemm.hgemm.gemms import (
    BOARDS,
    EVERY,
    arguments,
    configurations,
    name,
    operands,
    promised_conflicts,
    reference,
    run,
)


@pytest.mark.parametrize("configuration", EVERY, ids=name)
def test_bits_hazards_and_conflicts(configuration):
    result, D, A, B = run(configuration)  # the clock raises on a result that is read too early
    expected = reference(A, B, configuration.accumulator, configuration.arch)
    np.testing.assert_array_equal(D.view(np.uint8), expected.view(np.uint8))
    assert result.bank_conflicts == promised_conflicts(configuration)
    assert (result.bank_conflicts == 0) == (configuration.layout != "none")


@pytest.mark.parametrize(("arch", "count"), [("turing", 12), ("volta", 6), ("ampere", 6), ("hopper", 6)])
def test_enough_of_every_generation(arch, count):
    assert len({name(one) for one in configurations(arch)}) >= count


@pytest.mark.parametrize("board", [one for one in device_names() if device(one).cycle_level])
def test_every_board_has_a_program(board):
    """Those of sm_86 and sm_89 take 16 and 32 cycles for an HMMA, which no stall count says."""
    for accumulator in ("f16", "f32"):
        problem = family("hgemm").problem({"m": 512, "n": 512, "k": 512}, {})
        made = family("hgemm").configure(problem, device(board), {"accumulator": accumulator})
        assert max(one.control.stall for one in made.program().instructions) <= 15


@pytest.mark.parametrize("arch", BOARDS)
@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("tiles", [1, 2, 5])
def test_any_number_of_tiles_and_blocks(arch, stages, tiles):
    one = Configuration(block=(64, 32, 32), warp=(32, 16, 16 if arch != "volta" else 8), stages=stages, arch=arch)
    result, D, A, B = run(one, blocks=(2, 3), tiles=tiles, timing=False)
    np.testing.assert_array_equal(D, reference(A, B, "f16", arch))
    assert result.grid == (3, 2, 1)


@pytest.mark.parametrize("arch", BOARDS)
@pytest.mark.parametrize("accumulator", ["f16", "f32"])
@pytest.mark.parametrize("epilogue", ["alpha", "beta"])
def test_an_epilogue_rounds_once_and_beta_c_before(arch, accumulator, epilogue):
    one = Configuration(block=(128, 64, 32), warp=(64, 16, 16), arch=arch, accumulator=accumulator, epilogue=epilogue)
    kind = np.float16 if accumulator == "f16" else np.float32
    A, B = operands(128, 64, 96)
    C, D = np.random.default_rng(5).standard_normal((128, 64)).astype(kind), np.zeros((128, 64), kind)
    args = arguments(A, np.ascontiguousarray(B.T), D, C, 1.3, -0.7)
    launch(generate(one), one.grid(128, 64), one.threads, args, device=BOARDS[arch], timing=True)
    exact = reference(A, B, accumulator, arch).astype(np.float64) * float(kind(1.3))
    if epilogue == "beta":
        exact += (float(kind(-0.7)) * C.astype(np.float64)).astype(kind)
    np.testing.assert_array_equal(D, exact.astype(kind))


@pytest.mark.parametrize("arch", ["turing", "ampere", "hopper"])
@pytest.mark.parametrize("transpose", ["nn", "nt", "tt"])
@pytest.mark.parametrize("layout", ["none", "pad", "xor"])
@pytest.mark.parametrize(
    ("block", "warp", "stages", "accumulator"),
    [
        ((64, 64, 32), (32, 32, 16), 1, "f16"),
        ((64, 128, 64), (32, 64, 16), 2, "f32"),
        ((64, 32, 32), (32, 16, 16), 1, "f16"),
    ],
)
def test_transposes(arch, transpose, layout, block, warp, stages, accumulator):
    one = Configuration(
        arch=arch, transpose=transpose, layout=layout, block=block, warp=warp, stages=stages, accumulator=accumulator
    )
    m, n, k = 2 * block[0], 2 * block[1], 3 * block[2]
    A, B = operands(m, n, k)
    D = np.zeros((m, n), np.float16 if accumulator == "f16" else np.float32)
    given = (
        np.ascontiguousarray(A.T) if transpose[0] == "n" else A,
        B if transpose[1] == "t" else np.ascontiguousarray(B.T),
    )
    result = launch(generate(one), one.grid(m, n), one.threads, arguments(*given, D), device=BOARDS[arch], timing=True)
    np.testing.assert_array_equal(D, reference(A, B, accumulator, arch))
    assert (result.bank_conflicts == 0) == (layout != "none")


def test_volta_has_nothing_to_turn_fragments_with():
    with pytest.raises(BadInputError, match="transpose tt: sm_70 has no LDSM to turn fragments with"):
        generate(Configuration(block=(64, 64, 32), warp=(32, 32, 8), arch="volta", transpose="tt"))


def test_the_papers_configuration():
    yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
    result, D, A, B = run(yan, tiles=2)
    np.testing.assert_array_equal(D, reference(A, B, "f16", "turing"))
    assert (yan.threads, yan.shared_bytes, yan.interleave, result.bank_conflicts) == (256, 36864, 5, 0)
    assert generate(yan).registers <= 255


def _main_loop(kernel):
    branch = next(i for i in kernel.instructions if i.opcode == "BRA" and i.operands[-1].value < i.address)
    return kernel.instructions[branch.operands[-1].value // 16 : branch.address // 16]


@pytest.mark.parametrize("interleave", [0, 2, 5, None])
def test_stores_are_as_far_apart_as_asked(interleave):
    one = Configuration(block=(256, 256, 32), warp=(128, 64, 8), sts_interleave=interleave)
    body = [i.opcode for i in _main_loop(generate(one)) if i.opcode in ("HMMA", "STS")]
    places = [place for place, opcode in enumerate(body) if opcode == "STS"]
    between = {body[a:b].count("HMMA") for a, b in pairwise(places)}
    assert between == {one.interleave}
    assert one.interleave == (5 if interleave is None else interleave)


@pytest.mark.parametrize("configuration", EVERY, ids=name)
def test_an_iteration_does_what_the_tiles_ask_for(configuration):
    body = [i.opcode for i in _main_loop(generate(configuration))]
    m, n, k = configuration.block
    units = m * n * k // np.prod(configuration.instruction.shape) // (configuration.threads // 32)
    assert body.count("HMMA") == configuration.stages * configuration.instruction.steps * units
    assert body.count("LDG") == body.count("STS") == configuration.stages * sum(configuration.copies)
    assert body.count("BAR") == 2  # two for a single buffer, one for each of two


def test_what_padding_to_blocks_means():
    one = Configuration(block=(64, 128, 32), warp=(32, 32, 8))
    assert one.padded(65, 128, 1) == (128, 128, 32)
    assert one.grid(65, 128) == (1, 2, 1)


def test_a_program_names_its_configuration_and_has_no_encoding():
    one = Configuration(block=(64, 64, 32), warp=(32, 32, 8))
    made = program(one)
    assert (list(made), eval(made.origin)) == ([one.name], one)  # noqa: S307 - results have an evaluable repr
    with pytest.raises(BadInputError, match="encoding"):
        write_listing(made)
