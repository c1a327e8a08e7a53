"""Recorded launches: pointers are found in parameters, and each launch finds what those before it left."""

from __future__ import annotations

import json
import runpy
import struct
import sys

import numpy as np
import pytest

from simtc.resources import folder
from simtc.validate.campaigns.others import cases
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.recorded import (
    _APART,
    _FIRST,
    Recorded,
    _before,
    _contents,
    _programs,
    _steps,
    _with_arrays,
    recorded_launches,
)


def at(buffer, offset=0):
    return _FIRST + buffer * _APART + offset


def step(**what):
    return json.dumps(what)


def launched(kernel, *parameters):
    return step(
        step="launch", kernel=kernel, grid=[2, 1, 1], block=[32, 1, 1], shared_bytes=0,
        parameters=[one.hex() for one in parameters],
    )  # fmt: skip


@pytest.fixture
def archive(monkeypatch):
    """One program of three launches: two kernels, with bytes set and copied in between."""
    one = struct.pack("<QQ", at(0), at(1, 4))
    lines = [
        step(step="program", name="scan/8"),
        step(step="buffer", address=at(0), bytes=8, contents="bits"),
        step(step="buffer", address=at(1), bytes=8, contents="zeros"),
        launched("init", one),
        step(step="set", to=at(0, 2), value=7, bytes=2),
        launched("sweep", one, struct.pack("<i", 3)),
        step(step="copy", to=at(1), **{"from": at(0)}, bytes=4),
        launched("sweep", one, struct.pack("<i", 4)),
    ]
    for kept in (_programs, _before):
        kept.cache_clear()
    monkeypatch.setattr("simtc.validate.recorded._members", lambda: {"scans.jsonl": "\n".join(lines).encode()})
    yield
    for kept in (_programs, _before):
        kept.cache_clear()


def adds(_, args):
    """Play a kernel that adds 1 to its first buffer."""
    args[0].pointers[0][0][:] += 1


@pytest.mark.usefixtures("archive")
def test_of_each_kernel_the_first_launch_is_compared():
    assert [(one.program, one.number, one.kernel_name) for one in recorded_launches()] == [
        ("scan/8", 0, "init"), ("scan/8", 1, "sweep"),
    ]  # fmt: skip


@pytest.mark.usefixtures("archive")
def test_a_launch_finds_what_those_before_it_left():
    *_, last = (one for one in _steps("scans", "scan/8") if isinstance(one, Recorded))
    first = _contents("bits", 8, 0)
    for _ in range(2):  # what a caller does to its arguments is its own
        into, number = last.arguments(adds)
        (one, start), (other, behind) = into.pointers[0], into.pointers[8]
        expected = first + np.uint8(1)
        expected[2:4] = 7
        expected += np.uint8(1)
        assert one.tolist() == expected.tolist()
        assert other.tolist() == [*expected[:4].tolist(), 0, 0, 0, 0]
        assert (start, behind, number.data, number.pointers) == (0, 4, struct.pack("<i", 4), {})
        one[:] = other[:] = 0


def test_numbers_are_no_pointers():
    """Padding of a struct may hold the upper half of a pointer, beside a count: a real launch had that."""
    buffers = [np.zeros(1 << 20, np.uint8) for _ in range(4)]
    half = struct.pack("<iI", 256, at(3) >> 32)
    counts = struct.pack("<iiiiff", 0, 16, 4096, 32, 1.0, -1.0) + struct.pack("<qq", -1, 1 << 36)
    assert _with_arrays(half + counts, buffers).pointers == {}
    end = _with_arrays(struct.pack("<iiQ", 1, 2, at(2, 1 << 20)), buffers).pointers
    assert (list(end), end[8][0] is buffers[2], end[8][1]) == ([8], True, 1 << 20)


def test_without_the_archive_the_campaign_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr("simtc.validate.campaigns.others.archive", lambda: tmp_path / "none")
    [skip] = cases({}, Chip(90, "NVIDIA H200"))
    assert isinstance(skip, Skip)
    assert "python validate/others/build.py" in skip.reason
    assert (folder("validate") / "others" / "build.py").exists()


def test_what_the_decoder_learns_from_includes_the_opcode_campaign(tmp_path, monkeypatch):
    """Its table imports its neighbours, which are not beside the script that asks for it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("lanes", "operation"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    corpus = runpy.run_path(str(folder("validate") / "encoding" / "corpus.py"))
    written = list(corpus["_campaign"](tmp_path))
    assert any("elect.sync" in path.read_text() for path in written)
