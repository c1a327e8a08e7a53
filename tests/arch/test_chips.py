"""Every chip loads, and every number of it has provenance."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from simtc import arch
from simtc.arch.device import load_device
from simtc.arch.unsaid import unsaid
from simtc.errors import BadInputError

DEVICES = arch.device_names()
TENSOR = [name for name in DEVICES if arch.device(name).cycle_level]
CONTRACT = {"a100_pcie", "a100_sxm", "c2050", "gtx280", "h100_sxm", "h200", "orin_agx", "rtx2070", "rtx2080ti", "t4"}
CONTRACT |= {"titan_v", "v100_pcie", "v100_sxm2"}
GENERATIONS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"]


def numbers(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every number that a chip holds, by path."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from numbers(item, f"{path}.{key}")
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in ("constants", "cycle_level"):
                yield from numbers(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, int | float | tuple):
        yield path.lstrip("."), value


def test_the_chips_that_users_rely_on_are_there():
    assert set(DEVICES) >= CONTRACT
    assert set(DEVICES) - set(TENSOR) == {"c2050", "gtx280"}
    assert arch.sm_names() == GENERATIONS


@pytest.mark.parametrize("name", GENERATIONS)
def test_every_number_of_a_generation_has_provenance(name):
    sm = arch.sm(name)
    held = {path: value for path, value in numbers(sm) if path not in unsaid(sm)}
    assert held == {path: constant.value for path, constant in sm.constants.items()}
    assert len(held) > 150
    assert all(sm.provenance(path).name == path for path in held)


@pytest.mark.parametrize("name", DEVICES)
def test_every_number_of_a_board_has_provenance(name):
    device = arch.device(name)
    silent = () if device.launch_cycles else ("launch_cycles",)  # a board that is silent takes its generation's
    elsewhere = (*unsaid(device), *silent, *(("limits.", "scalar.") if device.cycle_level else ()))
    held = {path: value for path, value in numbers(device) if not path.startswith(elsewhere or "-")}
    own = {path: constant.value for path, constant in device.constants.items()}
    assert held.items() <= own.items()
    inherited = device.cycle_level.constants if device.cycle_level else {}
    assert own.keys() - held.keys() == {path for path, one in inherited.items() if device.constants[path] is one} - {
        *held
    }


@pytest.mark.parametrize("name", TENSOR)
def test_a_board_and_its_generation_mean_the_same_by_a_source_key(name):
    citations = {}
    for constant in arch.device(name).constants.values():
        assert citations.setdefault(constant.source, constant.citation) == constant.citation


@pytest.mark.parametrize("name", [*GENERATIONS, *DEVICES])
def test_every_assumption_says_where_it_was_taken_from(name):
    chip = arch.sm(name) if name in GENERATIONS else arch.device(name)
    assert all(constant.note for constant in chip.constants.values() if constant.status == "assumed")


def measured_on(constants):
    """The chips that a chip's measured constants cite; what a compiler's code shows is any chip's."""
    cited = [one.citation for one in constants if one.status == "measured" and one.source != "ptxas"]
    assert all(citation.startswith("simtc: ") for citation in cited)
    return {
        chip
        for citation in cited
        for chip in re.findall(r"\b(?:one|two) (?:NVIDIA )?([A-Z0-9]+)", citation) or [citation]
    }


def test_measured_belongs_to_the_chip_that_was_measured():
    for name in GENERATIONS:
        assert measured_on(arch.sm(name).constants.values()) == ({"H200", "H100"} if name == "sm_90" else set()), name
    for board in map(arch.device, DEVICES):
        inherited = board.cycle_level.constants if board.cycle_level else {}
        own = [one for path, one in board.constants.items() if inherited.get(path) is not one]
        assert measured_on(own) == ({board.product.split()[0]} if board.name in ("h200", "h100_sxm") else set())


@pytest.mark.parametrize(
    ("name", "inputs", "accumulator", "clock_mhz", "tflops"),
    [  # the vendors' and papers' own figures
        ("v100_sxm2", "f16", "f32", 1530, 125),
        ("titan_v", "f16", "f32", 1455, 119),
        ("t4", "f16", "f32", 1590, 65),
        ("t4", "s8", "s32", 1590, 130),
        ("t4", "s4", "s32", 1590, 260),
        ("rtx2070", "f16", "f16", 1620, 59.7),
        ("rtx2070", "f16", "f32", 1620, 29.9),
        ("rtx2080ti", "f16", "f16", 1545, 107.6),
        ("rtx2080ti", "f16", "f32", 1545, 53.8),
        ("a100_pcie", "f16", "f32", 1410, 312),
        ("a100_sxm", "tf32", "f32", 1410, 156),
        ("a100_sxm", "s8", "s32", 1410, 624),
        ("a100_sxm", "f64", "f64", 1410, 19.5),
        ("orin_agx", "s8", "s32", 1300, 85),
        ("rtx3090", "f16", "f32", 1695, 71),
        ("rtx3090", "f16", "f16", 1695, 142),
        ("a10", "f16", "f32", 1695, 125),
        ("rtx4090", "f16", "f32", 2520, 165.2),
        ("rtx4090", "f16", "f16", 2520, 330.3),
        ("l4", "f16", "f32", 2040, 121),
        ("l4", "s8", "s32", 2040, 242),
        ("l40s", "s8", "s32", 2520, 733),
        ("h100_sxm", "f16", "f32", 1830, 989.4),
        ("h100_sxm", "tf32", "f32", 1830, 494.7),
        ("h100_sxm", "fp8", "f32", 1830, 1978.9),
        ("h100_sxm", "f64", "f64", 1980, 66.9),
    ],
)
def test_tensor_peaks(name, inputs, accumulator, clock_mhz, tflops):
    assert arch.device(name).tensor_peak_tflops(inputs, accumulator, clock_mhz=clock_mhz) == pytest.approx(
        tflops, rel=4e-3
    )


@pytest.mark.parametrize(
    ("name", "kind", "tflops"),
    [
        ("gtx280", "f32", 0.936),
        ("c2050", "f32", 1.03),
        ("c2050", "f64", 0.515),
        ("v100_sxm2", "f32", 15.7),
        ("v100_sxm2", "f64", 7.8),
        ("t4", "f32", 8.1),
        ("a100_sxm", "f64", 9.7),
        ("orin_agx", "f32", 5.3),
        ("h200", "f32", 66.9),
        ("h200", "f64", 33.5),
    ],
)
def test_scalar_peaks(name, kind, tflops):
    assert arch.device(name).scalar_peak_tflops(kind) == pytest.approx(tflops, rel=6e-3)


@pytest.mark.parametrize("name", DEVICES)
def test_bandwidth_follows_from_clock_and_bus(name):
    device = arch.device(name)
    assert device.dram_gb_per_s == pytest.approx(2 * device.dram_clock_mhz * device.dram_bus_bits / 8e3, rel=0.03)
    assert device.dram_measured_gb_per_s < device.dram_gb_per_s
    assert device.dram_bytes_per_cycle == pytest.approx(1e3 * device.dram_gb_per_s / device.clock_mhz)


@pytest.mark.parametrize(
    ("mnemonic", "pair"),
    [
        ("HMMA.884.F16", "f16.f16"),
        ("HMMA.884.F32", "f16.f32"),
        ("HMMA.1688.F16", "f16.f16"),
        ("HMMA.1688.F32", "f16.f32"),
        ("HMMA.16816.F16", "f16.f16"),
        ("HMMA.16816.F32", "f16.f32"),
        ("HMMA.1684.F32.TF32", "tf32.f32"),
        ("HMMA.1688.F32.TF32", "tf32.f32"),
        ("IMMA.8832.S4", "s4.s32"),
        ("IMMA.16816.S8", "s8.s32"),
        ("IMMA.16832.S8", "s8.s32"),
        ("IMMA.16832.S4", "s4.s32"),
        ("IMMA.16864.S4", "s4.s32"),
        ("BMMA.168128", "b1.s32"),
        ("BMMA.168256", "b1.s32"),
        ("DMMA.884", "f64.f64"),
        ("QMMA.16816.F32", "fp8.f32"),
        ("QMMA.16816.F16", "fp8.f16"),
        ("QMMA.16832.F32", "fp8.f32"),
        ("QMMA.16832.F16", "fp8.f16"),
        ("HGMMA.64x256x16.F32", "f16.f32"),
        ("HGMMA.64x256x8.F32.TF32", "tf32.f32"),
        ("QGMMA.64x256x32.F32", "fp8.f32"),
        ("IGMMA.64x256x32.S8", "s8.s32"),
    ],
)
def test_issue_intervals_reach_the_documented_rates(mnemonic, pair):
    found = [sm for sm in map(arch.sm, GENERATIONS) if mnemonic in sm.tensor]
    assert found
    for sm in found:
        instruction = sm.tensor[mnemonic]
        rate = sm.limits.sub_cores * instruction.fma / instruction.issue_interval_cycles
        if sm.name == "sm_90" and "GMMA" not in mnemonic and mnemonic != "DMMA.884":
            assert rate < sm.tensor_rate[pair]  # mma.sync reaches about two thirds of what wgmma does
        elif sm.name == "sm_90" and mnemonic == "DMMA.884":
            assert rate == sm.tensor_rate[pair] / 2  # measured; larger shapes came with sm_90
        else:
            assert rate == sm.tensor_rate[pair], sm


@pytest.mark.parametrize("name", GENERATIONS)
def test_multiply_adds_follow_from_the_mnemonic(name):
    shapes = {"884": 16 * 16 * 4, "1688": 16 * 8 * 8, "1684": 16 * 8 * 4, "8816": 8 * 8 * 16, "8832": 8 * 8 * 32}
    for mnemonic, instruction in arch.sm(name).tensor.items():
        _, shape, *types = mnemonic.split(".")
        if "x" in shape:  # a warpgroup's instruction: a quarter for each warp
            m, n, k = map(int, shape.split("x"))
            due = m * n * k // 4
        elif mnemonic == "DMMA.884":
            due = 8 * 8 * 4
        elif shape == "884":  # four quad pairs, in 4 STEPs with an f32 accumulator, 2 with f16
            due = shapes[shape] // (4 if types == ["F32"] else 2)
        elif shape in shapes:
            due = shapes[shape]
        else:
            rows, columns, k = re.fullmatch(r"(16|8)(8)(\d+)", shape).groups()
            due = int(rows) * int(columns) * int(k)
        assert instruction.fma == due, mnemonic


@pytest.mark.parametrize("name", GENERATIONS)
def test_one_warp_is_no_faster_than_the_paths_it_uses(name):
    sm = arch.sm(name)
    wide = {"LDS.32": 128, "LDS.64": 256, "LDS.128": 512, "LDSM.1": 128, "LDSM.2": 256, "LDSM.4": 512}
    for operation, moved in wide.items():
        if operation in sm.memory:
            least = moved / min(sm.shared.data_stage_bytes_per_cycle, sm.shared.return_bytes_per_cycle)
            assert sm.memory[operation].cpi_cycles >= least


def test_volta_has_no_uniform_pipe_and_turing_has():
    assert arch.sm("volta").pipes.uniform is None
    assert arch.sm("volta").pipes.safe_uniform_predicate_cycles is None
    assert arch.sm("turing").pipes.uniform.safe_same_cycles == 4


def test_variants_by_replace():
    slower = dataclasses.replace(arch.device("t4"), clock_mhz=795)
    assert slower.tensor_peak_tflops("f16", "f32") == pytest.approx(65.1 / 2, rel=1e-3)


def test_values_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        arch.device("t4").sm.limits.warps = 64
    with pytest.raises(TypeError):
        arch.sm("sm_75").tensor["HMMA.1688.F16"] = None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: arch.device("t5"),
            r"unknown device 't5': known are a10, a100_pcie, .*; did you mean 't4'\? Try: simtc arch",
        ),
        (lambda: arch.sm("turring"), r"unknown architecture 'turring': .*; did you mean 'turing'\? Try: simtc arch"),
        (lambda: arch.device("gtx280").sm, r"gtx280 \(sm_13\) has no cycle-level data, only what closed forms need: "),
        (
            lambda: arch.device("t4").provenance("clock"),
            r"t4 has no constant 'clock'; did you mean '\w*clock\w*'\? Try: simtc arch t4",
        ),
        (lambda: arch.sm("turing").provenance("limits.warp"), r"; did you mean 'limits.warps'\? Try: simtc arch sm_75"),
        (
            lambda: arch.device("t4").tensor_rate("bf16", "f32"),
            r"unknown type pair of t4's tensor cores 'bf16.f32': known are f16.f16, .* Try: simtc arch sm_75",
        ),
        (
            lambda: arch.device("t4").scalar_peak_tflops("f46"),
            r"unknown scalar type 'f46': known are f32, f64; did you",
        ),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(BadInputError, match=message):
        call()


def test_loading_imports_no_compiler():
    code = "import simtc.arch, sys; simtc.arch.device('t4'); print('numba' in sys.modules, 'numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]


def test_a_board_may_leave_out_what_nobody_measured_on_it(tmp_path):
    """A new mechanism's constant has a default, which turns it off: only boards that were measured mention it."""
    text = (Path(arch.__file__).parent / "devices" / "t4.toml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("l2_turn_bytes")]
    file = tmp_path / "t4.toml"
    file.with_name("whole.toml").write_text(text, encoding="utf-8")
    file.write_text("\n".join(lines), encoding="utf-8")
    board = load_device(file)
    assert board.l2_turn_bytes == 0
    assert set(unsaid(board)) - set(unsaid(load_device(file.with_name("whole.toml")))) == {"l2_turn_bytes"}
    file.write_text("\n".join(line for line in lines if not line.startswith("l2_slices")), encoding="utf-8")
    with pytest.raises(BadInputError, match=r"t4\.toml: lacks l2_slices"):
        load_device.__wrapped__(file)
