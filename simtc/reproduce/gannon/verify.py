"""The document's verification: what it finds, and what it cannot find."""

from __future__ import annotations

from functools import cache
from typing import Any

from simtc import arch
from simtc.gemm.family import Verdict
from simtc.gemm.registry import family
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.run.harness import Harnessed, harness

__all__ = ["verify"]

_BOARD = "a100_sxm"  # any Ampere board has Orin's bits
_CASES: tuple[tuple[str, dict[str, Any], tuple[int, int, int]], ...] = (
    ("s8", {}, (128, 64, 64)),
    ("u8", {}, (128, 64, 64)),
    ("f64", {}, (64, 64, 64)),
    ("f16_f32", {}, (64, 64, 1000)),
    ("bf16", {}, (64, 64, 1000)),
    ("tf32", {}, (128, 128, 128)),
    ("f16_f16", {}, (64, 64, 1000)),
    ("f16_f16", {}, (64, 64, 1200)),
    ("s8", {"transpose": "tn"}, (128, 64, 64)),
    ("s8", {"transpose": "tn", "as_printed": True}, (128, 64, 64)),
    ("s8", {"transpose": "nt", "as_printed": True}, (64, 64, 128)),
    ("s8", {"transpose": "tt", "as_printed": True}, (64, 64, 64)),
)


@cache
def _run(types: str, choices: tuple[tuple[str, Any], ...], sizes: tuple[int, int, int]) -> Harnessed:
    wmma, board = family("wmma_gemm"), arch.device(_BOARD)
    chosen = {"types": types, **dict(choices)}
    alpha, beta = wmma.scales(chosen)
    problem = wmma.problem({**dict(zip("mnk", sizes, strict=True)), "alpha": alpha, "beta": beta}, chosen)
    return harness(wmma.configure(problem, board, chosen), problem, board, pad=True, verify=True)


def _word(verdict: Verdict) -> str:
    return "CORRECT" if verdict.correct else "WRONG"


def verify() -> tuple[list[Item], str | None]:
    """Both verdicts of every pair, of what overflows, and of the transposes as printed."""
    items = []
    tolerances = printed("gannon")["types"]
    for types, choices, sizes in _CASES:
        done = _run(types, tuple(choices.items()), sizes)
        by_rule, exact = done.verdicts
        words = [
            types,
            "x".join(map(str, sizes)),
            choices.get("transpose", ""),
            "as printed" * ("as_printed" in choices),
        ]
        name = ", ".join(word for word in words if word)
        note = f"tolerance {tolerances[types][2]:g}: {by_rule.note}"
        items += [
            Item(
                name=f"{name}: by the document's rule", paper=None, simtc=_word(by_rule), kind="simulation", note=note
            ),
            Item(name=f"{name}: exactly", paper=None, simtc=_word(exact), kind="simulation", note=exact.note),
        ]
    return items, None
