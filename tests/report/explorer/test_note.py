"""The note on the explorer: its numbers are right, its pictures are there, its addresses lead where it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

NOTES = Path(__file__).resolve().parents[3] / "sass_notes"
NOTE = NOTES / "explorer.md"
ADDRESS = re.compile(r"(?:`|^    )((?:fragments|compare|banks|timeline|quiz|cards)(?:\?[^\s`]+)?)(?:`|$)", re.MULTILINE)


@pytest.fixture(scope="module")
def text():
    if not NOTE.exists():
        pytest.skip("the notes are not beside the tests")
    return NOTE.read_text(encoding="utf-8")


def test_every_number_of_the_note(text):
    assert text
    failed, tried = doctest.testfile(str(NOTE), module_relative=False)
    assert (failed, tried > 8) == (0, True)


def test_the_pictures_are_there_and_small(text):
    pictures = re.findall(r"\((figures/explorer_\w+\.png)\)", text)
    assert len(pictures) == 6
    for name in pictures:
        data = (NOTES / name).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < 200_000


def test_every_address_leads_where_it_says(explorer, text):
    addresses = ADDRESS.findall(text)
    assert len(addresses) >= 12
    for address in addresses:
        explorer.open(address)
        view, _, query = address.partition("?")
        assert explorer.run("return e.page.view.name") == view
        params = explorer.run("return e.page.params")
        assert {name: params[name] for name, _ in parse_qsl(query)} == dict(parse_qsl(query)), address
