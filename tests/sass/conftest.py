"""Compiled test kernels, and a stand-in for nvdisasm that says what the real one said."""

from __future__ import annotations

from pathlib import Path

import pytest

_DATA = Path(__file__).with_name("data")


@pytest.fixture(scope="session")
def data() -> Path:
    return _DATA


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """Put a program in nvdisasm's place that prints a recorded output; the readers see no difference."""

    def choose(text_file: str) -> None:
        tool = tmp_path / "nvdisasm"
        tool.write_text(f'#!/bin/sh\ncat "{_DATA / text_file}"\n')
        tool.chmod(0o755)
        monkeypatch.setenv("SIMTC_NVDISASM", str(tool))

    return choose
