"""Each view as a reader uses it: pointer, keyboard, addresses, themes, export, and whether everybody can."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from simtc.layout import fragment
from simtc.results import Stall

AXE = Path(__file__).resolve().parent / "node_modules" / "axe-core" / "axe.min.js"
STATES = (
    "fragments?at=d:3,5",
    "fragments?arch=ampere&instr=m16n8k16.f32.bf16.bf16.f32&beside=b&color=register",
    "compare?at=5,3",
    "banks?layout=expression&at=3",
    "banks?source=pitch&ldmatrix=4",
    "timeline?run=sts5&b=sts0&lap=1&at=a:2,6000",
    "timeline?run=wmma_tiled&from=3000&to=3100",
    "quiz?q=3",
    "cards?word=barrier",
)
A = fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing")


def point(explorer, operand, row, col):
    """Move the pointer onto an element's cell."""
    from selenium.webdriver import ActionChains  # noqa: PLC0415 - only with the extra

    script = """
      const drawn = e.page.view.picture_.drawn[arguments[0]];
      const [x, y, w, h] = drawn.box(drawn.find(arguments[1], arguments[2]));
      const area = document.querySelector(".picture");
      area.scrollIntoView();
      area.scrollTo(x - 300, y - 200);
      const svg = area.querySelector("svg").getBoundingClientRect();
      return [svg.left + x + w / 2, svg.top + y + h / 2];
    """
    x, y = explorer.run(script, operand, row, col)
    actions = ActionChains(explorer.driver)
    actions.w3c_actions.pointer_action.move_to_location(round(x), round(y))
    actions.perform()
    return actions


def said(explorer, start):
    return explorer.until(
        "const t = document.querySelector('.spoken').textContent; return t.startsWith(arguments[0]) && t", start
    )


def test_pointing_at_an_element_links_every_holder(explorer):
    explorer.open("fragments?arch=volta&instr=wmma.m16n16k16.f32.f16.f16.f32&beside=a")
    held = fragment("wmma.m16n16k16.f32.f16.f16.f32", operand="a", arch="volta", major="row", view="registers").holders(
        0, 5
    )
    point(explorer, "a", 0, 5)
    words = ", ".join(f"lane {one.lane} R{one.register}.H{one.half}" for one in held)
    assert said(explorer, "A[0,5]") == f"A[0,5]: {words} ({len(held)} holders)"
    assert len(explorer.all(".picture:last-child .lit rect")) == len(held) == 2


def test_an_element_of_d_lights_its_row_its_column_and_its_steps(explorer):
    explorer.open("fragments?arch=volta&instr=wmma.m16n16k16.f32.f16.f16.f32")
    point(explorer, "d", 9, 13)
    assert said(explorer, "D[9,13]") == "D[9,13]: lane 13 R5"
    fills = explorer.run(
        "return [...document.querySelectorAll('.picture:first-child .lit rect')].map((one) => one.getAttribute('fill'))"
    )
    steps = [f"var(--step-{step})" for step in range(4) for _ in range(4)]
    assert sorted(fills) == sorted(["var(--paper)", *steps, *steps])  # itself, a row of A and a column of B
    heads = [one.text for one in explorer.all(".step-head")]
    assert heads == ["Step 1", "Step 2", "Step 3", "Step 4"]


def test_clicking_keeps_an_element_in_the_address(explorer):
    explorer.open("fragments")
    point(explorer, "a", 5, 3).click().perform()
    assert "at=a%3A5%2C3" in explorer.address
    explorer.open(explorer.address)
    assert said(explorer, "A[5,3]") == f"A[5,3]: lane {A.holders(5, 3)[0].lane} R0.H1"


def test_playing_takes_the_steps_one_after_the_other(explorer):
    explorer.load("fragments?arch=volta&instr=wmma.m16n16k16.f32.f16.f16.f32&at=d:1,1")
    explorer.watch("return document.querySelectorAll('.step.done').length;")
    explorer.find(".play").click()
    explorer.until("return noted.includes(1) && noted.at(-1) === 4 && !location.hash.includes('step=')")
    # All four are done before the click, and what the page says aloud may change then: playing starts at none.
    assert explorer.noted[explorer.noted.index(0) :] == [0, 1, 2, 3, 4]


def test_the_keyboard_goes_everywhere(explorer):
    from selenium.webdriver.common.keys import Keys  # noqa: PLC0415 - only with the extra

    explorer.open("fragments")
    area = explorer.find(".picture")
    area.send_keys("a", Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert said(explorer, "A[2,1]") == f"A[2,1]: lane {A.holders(2, 1)[0].lane} R0.H1"
    area.send_keys(Keys.ENTER)
    assert "at=a%3A2%2C1" in explorer.address
    area.send_keys(Keys.ESCAPE)
    assert "at=" not in explorer.address
    lanes = explorer.all(".picture")[1]
    lanes.send_keys(Keys.ARROW_DOWN)
    assert said(explorer, "A[0,2]").startswith("A[0,2]: lane 1 R0.H0")


def test_choosing_an_architecture_keeps_an_instruction_that_it_has(explorer):
    from selenium.webdriver.support.ui import Select  # noqa: PLC0415 - only with the extra

    explorer.open("fragments")
    arch = Select(explorer.find(".controls select"))
    for name in ("volta", "hopper", "ampere", "ada", "turing"):
        arch.select_by_value(name)
        shown = explorer.run("return [e.page.params.arch, e.page.params.instr]")
        assert shown[0] == name
        assert fragment(shown[1], operand="d", arch=name).rows > 0


@pytest.mark.parametrize("state", STATES)
def test_a_state_comes_back_is_large_enough_leaves_as_a_picture_and_everybody_can_use_it(explorer, state):
    explorer.load(state)
    comes_back(explorer, state)
    assert explorer.run(SMALL_LETTERS) == []
    leaves_as_a_picture(explorer)
    for theme in ("light", "dark"):
        explorer.open(f"{state}{'&' if '?' in state else '?'}theme={theme}")
        assert wider_than_the_page(explorer) == []
        axe_finds_nothing_serious(explorer)


def comes_back(explorer, state):
    params = explorer.run("return e.page.params")
    address = explorer.run("return e.addressOf(e.page.view, e.page.params)")
    explorer.open(address[1:])
    assert explorer.run("return e.page.params") == params
    for name, value in (pair.split("=") for pair in state.partition("?")[2].split("&") if pair):
        assert params[name] == value


SMALL_LETTERS = """
  const small = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const shown = one.checkVisibility() && !["SCRIPT", "STYLE", "title"].includes(one.tagName);
    if (own && shown && parseFloat(getComputedStyle(one).fontSize) < 12) small.push(one.outerHTML.slice(0, 80));
  }
  return small;
"""


def wider_than_the_page(explorer):
    """Return what the page would have to scroll sideways for: pictures scroll in their own frames."""
    return explorer.run(
        "const room = document.documentElement.clientWidth;"
        "return document.documentElement.scrollWidth > room ? [document.documentElement.scrollWidth, room] : []"
    )


def leaves_as_a_picture(explorer):
    text = explorer.run("return e.svgFile(e.page.view.picture(), e.page.view.title)")
    root = ET.fromstring(text)  # noqa: S314 - it comes from the page under test
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in text
    assert len(list(root.iter())) > 4
    png = """
      const done = arguments[arguments.length - 1];
      const e = globalThis.explorer;
      const told = (bytes) => done([...new Uint8Array(bytes).slice(0, 8), bytes.byteLength]);
      e.pngBlob(e.page.view.picture(), "x").then((blob) => blob.arrayBuffer()).then(told);
    """
    *magic, size = explorer.driver.execute_async_script(png)
    assert bytes(magic) == b"\x89PNG\r\n\x1a\n"
    assert size > 3000


def axe_finds_nothing_serious(explorer):
    if not AXE.exists():
        return  # test_axe_is_there says so
    if not explorer.run("return !!globalThis.axe"):
        explorer.driver.execute_script(AXE.read_text(encoding="utf-8"))
    found = explorer.driver.execute_async_script("axe.run().then(arguments[0])")
    serious = [
        (one["id"], one["impact"], [node["html"][:120] for node in one["nodes"]][:3])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == [], json.dumps(serious, indent=1)
    assert len(found["passes"]) > 15


def test_axe_is_there():
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --no-package-lock --prefix tests/report/explorer")
    assert "axe.run" in AXE.read_text(encoding="utf-8")


def test_on_a_telephone_nothing_is_cut_off(explorer):
    """The page is 400 pixels wide: it scrolls down only, and the pictures in their own frames."""
    explorer.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    )
    try:
        cut = {state: found for state in STATES for found in [_at(explorer, state)] if found}
    finally:
        explorer.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert cut == {}


def _at(explorer, state):
    explorer.open(state)
    return wider_than_the_page(explorer)


def test_a_wrong_address_shows_something_sound(explorer):
    for state, view in {
        "fragments?arch=nothing&instr=x&at=q:1,1": "Fragments",
        "banks?at=99&rows=a": "Banks",
        "timeline?run=none&at=a:99,1&lap=77": "Timeline",
        "quiz?seed=-1&q=77": "Quiz",
        "cards?word=none": "Cards",
        "nothing": "Fragments",
    }.items():
        explorer.open(state)
        assert explorer.find("h2").text == view


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["standard", "safe"])
def test_letters_stand_out_from_every_colour_behind_them(explorer, theme, palette):
    colors = explorer.run("return e.colorVariables(arguments[0], arguments[1])", theme, palette)

    def luminance(name):
        channels = [int(colors[name].lstrip("#")[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one, other):
        low, high = sorted((luminance(one), luminance(other)))
        return (high + 0.05) / (low + 0.05)

    behind = [name for name in colors if name.startswith(("lane-", "hue-", "step-", "depth-"))] + ["paper", "empty"]
    faint = {name: round(contrast("ink", name), 2) for name in behind if contrast("ink", name) < 4.5}
    assert faint == {}
    causes = {name: contrast(name, "paper") for name in colors if name.startswith("cause-")}
    assert len(causes) == len(Stall)
    assert {name: value for name, value in causes.items() if value < 2.99} == {}
    assert min(contrast("faint", "paper"), contrast("accent", "paper"), contrast("alarm", "paper")) >= 4.5
