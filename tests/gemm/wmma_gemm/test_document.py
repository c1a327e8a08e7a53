"""The document's own numbers and verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from simtc import arch
from simtc.errors import KernelFaultError
from simtc.gemm.wmma_gemm.configuration import WmmaGemm
from simtc.gemm.wmma_gemm.document import draw, eops, host_result, verdicts
from simtc.gemm.wmma_gemm.pairs import PAIRS
from simtc.reproduce.gannon.speed import boards_with, pairs
from simtc.reproduce.gannon.verify import verify
from simtc.reproduce.reproduce import reproduce
from simtc.run.harness import harness
from tests.gemm.wmma_gemm.test_programs import FAMILY


def run(sizes, board="a100_sxm", **choices):
    alpha, beta = FAMILY.scales(choices)
    problem = FAMILY.problem(dict(zip("mnk", sizes, strict=True)) | {"alpha": alpha, "beta": beta}, choices)
    device = arch.device(board)
    return harness(FAMILY.configure(problem, device, choices), problem, device, pad=True, verify=True)


def test_the_exact_numbers():
    for item in ("types", "shapes", "padding", "eops"):
        assert [one.name for one in reproduce(f"gannon/{item}").items if one.differs] == []
    blocks = {item.name: item.simtc[3] for item in reproduce("gannon/padding").items}
    assert sorted(set(blocks.values())) == [24649, 24727, 97969]
    made = WmmaGemm(types="s8", shape=(16, 16, 16), transpose="nn", sm=80)
    assert eops(made.problem({"m": 10000, "n": 10000, "k": 10000})) == 2_000_200_000_000


@pytest.fixture(scope="module")
def found():
    return {item.name: item for item in verify()[0]}


def test_the_verdicts_of_the_pairs(found):
    words = {name: item.simtc for name, item in found.items()}
    for types in ("s8, 128x64x64", "u8, 128x64x64", "f64, 64x64x64", "f16_f32, 64x64x1000"):
        assert (words[f"{types}: by the document's rule"], words[f"{types}: exactly"]) == ("CORRECT", "CORRECT")
    tf32 = found["tf32, 128x128x128: by the document's rule"]
    assert (tf32.simtc, tf32.note.endswith("the largest difference is 5.44043")) == ("WRONG", True)


def test_what_overflowed_is_correct_by_the_printed_rule_alone(found):
    """At K = 1000 some elements are still finite, and they are what the rule finds; at 1200 none is."""
    before, after = (found[f"f16_f16, 64x64x{k}: exactly"] for k in (1000, 1200))
    assert "97.8 % of them are not finite" in before.note
    assert "100.0 % of them are not finite" in after.note
    assert after.simtc == "WRONG"
    assert found["f16_f16, 64x64x1200: by the document's rule"].simtc == "CORRECT"
    assert "95 of 4096" in found["f16_f16, 64x64x1000: by the document's rule"].note


def test_printed_transposes_are_right_for_squares_alone_and_ours_everywhere(found):
    words = {name: item.simtc for name, item in found.items()}
    assert words["s8, 128x64x64, tn: exactly"] == words["s8, 64x64x64, tt, as printed: exactly"] == "CORRECT"
    for one in ("s8, 128x64x64, tn, as printed", "s8, 64x64x128, nt, as printed"):
        assert (words[f"{one}: by the document's rule"], words[f"{one}: exactly"]) == ("CORRECT", "WRONG")


def test_printed_transposes_read_beyond_the_matrix_where_k_is_large():
    with pytest.raises(KernelFaultError, match="out-of-bounds global access: wmma_gemm_s8_m16n16k16_tn"):
        run((64, 64, 128), types="s8", transpose="tn", as_printed=True)


def test_8_bit_alpha_wraps_on_the_device_and_not_on_the_host():
    made = WmmaGemm(types="s8", shape=(16, 16, 16), transpose="nn", sm=80)
    problem = made.problem({"m": 16, "n": 16, "k": 16, "alpha": -20, "beta": 3})
    arrays = draw(problem, 0)
    device, host = made.reference(problem, arrays), host_result(made, problem, arrays)
    assert (device != host).any()
    assert [verdict.correct for verdict in verdicts(made, problem, arrays, device)] == [False, False]


def test_a_seed_draws_whole_numbers_below_16():
    for types in PAIRS:
        made = WmmaGemm(types=types, shape=PAIRS[types].shapes[0], transpose="nn", sm=80)
        arrays = draw(made.problem({"m": 32, "n": 32, "k": 32}), 1)
        values = np.unique(arrays["A"].astype(np.float64))
        assert (values.min(), values.max()) == (0, 15)


def test_the_table_of_pairs_and_boards():
    assert "t4" in boards_with("s8")
    assert "t4" not in boards_with("bf16")
    items, svg = pairs(boards=["t4", "v100_sxm2"], size=512)
    expected = [("f16_f32", "t4"), ("f16_f32", "v100_sxm2"), ("f16_f16", "t4"), ("f16_f16", "v100_sxm2")]
    expected += [("u8", "t4"), ("s8", "t4")]
    assert [item.name for item in items] == [f"{types} on {board}, TOPS" for types, board in expected]
    assert all(item.simtc > 0 and "% of" in item.note for item in items)
    assert svg.count("<circle") == len(expected)
