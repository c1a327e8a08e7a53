"""simtc simulate lu: where the time of an LU factorization goes."""

from __future__ import annotations

from typing import Any

import click

from simtc.cli.options import refuse
from simtc.cli.output import to_json
from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError, unknown
from simtc.gemm.registry import options as family_options
from simtc.linalg import lu_time
from simtc.report.linalg import lu_text
from simtc.run.simulate import FIDELITIES

__all__ = ["ALGORITHMS", "simulate_lu"]

ALGORITHMS = ("lu",)  # what simtc.linalg makes of products
_EXAMPLE = "simtc simulate lu -n 4096 --nb 128 --device a100_sxm"
_REFUSED = ("m", "k", "batch", "alpha", "beta", "lda", "ldb", "ldc", "ldd", "clock_mhz", "caches", "exploring")


def simulate_lu(given: dict[str, Any], *, as_json: bool) -> None:
    """Print where the time of an LU goes."""
    refuse("on lu, which has a size n, --nb, --look-ahead, --device and --fidelity", *_REFUSED, *family_options())
    if given["n"] is None:
        raise BadInputError(f"lu needs -n. Try: {_EXAMPLE}")
    if given["fidelity"] not in FIDELITIES:
        raise unknown("fidelity", given["fidelity"], FIDELITIES)
    if given["fidelity"] != "analytic":
        note_compilation()
    names = ("nb", "device", "fidelity", "look_ahead")
    with bar("panels") as progress:
        found = lu_time(
            given["n"], progress=progress, **{name: given[name] for name in names if given[name] is not None}
        )
    click.echo(to_json(found.to_dict()) if as_json else lu_text(found))
