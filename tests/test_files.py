"""Outputs take their place only once they are whole; inputs are read or refused in one sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.files import read_array, read_json, replacing, require_writable, write_array, write_text
from simtc.validate.capture import Capture, read_capture, record_of, write_capture

ENDED = "a disk that is full"


def fail_while_writing(path, error):
    with replacing(path) as file:
        file.write(b"half of it")
        raise error


def test_what_fails_leaves_the_older_file_and_nothing_beside_it(tmp_path):
    path = tmp_path / "d.json"
    path.write_text("the older file")
    with pytest.raises(BadInputError, match=f"cannot write {path}: {ENDED}"):
        fail_while_writing(path, OSError(28, ENDED))
    assert path.read_text() == "the older file"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_interrupted_leaves_the_older_file(tmp_path):
    path = tmp_path / "d.json"
    path.write_text("the older file")
    with pytest.raises(KeyboardInterrupt):
        fail_while_writing(path, KeyboardInterrupt())
    assert path.read_text() == "the older file"
    assert list(tmp_path.iterdir()) == [path]


def test_mode_and_link_stay(tmp_path):
    path, link = tmp_path / "d.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_and_pipes_are_written_in_place():
    write_text(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()
    require_writable(Path(os.devnull), None)
    with pytest.raises(BadInputError, match="cannot write /dev/full: No space left"):
        write_text(Path("/dev/full"), "text")


def test_an_array_is_written_under_its_own_name(tmp_path):
    write_array(tmp_path / "D.bin", np.arange(3))
    assert np.array_equal(np.load(tmp_path / "D.bin"), np.arange(3))
    assert [path.name for path in tmp_path.iterdir()] == ["D.bin"]


def test_outputs_are_tried_before_the_run(tmp_path):
    with pytest.raises(BadInputError, match="there is no folder"):
        require_writable(tmp_path / "no" / "d.npy")
    with pytest.raises(BadInputError, match="it is a folder"):
        require_writable(tmp_path)
    with pytest.raises(BadInputError, match="File name too long"):
        require_writable(tmp_path / ("x" * 300))
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match=r"there is no folder|Not a directory"):
        require_writable(tmp_path / "file" / "d.npy")
    require_writable(tmp_path / "d.npy")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_capture_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    machine = {"device": "x", "compute_capability": [9, 0], "driver": "1", "clock_mhz": 1, "toolkit": "", "backend": ""}
    record = record_of(np.arange(6, dtype=np.uint32).reshape(2, 3), "")
    made = {"campaign": "kernels", "settings": {}, "machine": machine, "date": "", "simtc": ""}
    path = tmp_path / "c.json"
    write_capture(Capture(cases={"older": record}, **made), path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}

    def full(file, **arrays):  # noqa: ARG001 - numpy's signature
        file.write(b"half of it")
        raise OSError(28, ENDED)

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(BadInputError, match=ENDED):
        write_capture(Capture(cases={"newer": record}, **made), path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before
    assert list(read_capture(path).cases) == ["older"]


def test_big_endian_arrays_are_converted(tmp_path):
    np.save(tmp_path / "big.npy", np.arange(4, dtype=">f4"))
    found = read_array(tmp_path / "big.npy", what="A")
    assert found.dtype == np.float32
    assert found.dtype.isnative
    assert found.tolist() == [0, 1, 2, 3]


def test_json_of_any_depth_is_told(tmp_path):
    (tmp_path / "deep.json").write_text('{"a":' * 100_000)
    with pytest.raises(BadInputError, match="is nested too deeply; a run is something"):
        read_json(tmp_path / "deep.json", what="a run is something")
