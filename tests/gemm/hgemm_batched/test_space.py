"""The space: as many configurations as the paper and the release have, in the release's order."""

from __future__ import annotations

import doctest
from collections import Counter
from pathlib import Path

import pytest

from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.family import Refused
from simtc.gemm.hgemm_batched.closed_form import fragments_of, register_demand
from simtc.gemm.hgemm_batched.configuration import BatchedGemm
from simtc.gemm.hgemm_batched.selection import selected_versions
from simtc.gemm.hgemm_batched.shipped import shipped
from simtc.gemm.hgemm_batched.space import tiling_of, version_of
from simtc.gemm.registry import family
from simtc.reproduce.printed import printed
from simtc.run.simulate import simulate

NOTE = Path(__file__).resolve().parents[3] / "sass_notes" / "thread_reshaping.md"
COUNTS = {
    ("hgemm_batched", "v100_pcie"): (8229, 3951, 2139),
    ("hgemm_batched", "t4"): (7668, 3702, 1983),
    ("hgemm_batched", "a100_pcie"): (8274, 3966, 2154),
    ("hgemm_batched", "h200"): (8274, 3966, 2154),
    ("hcgemm_batched", "v100_pcie"): (6581, 3237, 1672),
    ("hcgemm_batched", "t4"): (4685, 2349, 1168),
    ("hcgemm_batched", "a100_pcie"): (8180, 3930, 2125),
}


def space(name, board, size=32, **choices):
    one = family(name)
    problem = one.problem({"m": size, "n": size, "k": size, "batch": (1000,)}, {})
    return list(one.space(problem, arch.device(board), choices))


@pytest.mark.parametrize(("name", "board"), COUNTS)
def test_as_many_as_the_rules_leave(name, board):
    found = [one for one in space(name, board) if isinstance(one, BatchedGemm)]
    shapes = Counter(one.tiling.shape for one in found)
    assert (len(found), shapes[16, 16, 16], shapes[32, 8, 16]) == COUNTS[name, board]
    assert shapes[32, 8, 16] == shapes[8, 32, 16]


def test_what_prunes_the_papers_own_words():
    found = space("hgemm_batched", "v100_pcie")
    rules = Counter(one.rule for one in found if isinstance(one, Refused))
    assert len(found) == 14792
    assert sorted(rules.values()) == [45, 952, 1644, 3922]


def test_every_selected_version_has_its_published_parameters():
    rows = printed("magma2020")["selection"]
    assert {int(version) for version in rows} == set(selected_versions())
    for version, row in rows.items():
        one = tiling_of(int(version))
        assert [*one.dim, *one.block, *one.shape] == row
        assert version_of(one) == int(version)


def test_spills_prune_none_of_the_selected():
    demand = {v: register_demand(BatchedGemm(tiling=tiling_of(v), sm=70)) for v in range(1, 8230)}
    assert sum(one > 215 for one in demand.values()) == 2876
    assert max(demand[version] for version in selected_versions()) <= 215


def test_no_tile_beyond_a_matrix_leaves_the_counts_of_each_size():
    tiles = [tiling_of(version).block for version in range(1, 8230)]
    for size, count in ((16, 7), (32, 127), (48, 334), (64, 1029), (80, 1710), (96, 3510), (112, 4947), (128, 8229)):
        assert sum(max(tile) <= size for tile in tiles) == count
    assert sum(max(tile[:2]) <= 64 and tile[2] == 16 for tile in tiles) == 224


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"version": 8230}, r"version 8230: 1 to 8229"),
        ({"version": 4019, "dim": "16x4"}, r"--version says all of --dim: leave one"),
        ({"dim": "16"}, r"--dim '16': 2 sizes, such as --dim 16x4"),
        ({"shape": "16x8x8"}, r"unknown shape of a matrix instruction.*16x16x16, 32x8x16, 8x32x16"),
        ({"block": (80, 80, 20)}, r"TC_M, TC_N and TC_K divide BLK_M.*Try: --block \d+,\d+,16"),
        ({"block": (48, 48, 48), "dim": "32x4"}, r"DIM_X and DIM_Y each divide BLK_M.*Try: --block .* --dim"),
        ({"block": (64, 64, 64), "dim": "32x32"}, r"at most 256 threads"),
        ({"block": (16, 24, 16)}, r"BLK_M, BLK_N and BLK_K are|divide BLK_M"),
        ({"block": (256, 16, 16)}, r"at most 128"),
        ({"dim": "16x5"}, r"a multiple of 32"),
        ({"transpose": "nc"}, r"unknown transpose 'nc'"),
        ({"layout": "xor"}, r"unknown layout 'xor'"),
    ],
)
def test_bad_parameters_name_the_rule_and_the_nearest(choices, message):
    one = family("hgemm_batched")
    problem = one.problem({"m": 32, "n": 32, "k": 32}, {})
    with pytest.raises(BadInputError, match=message):
        one.configure(problem, arch.device("v100_pcie"), choices)


def test_what_is_not_named_is_magmas_choice_or_the_fastest_by_closed_forms():
    one, board = family("hgemm_batched"), arch.device("v100_pcie")
    problem = one.problem({"m": 32, "n": 32, "k": 32, "batch": (1000,)}, {})
    assert one.configure(problem, board, {}).to_dict()["version"] == 4019
    made = one.configure(problem, board, {"block": (32, 32, 32)})
    assert made.tile == (32, 32, 32)
    others = [x for x in space("hgemm_batched", "v100_pcie", block=(32, 32, 32)) if isinstance(x, BatchedGemm)]
    assert made.closed_form(problem, board).cycles == min(x.closed_form(problem, board).cycles for x in others)


def test_problems_that_no_launch_takes():
    one = family("hgemm_batched")
    with pytest.raises(BadInputError, match=r"batch 65,536: one launch takes 65,535"):
        one.problem({"m": 8, "n": 8, "k": 8, "batch": (65536,)}, {})
    with pytest.raises(BadInputError, match="writes D over C"):
        one.problem({"m": 8, "n": 8, "k": 8, "ldc": 9}, {})
    assert one.problem({"m": 8, "n": 8, "k": 8, "batch": (4, 5)}, {}).products == 20
    complex_ = family("hcgemm_batched").problem({"m": 8, "n": 8, "k": 8}, {})
    assert (complex_.flops, complex_.element_bytes("A")) == (8 * 8**3, 4)


def test_every_number_of_the_note():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 10) == (0, True)


def test_fragments_are_loaded_as_often_as_the_listings_do():
    """LDSM of 8 x 8 matrices in the code of a step along k, of warp 0: the compiler's, against the rule's."""
    seen = 0
    for made in (one for one in shipped(90, 1) if one.transpose == "nn" and one.layout == "none"):
        loads = [one for one in made.program().instructions if one.opcode == "LDSM"]
        matrices = sum(int(next((word for word in one.modifiers if word in "124"), "1")) for one in loads)
        tiling = made.tiling
        m, n, depth = tiling.shape
        rows, columns = fragments_of(tiling, 0)
        assert matrices == tiling.block[2] // depth * (rows * m + columns * n) * depth // 64, made.name
        seen += rows < columns
    assert seen >= 6


def test_a_number_of_products_is_one_axis():
    closed = {"m": 32, "n": 32, "k": 32, "device": "v100_pcie", "version": 4019, "fidelity": "analytic"}
    assert simulate("hgemm_batched", **closed, batch=1000) == simulate("hgemm_batched", **closed, batch=(1000,))
    for batch in ("1000", 2.5, (3, None)):
        with pytest.raises(BadInputError, match=r"batch .*: a number of products, or a tuple"):
            simulate("hgemm_batched", **closed, batch=batch)
