"""Whatever is done to a listing, to a cubin or to what nvdisasm prints: a Program or a simtc error, nothing else."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simtc.errors import SimtcError
from simtc.resources import folder
from simtc.sass import load, parse_listing
from simtc.sass.container import cubins_of
from simtc.sass.disassembler import parse_disassembly
from simtc.sass.elf import read_cubin
from simtc.sass.text import parse_instruction

_DATA = Path(__file__).with_name("data")
_CUBIN = (_DATA / "traps_sm75.cubin").read_bytes()
_FATBIN = (_DATA / "traps.fatbin").read_bytes()
_DISASSEMBLY = (_DATA / "traps_sm75.txt").read_text()
_LISTING = (folder("kernels") / "listings" / "sm_75" / "wmma_ragged.sass").read_text()
_LINES = _LISTING.split("\n")
# Pieces that mean something to the readers, so that mutations get past the first check.
_PIECES = [
    "", "-", "0", "0x", "0xffffffff", "-0x80000000", "ffffffffffffffff", "[", "]", "][", "`(", ")", "|", "!", "@",
    "@!P0 ", "R255", "RZ", "UR63", "PT", "c[0x0][", "cx[", "desc[UR4][", ".reuse", ".64", "+", "+-", ", ", " ", "\n",
    "#", ".end\n", ".code\n", ".kernel k\n", ".constant 3 00\n", ".sm 999\n", "1e400", "+QNAN", "1.5", "\0", "\u00e9",
    "\ud7ff", "9" * 30,
]  # fmt: skip

_FAST = settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def mutated(draw, original):
    """Replace up to four stretches, somewhere, by something."""
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(original)))
        if isinstance(original, bytes):  # mostly in place: what is inserted moves everything behind it
            piece = draw(st.binary(min_size=1, max_size=8))
            size = draw(st.sampled_from([len(piece), len(piece), len(piece), 0]))
        else:
            piece = draw(st.sampled_from(_PIECES) | st.text(max_size=4))
            size = draw(st.sampled_from([0, 1, 2, 8, 64]))
        original = original[:at] + piece + original[at + size :]
    return original[: draw(st.integers(0, len(original)))] if draw(st.integers(0, 9)) == 0 else original


@st.composite
def mutated_lines(draw):
    """A listing with lines mutated, doubled, dropped or moved."""
    lines = list(_LINES)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(["mutate", "mutate", "mutate", "double", "drop", "move"]))
        line = lines.pop(at)
        if what == "mutate":
            lines.insert(at, draw(mutated(line)))
        elif what == "double":
            lines[at:at] = [line, line]
        elif what == "move":
            lines.insert(draw(st.integers(0, len(lines))), line)
    return "\n".join(lines)


@_FAST
@given(mutated_lines())
def test_listing(text):
    with contextlib.suppress(SimtcError):
        parse_listing(text)


@_FAST
@given(st.sampled_from([line.split(maxsplit=4)[-1] for line in _LINES if line[:1].isdigit()]).flatmap(mutated))
def test_instruction(text):
    with contextlib.suppress(SimtcError):
        parse_instruction(text, address=0)


@_FAST
@given(mutated(_CUBIN))
def test_cubin(cubin):
    with contextlib.suppress(SimtcError):
        read_cubin(cubin, "x.cubin")


# Headers, section table and metadata are where a cubin's structure is: change 1 byte of the first or last parts.
@_FAST
@given(st.integers(0, 63) | st.integers(len(_CUBIN) - 64 * 30, len(_CUBIN) - 1), st.integers(0, 255))
def test_cubin_header(at, value):
    with contextlib.suppress(SimtcError):
        read_cubin(_CUBIN[:at] + bytes([value]) + _CUBIN[at + 1 :], "x.cubin")


@_FAST
@given(mutated(_FATBIN))
def test_fatbin(fatbin):
    with contextlib.suppress(SimtcError):
        cubins_of(fatbin, "x.fatbin")


@settings(max_examples=100, deadline=None)
@given(mutated(_DISASSEMBLY))
def test_disassembly(text):
    with contextlib.suppress(SimtcError):
        parse_disassembly(text)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cubin=mutated(_CUBIN))
def test_load(cubin, recorded, tmp_path):
    recorded("traps_sm75.txt")
    path = tmp_path / "x.cubin"
    path.write_bytes(cubin)
    with contextlib.suppress(SimtcError):
        load(path)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cubin=mutated(_CUBIN))
def test_load_with_the_real_nvdisasm(cubin, tmp_path):
    path = tmp_path / "x.cubin"
    path.write_bytes(cubin)
    with contextlib.suppress(SimtcError):
        load(path)
