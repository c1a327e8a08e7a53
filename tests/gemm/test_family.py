"""The protocol of families: found by their folders, complete, and named nowhere else."""

from __future__ import annotations

import ast
from math import prod
from pathlib import Path

import numpy as np
import pytest

import simtc
from simtc import arch
from simtc.errors import BadInputError
from simtc.gemm.family import Option
from simtc.gemm.operands import dtype, logical, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import families, family, family_names, options
from simtc.run.launch import launch

HOME = Path(simtc.__file__).parent
ROOMS = ("run", "cli", "validate", "gpu", "report", "results", "calibrate", "machine", "timing", "analytic")


def test_every_folder_with_a_family_is_one():
    assert set(family_names()) == {path.parent.name for path in (HOME / "gemm").glob("*/family.py")}
    for one in families():
        assert one.name in family_names()
        assert one.summary
        assert one.example.startswith("-m ")
    with pytest.raises(BadInputError, match=r"unknown family 'hgem'.*did you mean 'hgemm'.*simulate hgemm -m"):
        family("hgem")


def _strings(path):
    """Yield the strings of a module that are no docstrings, and what it imports."""
    tree = ast.parse(path.read_text())
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_room_says_a_familys_name(room):
    for path in (HOME / room).rglob("*.py"):
        if "lessons" in path.parts:  # which teach by particular kernels
            continue
        said = {name for text in _strings(path) for name in family_names() if name in text}
        assert not said, path


def test_one_option_has_one_kind():
    for by_family in options().values():
        assert len({one.kind for one in by_family.values()}) == 1
    with pytest.raises(BadInputError, match="unknown kind of option 'number'"):
        Option(name="x", kind="number", help="")


def test_a_choice_that_a_family_does_not_take_is_named():
    with pytest.raises(BadInputError, match=r"unknown choice of hgemm 'blok'.*did you mean 'block'"):
        family("hgemm").accepted({"blok": (64, 64, 32)})
    assert family("hgemm").accepted({"warp": None, "stages": 2}) == {"stages": 2}
    with pytest.raises(BadInputError, match=r"block 64 of hgemm: three sizes m, n, k, such as"):
        family("hgemm").accepted({"block": 64})


def _given(one):
    """Return a problem of a family: of any sizes, or of one that takes squares alone a square."""
    try:
        return one.problem({"m": 40, "n": 72, "k": 24, "alpha": -2.0, "beta": 3.0}, {})
    except BadInputError:
        return one.problem({"m": 8, "n": 8, "k": 8, "alpha": -2.0, "beta": 3.0}, {})


@pytest.mark.parametrize("name", family_names())
@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "h200"])
def test_the_program_gives_the_reference_bit_for_bit(name, board):
    """Whatever a family is: its own launch of its own program is what its reference says."""
    one, device = family(name), arch.device(board)
    given = _given(one)
    try:
        made = one.configure(given, device, {})
    except BadInputError:
        assert device.sm_name not in {f"sm_{compiled.sm}" for compiled in one.compilations()}
        return
    problem = given.padded(made.multiple)
    assert all(size % unit == 0 for size, unit in zip((problem.m, problem.n, problem.k), made.multiple, strict=True))
    rng, arrays = np.random.default_rng(2), zeros(problem)
    for matrix in "ABC":
        arrays[matrix][...] = rng.integers(-8, 9, arrays[matrix].shape).astype(dtype(problem, matrix))
    expected = made.reference(problem, arrays)
    launch(
        made.program(), made.grid_dim(problem), made.block_dim, made.arguments(problem, arrays),
        shared_bytes=made.dynamic_shared_bytes, device=device,
    )  # fmt: skip
    result = logical(problem, "D", arrays["D"])
    assert np.ascontiguousarray(result).tobytes() == np.ascontiguousarray(expected).tobytes()
    assert np.count_nonzero(result) > result.size / 2
    closed = made.closed_form(given, device)
    assert (closed.family, closed.blocks) == (name, prod(made.grid_dim(problem)))
    assert 0 < closed.peak_share < 1


def test_a_problem_counts_c_as_often_as_it_moves():
    sizes = {"m": 256, "n": 256, "k": 256}
    plain, beta = Problem(**sizes), Problem(**sizes, beta=1.0)
    assert (plain.arithmetic_intensity, beta.arithmetic_intensity) == (2 * 256 / 6, 2 * 256 / 8)
    many = Problem(**sizes, batch=(3, 5), types="s32.s8.s8.s32")
    assert (many.flops, many.bytes) == (15 * 2 * 256**3, 15 * 6 * 256**2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"m": 0}, "m is 0: 1 to 16777216"),
        ({"batch": (4, 0)}, "an axis has at least one product"),
        ({"types": "f16"}, "those of D, A, B and C"),
        ({"types": "f16.f16.f17.f16"}, "unknown number format 'f17'.*did you mean 'f16'"),
        ({"majors": ("row", "column", "row")}, "unknown major 'column'"),
        ({"ldb": 7}, "ldb is 7: a line of B has 8 elements"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(fields, message):
    with pytest.raises(BadInputError, match=message):
        Problem(**{"m": 8, "n": 8, "k": 8, **fields})


@pytest.mark.parametrize("board", ["v100_sxm2", "t4", "a100_sxm", "h200"])
def test_the_default_configuration_looks_at_the_problem(board):
    device, hgemm = arch.device(board), family("hgemm")

    def chosen(size):
        return hgemm.configure(hgemm.problem({"m": size, "n": size, "k": size}, {}), device, {})

    small, large = chosen(100), chosen(8192)
    assert small.block[0] * small.block[1] <= 64 * 64 < large.block[0] * large.block[1]
    assert small.threads >= 128  # a warp for every sub-core
    forced = hgemm.configure(hgemm.problem({"m": 100, "n": 100, "k": 100}, {}), device, {"block": large.block})
    problem = hgemm.problem({"m": 100, "n": 100, "k": 100}, {})
    assert small.closed_form(problem, device).cycles < forced.closed_form(problem, device).cycles


@pytest.mark.parametrize("scales", [{"alpha": 1j}, {"beta": -0.5 + 2j}])
def test_real_matrices_take_real_factors(scales):
    for one in families():
        try:
            plain = one.problem({"m": 8, "n": 8, "k": 8}, {})
        except BadInputError:  # a family of other sizes
            continue
        if plain.is_complex:
            assert one.problem({"m": 8, "n": 8, "k": 8} | scales, {}).is_complex
            continue
        with pytest.raises(BadInputError, match=f"matrices of {plain.element('D')} take real ones"):
            one.problem({"m": 8, "n": 8, "k": 8} | scales, {})
