"""What a fit found, as a change of the chips' data files that a person reads and applies: nothing is edited here."""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from simtc.arch import Device
from simtc.arch.device import load_device
from simtc.arch.generation import load_sm
from simtc.calibrate.board import shared
from simtc.calibrate.fit import Fitted
from simtc.errors import BadInputError, SimtcError
from simtc.validate.capture import Capture

__all__ = ["patch"]

_FOLDER = Path(__file__).resolve().parent.parent / "arch"
_SOURCE = "fit"


def patch(capture: Capture, board: Device, fitted: Sequence[Fitted]) -> str:
    """Return a unified diff over simtc/arch/sm/SM.toml and simtc/arch/devices/BOARD.toml; "" where nothing changes.

    A constant changes where it may move, was determined, and its old value lies outside the uncertainty.

    Raises:
        SimtcError: the changed files would not load.

    """
    changes = [one for one in fitted if one.changes]
    own = [one for one in changes if not shared(board, one.constant)]
    of_sm = [one for one in changes if one not in own]
    out = []
    for path, some in ((f"sm/{board.sm_name}.toml", of_sm), (f"devices/{board.name}.toml", own)):
        if some:
            old = (_FOLDER / path).read_text(encoding="utf-8")
            new = _changed(old, board, some, _citation(capture))
            _prove(path, new)
            lines = difflib.unified_diff(
                old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/simtc/arch/{path}",
                f"b/simtc/arch/{path}", n=0,
            )  # fmt: skip
            out.append("".join(lines))
    return "".join(out)


def _citation(capture: Capture) -> str:
    machine = capture.machine
    return f"simtc fit: the microbenchmarks of validate/microbench.toml on one {machine['device']}, {capture.date}"


def _changed(text: str, board: Device, fitted: Sequence[Fitted], citation: str) -> str:
    """Replace the lines of constants, cite the fit, and drop sources that nothing cites any more."""
    lines = text.splitlines(keepends=True)
    for one in fitted:
        constant = board.provenance(one.constant)
        place = _place(lines, constant.section, constant.key)
        lines[place] = _line(lines[place], one)
    start = lines.index("[sources]\n")
    known = [line for line in lines[start + 1 :] if not line.startswith(f"{_SOURCE} = ")]
    cited = "".join(lines[:start])
    kept = [line for line in known if not line.strip() or _key(line) in cited]
    return cited + "[sources]\n" + "".join([*kept, f'{_SOURCE} = "{citation}"\n'])


def _key(line: str) -> str:
    """Return how a constant's line cites what a line of [sources] explains."""
    return f'source = "{line.split(" = ", maxsplit=1)[0]}"'


def _place(lines: Sequence[str], section: str, key: str) -> int:
    """Return the line of a constant in its table."""
    table = ""
    for place, line in enumerate(lines):
        if line.startswith("["):
            table = line.strip().strip("[]").replace('"', "")
        elif table == section and line.startswith(f"{key} = {{"):
            return place
    raise BadInputError(f"[{section}] {key} stands on no line of its own")


def _line(line: str, one: Fitted) -> str:
    value = f"{one.value:.6g}"
    whole = "." not in value and "e" not in value
    value += ".0" if whole and type(one.old) is float else ""
    line = re.sub(r"value = [^,]+,", f"value = {value},", line, count=1)
    line = re.sub(r'status = "\w+"', 'status = "fitted"', line, count=1)
    line = re.sub(r'source = "\w+"', f'source = "{_SOURCE}"', line, count=1)
    note = f'note = "{one.low:g} to {one.high:g} fit as well; was {one.old:g}"'
    return re.sub(r'note = ".*"', note, line) if "note = " in line else line.replace("}", f", {note}}}", 1)


def _prove(path: str, text: str) -> None:
    """Load a changed file, so that no patch is written that simtc would refuse."""
    read = load_sm if path.startswith("sm/") else load_device
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / Path(path).name
        file.write_text(text, encoding="utf-8")
        try:
            read.__wrapped__(file)
        except BadInputError as error:
            raise SimtcError(f"the fitted constants make no chip: {error}") from None
