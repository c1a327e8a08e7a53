"""The file as a whole: small, the same bytes each time, nothing from the network, valid HTML."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simtc.report.explorer import explorer_html
from simtc.report.explorer.page import SCRIPTS

CHECKS = Path(__file__).resolve().parent
SCRIPT_FOLDER = Path(sys.modules[explorer_html.__module__].__file__).parent / "script"
WRITE = "from simtc.cli import main; main()"


def test_every_module_is_in_the_page_once():
    assert sorted(SCRIPTS) == sorted(path.stem for path in SCRIPT_FOLDER.glob("*.js"))


def test_another_process_writes_the_same_bytes(page, tmp_path):
    target = tmp_path / "again.html"
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", WRITE, "explore", "--output", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "")
    assert target.read_bytes() == page.read_bytes()


def test_the_file_is_small_and_asks_the_network_for_nothing(page):
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) <= 3 * 1024 * 1024
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", markup)
    assert not re.search(r"@import|url\(", markup)
    scripts = "".join((SCRIPT_FOLDER / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|import\(|EventSource|sendBeacon", scripts)


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path):
    command = [sys.executable, "-c", WRITE, "explore", "--output", str(tmp_path / "none" / "e.html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("simtc: cannot write ")
    assert "Traceback" not in done.stderr


def test_the_html_is_valid(page):
    validator = CHECKS / "node_modules" / ".bin" / "html-validate"
    if shutil.which("node") is None or not validator.exists():
        pytest.skip(
            f"html-validate is not installed: npm install --no-package-lock --prefix {CHECKS.relative_to(Path.cwd())}"
        )
    config = page.parent / ".htmlvalidate.json"
    config.write_text(json.dumps({"root": True, "extends": ["html-validate:standard"]}), encoding="utf-8")
    command = [str(validator), "--config", str(config), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_is_loaded(explorer):
    explorer.open("cards")
    assert explorer.run("return performance.getEntriesByType('resource').map((one) => one.name)") == []
    assert explorer.run("return navigator.onLine") is False
    assert explorer.find("h2").text == "Cards"
