"""The decoder says what nvdisasm says: of every shipped listing, and of words recorded here, compiled and mutated."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.resources import folder
from simtc.sass import decoder, load
from simtc.sass.decoder import UnknownWordError, decode, generations, texts
from simtc.sass.text import parse_instruction

_CODE = re.compile(r"^[0-9a-f]{4,8}  ([0-9a-f]{16}) ([0-9a-f]{16})  \S+ +(\S.*)$", re.MULTILINE)
_LISTINGS = [*folder("kernels").rglob("*.sass"), *folder("validate").rglob("*.sass")]
_WORDS = Path(__file__).with_name("data") / "words.tsv.xz"


def _kernels(path):
    """Yield the generation, code and texts of each kernel of a listing, as plain text."""
    for part in path.read_text().split("\n.kernel ")[1:]:
        lines = _CODE.findall(part)
        code = b"".join(int(half, 16).to_bytes(8, "little") for low, high, _ in lines for half in (low, high))
        yield int(re.search(r"^\.sm (\d+)", part, re.MULTILINE)[1]), code, [text for *_, text in lines]


@pytest.mark.parametrize("sm", generations())
def test_every_shipped_listing(sm):
    kernels = [each for path in _LISTINGS for each in _kernels(path) if each[0] == sm]
    wrong = []
    for (_, code, said), ours in zip(kernels, texts([code for _, code, _ in kernels], sm), strict=True):
        for place, (own, text) in enumerate(zip(ours, said, strict=True)):
            if own != text:
                wrong.append((code[16 * place : 16 * place + 16][::-1].hex(), own, text))
    assert wrong == []


def test_the_generations_that_ship():
    assert generations() == (70, 75, 80, 86, 87, 89, 90)
    assert len(_LISTINGS) > 60


def test_the_table_is_the_one_that_was_compared_with_nvdisasm():
    """validate/encoding/campaign.py writes down what came out, and the digest of the table that it asked."""
    compared = json.loads((folder("validate") / "encoding" / "compared.json").read_text())
    table = Path(decoder.__file__).with_name("rows.jsonl").read_bytes()
    assert compared["table_sha256"] == hashlib.sha256(table).hexdigest()
    sets = [words for one in compared["words"].values() for words in one.values() if isinstance(words, dict)]
    assert sum(words.get("wrong", 0) for words in sets) == 0
    assert sum(sum(one["mutated"].values()) for one in compared["words"].values()) >= 200_000
    emitted = [one[what] for one in compared["words"].values() for what in ("listed", "compiled") if what in one]
    assert [set(words) for words in emitted] == [{"equal"}] * len(emitted)


@pytest.fixture(scope="module")
def recorded():
    """Return by generation the words, and what nvdisasm said of each: nothing where it refused."""
    found = {}
    for line in lzma.decompress(_WORDS.read_bytes()).decode().splitlines():
        sms, word, text = line.split("\t")
        for sm in sms.split(","):
            found.setdefault(int(sm), []).append((bytes.fromhex(word)[::-1], text or None))
    return found


@pytest.mark.parametrize("sm", [70, 75, 80, 87, 90])
def test_words_that_nvdisasm_was_asked(recorded, sm):
    """Each word stands alone at address 0, so that what it branches to is outside of its code."""
    words = recorded[sm]
    outcomes, wrong = Counter(), []
    for (word, said), [own] in zip(words, texts([word for word, _ in words], sm), strict=True):
        outcome = "refused" if own is None else "equal" if own == said else "wrong"
        outcomes[outcome, said is None] += 1
        wrong += [(word[::-1].hex(), own, said)] if outcome == "wrong" else []
    assert wrong == []
    assert outcomes["equal", False] > 2 * outcomes["refused", False]
    assert outcomes["refused", True] > 50


_SMALL = f"{143 / 2**24:.20g}"
# What a row once printed wrongly, and nvdisasm's text; "" where it refuses the word.
_ONCE_WRONG = [
    # A constant's offset is signed, also where a blank stands before its bracket.
    (75, 0x000FE400038E3CFF00305E000A047B12, "I2F.F64.S8 R4, c[0x0] [-0x3e88]", True),
    # Shared addresses keep their sign without a base register, those of LDS do not.
    (90, 0x000FE20000000100FFFFFF00FF24783B, "LDSM.16.M88.2 R36, [-0x1]", True),
    (80, 0x000FE2000B901C5CFFFFF00004FF0FAE, "@P0 LDGSTS.E.BYPASS.128 [-0x1], [R4.64]", True),
    (75, 0x000FE20000000800FFFFFF00FF007984, "LDS R0, [0xffffff]", True),
    # CUDA 12.8 prints every NaN of halves as quiet.
    (70, 0x000FE20003F27A00FD74008F10007434, f"HSETP2.NUM.AND P1, PT, |R16|.H0_H0, -QNAN , {_SMALL}, PT", True),
    # A mask of all eight bits is not printed.
    (80, 0x000FE20000000000000000FF03007804, "R2P PR, R3", True),
    (80, 0x000FE200000000000000007F03007804, "R2P PR, R3, 0x7f", True),
    # Bits that only some states of a row read: the byte of an operand, a rounding, a predicate.
    (80, 0x000FE200078EFCF73FF0002016237B12, "I2F.F64.S8.RZ R35, c[0x1f] [-0x4000].B3", False),
    (75, 0x000FE200001058001000000200217310, "F2F.F64.F16.RM R33, R2.H1", False),
    (89, 0x000FE200000204FF000000583D2D723E, "", False),
    (86, 0x000FE20000A005000000000000003237, "@P3 IMMA.SP.8832.U8.U8 R0, R0.ROW, R0.COL, R0, UP6, R0, 0x0", False),
    (75, 0x000FE20000000E005000001900137308, "MUFU.LG2.F16 R19, |R25.H1|", False),
    # A number of one word had become a part of the row's text.
    (80, 0x000FE200000000007FFFFFFB7F00398F, "@P3 CCTL.PF1 [R127+0x7ffffffb]", False),
]  # fmt: skip


@pytest.mark.parametrize(("sm", "word", "said", "printed"), _ONCE_WRONG)
def test_what_was_printed_wrongly_is_right_or_refused(sm, word, said, printed):
    [[own]] = texts([word.to_bytes(16, "little")], sm)
    assert own in (said or None, None)
    assert own == said or not printed


def test_an_unknown_word_is_named_with_the_nearest_row():
    code = bytes.fromhex("000fc400078e02ff0000000502037824")[::-1]
    with pytest.raises(UnknownWordError, match=r"word 0x0{6}.* at 0x0010 is no sm_80 .* the nearest row is \w+ \(form"):
        decode([code + b"\xff\x0f" + bytes(14)], 80)
    with pytest.raises(UnknownWordError, match=r"it has none of sm_72, only of sm_70, sm_75"):
        decode([code], 72)
    assert texts([code, code], 80) == [["IMAD R3, R2, 0x5, RZ"]] * 2


def test_a_branch_counts_from_its_own_kernel():
    kernel = load(folder("kernels") / "listings" / "sm_75" / "wmma_tiled.sass")["wmma_tiled"]
    code = b"".join(instruction.encoding.to_bytes(16, "little") for instruction in kernel.instructions)
    one, two = decode([code, code], 75)
    assert one == two == [instruction.text for instruction in kernel.instructions]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(generations()), st.lists(st.binary(min_size=16, max_size=16), max_size=40))
def test_any_bytes_are_an_instruction_or_refused(sm, words):
    for text in texts([b"".join(words)], sm)[0]:
        assert text is None or parse_instruction(text, address=0).opcode
