"""Faults planted into a chip's file: each is refused with one line that says where and what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simtc import arch
from simtc.arch.device import load_device
from simtc.arch.generation import load_sm
from simtc.errors import BadInputError

DATA = Path(arch.__file__).parent
TURING, T4 = DATA / "sm" / "sm_75.toml", DATA / "devices" / "t4.toml"
WARPS = '{value = 32, unit = "warps", status = "documented", source = "cuda"}'


def planted(tmp_path: Path, original: Path, old: str, new: str) -> Path:
    text = original.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {original.name}"
    path = tmp_path / original.name
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (f"warps = {WARPS}", "warps = 32", r"sm_75.toml: limits.warps is bare: write warps = \{value = ..., unit = "),
        (
            WARPS,
            WARPS.replace('unit = "warps", ', ""),
            "limits.warps has no unit: every constant carries value, unit, ",
        ),
        (WARPS, WARPS.replace(', source = "cuda"', ""), "limits.warps has no source: every constant carries value, "),
        (WARPS, WARPS.replace('status = "documented", ', ""), "limits.warps has no status: every constant carries"),
        (WARPS, WARPS.replace("value = 32, ", ""), "limits.warps has no value: every constant carries value, "),
        (WARPS, WARPS.replace('"warps"', '""'), "constant limits.warps has no unit: every constant carries unit, "),
        (WARPS, WARPS.replace('"warps"', "7"), "limits.warps has unit = 7, which is not text"),
        (
            WARPS,
            WARPS.replace("documented", "docmented"),
            r"unknown status of constant limits.warps 'docmented': known are .*; did you mean 'documented'\?",
        ),
        (
            WARPS,
            WARPS.replace('"cuda"', '"cuba"'),
            r"unknown source of limits.warps in sm_75.toml 'cuba': .*mean 'cuda'",
        ),
        (WARPS, WARPS.replace("32", '"32"'), "limits.warps = '32' is not a int of at least 0"),
        (WARPS, WARPS.replace("32", "32.5"), "limits.warps = 32.5 is not a int of at least 0"),
        (WARPS, WARPS.replace("32", "-32"), "limits.warps = -32 is not a int of at least 0"),
        (WARPS, WARPS.replace("32", "true"), "limits.warps = True is not a int of at least 0"),
        (WARPS, WARPS.replace("32", "16"), r"sm_75.toml: \[limits\]: 16 warp slots hold 512 threads, not 1024"),
        (WARPS, WARPS.replace("}", ", year = 2018}"), "limits.warps has year; a constant has value, unit, status, "),
        (f"warps = {WARPS}\n", "", "sm_75.toml: lacks limits.warps; it has sub_cores, warp_unit, blocks"),
        (f"warps = {WARPS}", f"warp = {WARPS}", r"unknown constant of \[limits\] in sm_75.toml 'warp': .*mean 'warps'"),
        ("value = [32768, 65536]", "value = 65536", "limits.shared_carveouts_bytes = 65536 is not a list of int of at"),
        ("value = [32768, 65536]", "value = [32768]", "the largest carve-out 32768 is not 65536"),
        ("[shared]\n", "[shard]\n", "sm_75.toml: lacks shared; it has "),
        ('architecture = "turing"\n', "", 'sm_75.toml: needs a line architecture = "..."'),
        ("[sources]\n", '[sources]\nnobody = "Nobody et al."\n', "sm_75.toml: no constant cites nobody"),
        ("[sources]\n", "[sources]\nnobody = 7\n", r"\[sources\] maps a short key to the full citation, both text"),
        ("[sources]\n", "[colours]\nred = 1\n\n[sources]\n", "sm_75.toml: nothing is called colours"),
        ("[limits]\n", "[limits\n", "sm_75.toml: not TOML: "),
        (', note = "taken from IMAD"', "", "imad_wide.observed_cycles is assumed and has no note: say which chip it"),
    ],
)
def test_planted_faults_of_a_generation(tmp_path, old, new, message):
    with pytest.raises(BadInputError, match=message) as error:
        load_sm(planted(tmp_path, TURING, old, new))
    assert "\n" not in str(error.value)


def test_a_unit_that_contradicts_the_name(tmp_path):
    path = planted(tmp_path, T4, 'value = 70, unit = "W"', 'value = 70, unit = "kW"')
    with pytest.raises(BadInputError, match=r"t4.toml: constant tdp_watts has unit 'kW', but its name says 'W'"):
        load_device(path)


@pytest.mark.parametrize(
    ("section", "key", "value", "message"),
    [
        (
            'tensor."HMMA.1688.F16"',
            "issue_interval_cycles",
            "1",
            r"HMMA.1688.F16 would reach 4096 multiply-adds a cycle",
        ),
        (
            'tensor."HMMA.1688.F16"',
            "latency_first_cycles",
            "99",
            "the second half of D cannot be ready before the first",
        ),
        ('memory."STS.128"', "cpi_cycles", "3", r"\[memory.STS.128\]: CPI 3.0 is below the operand read time 10.0"),
        ("pipes.alu", "safe_cross_cycles", "3", r"\[pipes.alu\]: a reader on another pipe cannot be served before one"),
        ("limits", "sub_cores", "5", "32 warp slots do not divide among 5 sub-cores"),
    ],
)
def test_values_that_contradict_each_other(tmp_path, section, key, value, message):
    head, body = TURING.read_text().split(f"[{section}]\n")
    body = re.sub(rf"(?m)^{key} = {{value = [0-9.]+", f"{key} = {{value = {value}", body, count=1)
    path = tmp_path / "sm_75.toml"
    path.write_text(f"{head}[{section}]\n{body}")
    with pytest.raises(BadInputError, match=message):
        load_sm(path)


def test_a_generation_without_an_instruction_that_all_have(tmp_path):
    path = tmp_path / "sm_75.toml"
    path.write_text(TURING.read_text().replace('[memory."STS.128"]', '[memory."STS.256"]'))
    with pytest.raises(BadInputError, match=r"\[memory\] lacks STS.128"):
        load_sm(path)


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "sm_75.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInputError, match=r"sm_75.toml: not TOML: "):
        load_sm(path)
