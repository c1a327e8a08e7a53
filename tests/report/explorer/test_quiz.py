"""The quiz: the same questions for a seed, answers that Python gives too, hints that cost, a score that is saved."""

from __future__ import annotations

import pytest

from simtc.layout import Access, Tile, fragment
from simtc.numerics.instructions import instruction_named

ASK = """
const q = e.questionOf(arguments[0], arguments[1]);
return { ...q, right: arguments[2] && e.isRight(q, arguments[2]) };
"""
ASK_ALL = """
const out = [];
for (let seed = 1; seed <= arguments[0]; seed += 1) {
  for (let number = 0; number < 10; number += 1) out.push(e.questionOf(seed, number));
}
return out;
"""


def operand_of(data):
    majors = {"a": "row", "b": "col"}
    return fragment(
        data["instr"], operand=data["op"], arch=data["arch"], major=majors.get(data["op"]), view="registers"
    )


def answers(question, recorded, cards):  # noqa: PLR0911 - one for each kind of question
    """Return what is right, by the simulator itself."""
    data, kind = question["data"], question["kind"]
    if kind == "lane":
        return {str(one.lane) for one in operand_of(data).holders(data["row"], data["col"])}
    if kind == "element":
        frag = operand_of(data)
        register, half = divmod(data["index"], frag.per_register)
        return {"{},{}".format(*frag.element(data["lane"], register * max(1, frag.width // 32), half))}
    if kind == "steps":
        return {str(len(instruction_named(data["instr"], data["arch"]).steps))}
    if kind == "wavefronts":
        tile = Tile(rows=data["rows"], cols=data["cols"], layout=data["layout"])
        return {str(tile.named(data["pattern"]).wavefronts)}
    if kind == "stride":
        addresses = tuple(4 * data["words"] * lane for lane in range(32))
        return {str(Access(addresses=addresses, width=data["width"], store=True).wavefronts)}
    if kind == "padding":
        bare, padded = (recorded[data[name]].result.stalls for name in ("bare", "padded"))
        saved = {cause: bare[cause] - padded[cause] for cause in bare if cause != "selected"}
        return {max(saved, key=saved.__getitem__)}
    return {data["word"]} if cards[data["word"]]["what"] in question["ask"] else set()


def test_every_answer_is_right(explorer, recorded, data):
    runs, cards = {run.name: run for run in recorded}, {card["word"]: card for card in data["cards"]}
    kinds, typed = {}, []
    asked = explorer.run(ASK_ALL, 24)
    for seed in range(1, 25):
        for number in range(10):
            question = asked[10 * (seed - 1) + number]
            due = answers(question, runs, cards)
            assert set(question["accepts"]) == due, question
            assert len(question["hints"]) == 2
            if "options" in question:
                assert len(set(question["options"])) == 4
                assert len(due & set(question["options"])) == 1
            typed += [[seed, number, f" {min(due)} ", True], [seed, number, "1000000", False]]
            kinds[question["kind"]] = kinds.get(question["kind"], 0) + 1
    judged = explorer.run("return arguments[0].map(([s, n, said]) => e.isRight(e.questionOf(s, n), said))", typed)
    assert judged == [right for *_, right in typed]
    assert set(kinds) == {"lane", "element", "steps", "wavefronts", "stride", "padding", "cause"}


def test_a_seed_asks_the_same_and_another_one_something_else(explorer):
    first, again, other = ([explorer.run(ASK, seed, number, None)["ask"] for number in range(10)] for seed in (7, 7, 8))
    assert first == again
    assert first != other


def answer(explorer, text):
    boxes = explorer.all(".question form input")
    if boxes:
        boxes[0].clear()
        boxes[0].send_keys(text)
        explorer.find(".question form button").click()
    else:
        next(one for one in explorer.all(".options button") if one.text == text).click()


@pytest.mark.parametrize(("hints", "points"), [(0, 3), (2, 1)])
def test_hints_cost_a_point_each(explorer, hints, points):
    explorer.load("quiz?seed=3")
    for number in range(hints):
        explorer.find(".question > button").click()
        assert len(explorer.all(".hint")) == number + 1
    answer(explorer, explorer.run(ASK, 3, 0, None)["accepts"][0])
    assert explorer.find(".verdict").text == f"{points} of 30 points; 1 of 10 answered."
    assert explorer.find("p.right").text.startswith("Right.")


def test_two_wrong_tries_end_a_question_and_the_score_is_saved(explorer):
    explorer.load("quiz?seed=4")
    question = explorer.run(ASK, 4, 0, None)
    wrong = [one for one in question.get("options", ["998", "999"]) if one not in question["accepts"]][:2]
    answer(explorer, wrong[0])
    assert "One more try" in explorer.find("p.wrong").text
    answer(explorer, wrong[1])
    assert explorer.find("p.wrong").text.startswith("No.")
    result = explorer.run("return e.page.view.result()")
    assert (result["schema"], result["seed"], result["points"], result["most"]) == ("simtc.quiz/1", 4, 0, 30)
    assert result["answers"][0]["tries"] == wrong
    explorer.find(".next").click()
    assert "q=1" in explorer.address
