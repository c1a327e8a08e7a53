"""The explorer, made once, and a browser that has it open; what is not installed is skipped by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from simtc.report.explorer import explorer_data, explorer_html
from simtc.report.explorer.runs import record

# Chromium must not look for anything: the explorer has to work without a network.
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1440,1000",
)  # fmt: skip


@pytest.fixture(scope="session")
def recorded():
    return record()


@pytest.fixture(scope="session")
def data(recorded):
    return json.loads(json.dumps(explorer_data(recorded)))


@pytest.fixture(scope="session")
def page(data, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explorer_html(data), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install .[browser]")
    binaries = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in binaries.items() if path is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binaries["chromium"]
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(binaries["chromedriver"]))
    browser.set_script_timeout(120)
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )
    yield browser
    browser.quit()


class Explorer:
    """The page as a reader drives it."""

    def __init__(self, driver, page: Path) -> None:
        self.driver, self.page = driver, page

    def load(self, address: str = "") -> None:
        """Load the page anew at an address such as `banks?layout=pad`."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.page.as_uri()}#{address}")

    def open(self, address: str = "") -> None:
        """Go to an address in the page that is there, as with a link or the reader's own typing."""
        if not self.driver.current_url.startswith(self.page.as_uri()):
            self.load(address)
            return
        self.driver.execute_script(
            "globalThis.watching?.disconnect(); const e = globalThis.explorer;"
            "e.page.view.unmount(); e.page.view = undefined;"
            "history.replaceState(null, '', '#' + arguments[0]); dispatchEvent(new HashChangeEvent('hashchange'));",
            address,
        )

    def run(self, script: str, *arguments):
        """Return what a script returns; `explorer` is at hand in it."""
        return self.driver.execute_script(f"const e = globalThis.explorer;\n{script}", *arguments)

    def find(self, selector: str):
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str):
        return self.driver.find_elements("css selector", selector)

    @property
    def address(self) -> str:
        return self.driver.current_url.partition("#")[2]

    def watch(self, script: str) -> None:
        """Note in the page what a function of it returns each time that the page changes: no step is missed."""
        self.run(
            f"const look = () => {{ {script} }}; globalThis.noted = [];"
            "const note = () => { const seen = look(); if (noted.at(-1) !== seen) noted.push(seen); };"
            "globalThis.watching = new MutationObserver(note); watching.observe(document.body,"
            " { subtree: true, childList: true, characterData: true, attributes: true });"
        )

    @property
    def noted(self) -> list[str]:
        """What `watch` saw so far."""
        return self.run("return globalThis.noted")

    def until(self, script: str, *arguments):
        """Wait until a script returns something true, and return it."""
        from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415 - only with the extra

        return WebDriverWait(self.driver, 30).until(lambda _: self.run(script, *arguments))


@pytest.fixture
def explorer(driver, page):
    shown = Explorer(driver, page)
    shown.open()
    yield shown
    complaints = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert complaints == []
