"""Problems as they come: batches, gaps between lines, sizes and tiles that are no power of two, LDGSTS, bf16."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simtc import arch
from simtc.errors import BadInputError, KernelFaultError
from simtc.gemm.at_hand import can_compile, program_of
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.configure import configure
from simtc.gemm.hgemm.fits import objection
from simtc.gemm.hgemm.tiles import Tiles
from simtc.gemm.operands import bits, drawn, embedded, logical
from simtc.gemm.registry import family
from simtc.run.harness import harness
from simtc.run.launch import launch
from simtc.run.simulate import simulate
from tests.gemm.hgemm.gemms import BOARDS

ASYNCHRONOUS = ("ampere", "hopper")
UNEVEN = [
    {"block": (96, 128, 32), "warp": (32, 64, 16)},  # 192 threads: the last rows of B are for some of them
    {"block": (96, 96, 96), "warp": (32, 32, 16), "layout": "none"},
    {"block": (48, 80, 32), "warp": (48, 16, 16), "layout": "xor", "accumulator": "f32"},
    {"block": (144, 48, 32), "warp": (48, 48, 16), "stages": 2},
    {"block": (32, 32, 32), "warp": (16, 16, 16), "layout": "none"},  # more threads than pieces: 128 and 256
    {"block": (32, 64, 32), "warp": (16, 16, 16)},
    {"block": (64, 32, 48), "warp": (32, 16, 16)},  # three steps along k: first fragments change their set
    {"block": (64, 32, 80), "warp": (32, 32, 16), "stages": 2, "accumulator": "f32"},
]
PIPELINES = [
    {"block": (64, 64, 32), "warp": (32, 32, 16), "stages": 2, "copy": "ldgsts"},
    {"block": (64, 64, 32), "warp": (32, 32, 16), "stages": 3, "layout": "xor", "accumulator": "f32"},
    {
        "block": (96, 48, 32),
        "warp": (32, 48, 16),
        "stages": 4,
        "transpose": "nt",
        "types": "bf16",
        "accumulator": "f32",
    },
    {"block": (64, 64, 48), "warp": (32, 32, 16), "stages": 5, "transpose": "nn", "layout": "none"},
]


def computed(made, problem, *, device=None, kernel=None, **how):
    """Launch a kernel over drawn matrices; return the launch, and how many elements of D are not the reference's.

    What lies between D's lines must stay as it was.
    """
    whole = problem.padded(made.multiple)
    before = drawn(problem, 3)
    arrays = before if whole is problem else embedded(problem, whole, before)
    arrays["D"][...] = 7
    kernel = kernel or made.program()
    shared_bytes = made.shared_bytes if kernel.shared_bytes == kernel.shared_reserved_bytes else 0
    result = launch(
        kernel, made.grid_dim(whole), made.block_dim, made.arguments(whole, arrays), shared_bytes=shared_bytes,
        device=device or BOARDS[made.arch], **how,
    )  # fmt: skip
    assert (arrays["D"][..., whole.line("D") :] == 7).all()
    expected = made.reference(whole, arrays)
    return result, int((bits(logical(whole, "D", arrays["D"])) != bits(expected)).sum())


def test_gaps_between_lines_stay_gaps():
    made = Configuration(block=(64, 64, 32), warp=(32, 32, 8), strided=True, epilogue="beta")
    problem = made.problem(
        {"m": 128, "n": 64, "k": 96, "lda": 112, "ldb": 128, "ldc": 80, "ldd": 72, "batch": (2, 3)}
        | {"alpha": 1.3, "beta": -0.7}
    )
    result, wrong = computed(made, problem, timing=True)
    assert (wrong, result.grid) == (0, (1, 2, 6))
    # each block of 64 x 64 reads its 3 tiles of A and B and its C, in sectors of 32 bytes: lines begin with one
    assert result.timing.counters["l2_sectors"] == 6 * 2 * (3 * 2 * 64 * 32 + 64 * 64) * 2 // 32


@pytest.mark.parametrize("name", BOARDS)
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_problem_in_any_tiles_gives_the_references_bits(name, data):
    """Ragged sizes, gaps, batches and transposes, in warp tiles of any whole number of instructions."""
    m, n, k = (16, 16, 8) if name == "volta" else (16, 8, 8 if name == "turing" else 16)
    pick = lambda *values: data.draw(st.sampled_from(values))  # noqa: E731 - a word for what is done ten times
    warp = m * pick(1, 2, 3), n * pick(1, 2, 3, 6), k * pick(1, 2)
    tiles = Tiles(
        block=(warp[0] * pick(1, 2, 3), warp[1] * pick(1, 2, 3), warp[2] * pick(2, 3, 4)), warp=warp, arch=name,
        layout=pick("none", "pad", "xor"), accumulator=pick("f16", "f32"), stages=pick(1, 2, 3),
        transpose=pick("tn", "nn", "nt", "tt") if name != "volta" else "tn", epilogue=pick("none", "beta"),
        strided=True,
    )  # fmt: skip
    if objection(tiles) is not None:
        tiles = replace(tiles, layout="none", stages=1, accumulator="f16")
    if objection(tiles) is not None:
        return
    made = Configuration(**{field: getattr(tiles, field) for field in Tiles.__dataclass_fields__})
    block = made.block
    sizes = {size: data.draw(st.integers(1, 2 * block[axis])) for axis, size in enumerate("mnk")}
    whole = made.problem(sizes).padded(made.multiple)
    gaps = {f"ld{x.lower()}": whole.line(x) + 8 * pick(0, 1, 3) for x in "ABCD"}
    batch = pick((), (2,), (2, 2))
    sizes |= {"batch": batch, "alpha": 1.5, "beta": -0.5 if made.epilogue == "beta" else 0.0}
    ragged = made.problem(sizes)
    if made.epilogue == "none":
        ragged = made.problem(sizes | {"alpha": 1.0})
    assert computed(made, ragged)[1] == 0
    full = made.problem({"m": whole.m, "n": whole.n, "k": whole.k, "alpha": ragged.alpha, "beta": ragged.beta} | gaps)
    assert computed(made, full)[1] == 0


@pytest.mark.parametrize("arch_name", BOARDS)
@pytest.mark.parametrize("choices", UNEVEN, ids=lambda one: "x".join(map(str, one["block"])))
def test_tiles_that_are_no_power_of_two(arch_name, choices):
    made = Configuration(arch=arch_name, **choices)
    problem = made.problem({"m": 2 * made.block[0] - 5, "n": made.block[1] - 1, "k": 3 * made.block[2] - 9})
    result, wrong = computed(made, problem, timing=True)  # the clock raises on a result that is read too early
    assert wrong == 0
    assert result.grid == (1, 2, 1)


@pytest.mark.parametrize("arch_name", ASYNCHRONOUS)
@pytest.mark.parametrize("choices", PIPELINES, ids=lambda one: f"{one['stages']}")
@pytest.mark.parametrize("tiles", [1, 2, 7])
def test_ldgsts_fills_the_stages_in_time(arch_name, choices, tiles):
    """For fewer tiles than stages too; no warp reads what has not arrived, or writes what is still read."""
    made = Configuration(arch=arch_name, **choices)
    m, n, k = made.block
    how = {"timing": True} if tiles == 7 else {"check": True}
    assert computed(made, made.problem({"m": m, "n": n, "k": tiles * k}), **how)[1] == 0
    opcodes = [one.opcode for one in made.program().instructions]
    assert opcodes.count("LDGDEPBAR") == made.ahead + made.bodies
    assert opcodes.count("DEPBAR") == 1 + made.bodies
    assert "STS" not in opcodes


def test_check_sees_a_wait_for_too_few_groups():
    made = Configuration(block=(64, 64, 32), warp=(32, 32, 16), stages=3, arch="ampere")
    kernel = made.program()
    late = tuple(
        replace(one, operands=(*one.operands[:-1], replace(one.operands[-1], value=2)))
        if one.opcode == "DEPBAR"
        else one
        for one in kernel.instructions
    )
    with pytest.raises(KernelFaultError, match=r"LDGSTS|copy|race|arrived"):
        computed(
            made, made.problem({"m": 64, "n": 64, "k": 256}), kernel=replace(kernel, instructions=late), check=True
        )


def test_more_tiles_on_their_way_hide_more_of_dram():
    """Alone on its SM, a block of small tiles waits for its copies: less where more of them are under way."""
    tiles = {"block": (64, 64, 32), "warp": (32, 32, 16), "device": "a100_sxm", "fidelity": "full"}
    cycles = [
        simulate("hgemm", m=64, n=64, k=1024, stages=stages, copy="ldgsts", **tiles).cycles for stages in (2, 3, 4)
    ]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > 1.5 * cycles[2]


@pytest.mark.parametrize("fidelity", ["analytic", "sampled", "full"])
def test_a_batch_is_that_many_grids(fidelity):
    sizes = {"m": 128, "n": 128, "k": 64, "device": "t4", "block": (64, 64, 32), "warp": (32, 32, 8)}
    one, many = (simulate("hgemm", fidelity=fidelity, **sizes, **more) for more in ({}, {"batch": (4, 40)}))
    assert (one.blocks, many.blocks) == (4, 640)
    assert many.cycles > 2 * one.cycles
    assert many.tflops / one.tflops == pytest.approx(160 * one.cycles / many.cycles)
    assert many.traffic["L2 read"] == pytest.approx(160 * one.traffic["L2 read"], rel=0.01)


def test_the_default_looks_at_the_batch():
    """One product of 256 x 256 is cut into small blocks to occupy the chip; a thousand occupy it anyway."""
    hgemm, board = family("hgemm"), arch.device("t4")
    one, many = (
        hgemm.configure(hgemm.problem({"m": 256, "n": 256, "k": 256, "batch": batch}, {}), board, {})
        for batch in (1, 1000)
    )
    assert one.block[0] * one.block[1] < many.block[0] * many.block[1]
    assert (one.strided, many.strided) == (False, True)


@pytest.mark.parametrize("arch_name", BOARDS)
def test_a_warp_with_one_chain_of_hmmas_waits_for_it(arch_name):
    """No stall count is as long as an HMMA takes to hand its sum to the next: NOPs stand between."""
    n, k = (16, 64) if arch_name == "volta" else (8, 64 if arch_name == "turing" else 128)
    made = Configuration(block=(16, n, k), warp=(16, n, k // 4), arch=arch_name, layout="none")
    assert computed(made, made.problem({"m": 16, "n": n, "k": 2 * k}), timing=True)[1] == 0
    if arch_name == "ampere":  # Turing's sum has a scoreboard, and Hopper's is there a cycle earlier
        assert "NOP" in {one.opcode for one in made.program().instructions}


def test_what_was_padded_is_judged_too():
    hgemm, board, choices = family("hgemm"), arch.device("a100_sxm"), {"stages": 3, "types": "bf16"}
    problem = hgemm.problem({"m": 50, "n": 70, "k": 90, "batch": 2, "ldd": 80}, choices)
    done = harness(hgemm.configure(problem, board, choices), problem, board, pad=True, verify=True)
    assert (done.D.shape, [verdict.correct for verdict in done.verdicts]) == ((2, 50, 70), [True])
    wrong = done.D.copy()
    wrong[1, 2, 3] += 1
    (verdict,) = done.configuration.verdicts(problem, drawn(problem, 0), wrong)
    assert (verdict.correct, verdict.note) == (False, "1 of 7000 elements differ")


def test_a_configuration_that_is_not_strided_says_so():
    made = configure(arch.device("t4"))
    for more in ({"batch": 3}, {"lda": 4096}):
        with pytest.raises(BadInputError, match="take a configuration that is strided"):
            made.problem({"m": 256, "n": 256, "k": 64} | more)
    assert made.problem({"m": 256, "n": 256, "k": 64, "batch": 1, "lda": 64}).products == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"lda": 70}, "lda 70: a line of A must start at a multiple of 16 bytes.*nearest is 72. Try: --lda 72"),
        ({"ldd": 66, "types": "bf16"}, "ldd 66: .*multiple of 4 elements; the nearest is 64. Try: --ldd 64"),
        ({"ldb": 63}, "ldb is 63: a line of B has 64 elements"),
        ({"ldb": 1 << 30}, "ldb is 1073741824: a line of B has 64 elements and at most 16777216"),
        ({"batch": (300, 300)}, "batch 90,000: one launch takes 65,535 products"),
        ({"types": "f8"}, "unknown types 'f8': known are f16, bf16"),
    ],
)
def test_what_no_line_or_batch_can_be(more, message):
    with pytest.raises(BadInputError, match=message):
        simulate("hgemm", m=64, n=64, k=64, device="a100_sxm", fidelity="analytic", **more)


@pytest.mark.skipif(not can_compile(75), reason="no nvcc is on PATH")
@pytest.mark.parametrize(
    ("arch_name", "choices"),
    [
        ("turing", UNEVEN[0] | {"strided": True, "epilogue": "beta"}),
        ("turing", {"block": (96, 48, 48), "warp": (48, 24, 8), "loads": "ldsm", "accumulator": "f32"}),
        ("ampere", {"block": (64, 96, 32), "warp": (32, 32, 16), "transpose": "nn", "epilogue": "alpha"}),
        ("ampere", PIPELINES[2] | {"strided": True}),
        ("hopper", PIPELINES[3] | {"epilogue": "beta"}),
    ],
    ids=lambda one: one if isinstance(one, str) else "x".join(map(str, one["block"])),
)
def test_the_compilers_kernel_gives_the_same_bits_and_conflicts(arch_name, choices):
    made = Configuration(arch=arch_name, **choices)
    scales = {"none": {}, "alpha": {"alpha": 1.3}, "beta": {"alpha": 1.3, "beta": -0.7}}[made.epilogue]
    m, n, k = made.block
    sizes = {"m": m, "n": 2 * n, "k": 5 * k, **scales}
    problem = made.problem(
        sizes | ({"batch": 2, "lda": 5 * k + 8 * (made.transpose[0] == "t")} if made.strided else {})
    )
    ours, theirs = (
        computed(made, problem, kernel=kernel, timing=True) for kernel in (made.program(), program_of(made.compiled()))
    )
    assert (ours[1], theirs[1]) == (0, 0)
    assert ours[0].bank_conflicts == theirs[0].bank_conflicts
    assert np.array_equal(ours[0].grid, theirs[0].grid)
