"""pytest options, and the folder of published facts that some tests compare with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parent.parent / "shared"


def pytest_configure(config: pytest.Config) -> None:  # noqa: ARG001 - pytest names it
    """Let the clock's safety check be an error: in a user's run it is a note."""
    os.environ["SIMTC_HAZARDS"] = "error"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --gpu, which runs the tests that need a GPU."""
    parser.addoption("--gpu", action="store_true", help="run the tests that need a GPU")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a GPU unless it was asked for."""
    if not config.getoption("--gpu"):
        for item in items:
            if item.get_closest_marker("gpu"):  # the marker, not the folder of that name
                item.add_marker(pytest.mark.skip(reason="needs a GPU: run pytest --gpu on a machine that has one"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of published facts and captured vectors beside the checkout, or skip."""
    if not _SHARED.is_dir():
        pytest.skip(f"the published facts are not at {_SHARED}")
    return _SHARED
