"""Published and measured constants against the rows that they were read from."""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path

import pytest

from simtc import arch

CITED = {  # the beginning of a row's source -> our key
    "Jia et al. arXiv:1804.06826": "jia2018",
    "Jia et al. arXiv:1903.07486": "jia2019",
    "Raihan et al.": "raihan2018",
    "Sun et al.": "sun2022",
    "Luo et al.": "luo2024",
    "Yan, Wang, Chu": "yan2020",
    "sjfeng1999": "sjfeng",
}
JIA = {"alu": "IADD3", "fma": "FFMA", "imad": "IMAD", "fp16": "HFMA2"}
KIB = 1024

# chip, path -> GPU, quantity, parameters of the row, factor from the row's unit to ours
ROWS: dict[tuple[str, str], tuple[str, str, str, float]] = {}


def row(chip, path, gpu, quantity, parameters="", *, factor=1.0):
    ROWS[chip, path] = (gpu, quantity, parameters, factor)


for chip, gpu in (("sm_70", "V100"), ("sm_75", "T4")):
    for pipe, opcode in JIA.items():
        row(chip, f"pipes.{pipe}.observed_cycles", gpu, "dependent-issue latency", opcode)
    row(chip, "pipes.fp64.observed_cycles", gpu, "dependent-issue latency", "DADD")
    row(chip, "pipes.xu.latency_cycles", gpu, "dependent-issue latency", "MUFU")
    for opcode in arch.sm(chip).observed_latency_cycles:
        row(chip, f"observed_latency_cycles.{opcode}", gpu, "dependent-issue latency", opcode)
    board = {"V100": "V100 PCIe", "T4": "T4"}[gpu]
    row(chip, "fetch.l0_bytes", board, "L0 instruction cache size", factor=KIB)
    row(chip, "fetch.l1_bytes", board, "L1 instruction cache size", factor=KIB)
    row(chip, "l1.line_bytes", board, "L1 data update granularity")
    row(chip, "l1.sector_bytes", board, "L1 data load granularity")
    row(chip, "special.LDC.latency_cycles", board, "L1 const broadcast latency")
    for level, words in (("l1", "L1"), ("l15", "L1.5"), ("l2", "L2")):
        row(chip, f"l1.constant_{level}_cycles", board, f"{words} const broadcast latency")
    row(
        chip,
        "l1.hit_bytes_per_cycle",
        board,
        "L1 load throughput per SM",
        "64-bit loads, 1024 thr" if gpu == "V100" else "",
    )
    row(chip, "issue.register_banks", board, "register banks")
    row(chip, "shared.lsu_lanes", board, "LSU count per SM")
row(
    "sm_70",
    "memory.LDS.32.latency_cycles",
    "V100 PCIe",
    "shared load latency under bank conflict",
    "1-way, 32-bit loads",
)
row("sm_70", "memory.LDG.32.latency_cycles", "V100 PCIe", "global load latency", "L1 hit")
row("sm_75", "memory.LDS.32.latency_cycles", "T4", "shared no-conflict latency")
row("sm_75", "memory.LDG.32.latency_cycles", "T4", "L1 data hit latency")

_F32, _F16 = (
    "HMMA.884.F32.F32 cumulative clock cycles at completion",
    "HMMA.884.F16.F16 cumulative clock cycles at completion",
)
for half in ("first", "second"):
    row("sm_70", f"tensor.HMMA.884.F32.latency_{half}_cycles", "Titan V", _F32, "wmma.m16n16k16 f32 acc; SET1 STEP0")
    row("sm_70", f"tensor.HMMA.884.F16.latency_{half}_cycles", "Titan V", _F16, "wmma.m16n16k16 f16 acc; SET1 STEP0")

YAN = "RTX2070 and T4"
row("sm_75", "tensor.HMMA.1688.F16.latency_first_cycles", YAN, "HMMA.1688.F16 latency", "first 8x8 half of D")
row("sm_75", "tensor.HMMA.1688.F16.latency_second_cycles", YAN, "HMMA.1688.F16 latency", "second 8x8 half of D")
for width in (32, 64, 128):
    for opcode in ("LDS", "STS"):
        row(
            "sm_75",
            f"memory.{opcode}.{width}.cpi_cycles",
            YAN,
            "CPI, conflict-free, one warp stream",
            f"{opcode}.{width}",
        )

for chip, gpu, cases in (
    ("sm_75", "RTX2080Ti", {"HMMA.1688.F16": "FP16/FP16 m16n8k8", "IMMA.8816.S8": "INT8/INT32 m8n8k16"}),
    (
        "sm_80",
        "A100",
        {
            "HMMA.1688.F16": "FP16/FP16 m16n8k8",
            "HMMA.1688.F32": "FP16/FP32 m16n8k8",
            "HMMA.16816.F16": "FP16/FP16 m16n8k16",
            "HMMA.16816.F32": "FP16/FP32 m16n8k16",
            "HMMA.1684.F32.TF32": "TF32/FP32 m16n8k4",
            "HMMA.1688.F32.TF32": "TF32/FP32 m16n8k8",
            "IMMA.8816.S8": "INT8/INT32 m8n8k16",
            "IMMA.16816.S8": "INT8/INT32 m16n8k16",
            "IMMA.16832.S8": "INT8/INT32 m16n8k32",
            "IMMA.16832.S4": "INT4/INT32 m16n8k32",
            "IMMA.16864.S4": "INT4/INT32 m16n8k64",
            "BMMA.168128": "Binary/INT32 m16n8k128",
            "BMMA.168256": "Binary/INT32 m16n8k256",
        },
    ),
    (
        "sm_86",
        "RTX3070Ti",
        {
            "HMMA.1688.F16": "FP16/FP16 m16n8k8",
            "HMMA.16816.F16": "FP16/FP16 m16n8k16",
            "IMMA.8816.S8": "INT8/INT32 m8n8k16",
            "IMMA.16832.S8": "INT8/INT32 m16n8k32",
        },
    ),
):
    for mnemonic, case in cases.items():
        row(chip, f"tensor.{mnemonic}.chain_observed_cycles", gpu, "mma completion latency", f"mma {case} 1 warp ILP1")

row(
    "sm_80",
    "memory.LDS.32.latency_cycles",
    "A100",
    "shared load latency under bank conflict",
    "ld.shared.u32 no-conflict",
)
for count in (1, 2, 4):
    row("sm_80", f"memory.LDSM.{count}.latency_cycles", "A100", "completion latency", f"ldmatrix.x{count}")
row("sm_80", "l1.hit_bytes_per_cycle", "A100 PCIe", "L1 throughput FP32.v4")
row("sm_90", "l1.hit_bytes_per_cycle", "H800 PCIe", "L1 throughput FP32.v4")
for mnemonic, case in {
    "HMMA.1684.F32.TF32": "TF32/FP32 m16n8k4",
    "HMMA.1688.F32.TF32": "TF32/FP32 m16n8k8",
    "IMMA.16816.S8": "INT8/INT32 m16n8k16",
    "IMMA.16832.S8": "INT8/INT32 m16n8k32",
}.items():
    row("sm_90", f"tensor.{mnemonic}.chain_observed_cycles", "H800 PCIe", "mma latency", f"mma {case} dense")
for mnemonic, case in {
    "HGMMA.64x256x16.F32": "FP16/FP32 m64n256k16",
    "HGMMA.64x256x16.F16": "FP16/FP16 m64n256k16",
    "HGMMA.64x256x8.F32.TF32": "TF32/FP32 m64n256k8",
    "QGMMA.64x256x32.F32": "FP8/FP32 m64n256k32",
    "QGMMA.64x256x32.F16": "FP8/FP16 m64n256k32",
    "IGMMA.64x256x32.S8": "INT8/INT32 m64n256k32",
}.items():
    for key in ("issue_interval", "latency_first", "latency_second", "chain_observed"):
        row("sm_90", f"tensor.{mnemonic}.{key}_cycles", "H800 PCIe", "wgmma latency", f"wgmma {case} dense SS and RS")

row("t4", "l2_bytes", "T4", "L2 size", factor=KIB)
row("t4", "l2_hit_cycles", "T4", "L2 hit latency")
row("rtx2070", "l2_hit_cycles", "RTX2070", "L2 latency")
row("rtx2070", "dram_measured_gb_per_s", "RTX2070", "DRAM bandwidth measured")
for board, gpu in (("v100_pcie", "V100 PCIe"), ("v100_sxm2", "V100 PCIe")):
    row(board, "l2_hit_cycles", gpu, "global load latency", "L2 hit (L1 miss)")
row("v100_pcie", "clock_mhz", "V100 PCIe", "max graphics clock")
row("v100_pcie", "l2_measured_gb_per_s", "V100 PCIe", "L2 load throughput")
row("v100_sxm2", "l2_measured_gb_per_s", "V100 NVLink", "L2 load throughput")
row("v100_pcie", "dram_cycles", "V100 PCIe", "global load latency", "L2 miss, TLB hit (DRAM)")
row("v100_sxm2", "dram_cycles", "V100 NVLink", "global memory latency")
row("a100_pcie", "l2_hit_cycles", "A100 PCIe", "load latency", "L2")
row("a100_pcie", "dram_cycles", "A100 PCIe", "load latency", "global")
row("a100_pcie", "dram_measured_gb_per_s", "A100 PCIe", "DRAM throughput")
row("a100_pcie", "l2_measured_gb_per_s", "A100 PCIe", "L2 throughput FP32.v4", factor=1.41)

# Published constants whose row is no single number, or a sentence or figure of the paper: checked by the tests named.
ELSEWHERE = {
    "shared.conflict_cycles": "test_conflict_cost_is_the_slope_of_the_figure",
    "shared.return_bytes_per_cycle": "test_one_warp_of_ldmatrix",
    "shared.data_stage_bytes_per_cycle": "test_shared_bandwidth_is_reached",
    **{
        f"memory.{name}.cpi_cycles": "test_one_warp_of_ldmatrix"
        for name in ("LDS.32", "LDS.64", "LDS.128", "LDSM.1", "LDSM.2", "LDSM.4")
    },
    "tensor.HMMA.884.F32.chain_observed_cycles": "test_titan_v_sets",
    "tensor.HMMA.884.F16.chain_observed_cycles": "test_titan_v_sets",
    "tensor.IMMA.8816.S8.issue_interval_cycles": "test_imma_8816_rate",
}


def chip_of(name):
    return arch.sm(name) if name.startswith("sm_") else arch.device(name)


def own_constants(name):
    chip = chip_of(name)
    inherited = chip.sm.constants if isinstance(chip, arch.Device) and chip.cycle_level else {}
    return {path: constant for path, constant in chip.constants.items() if path not in inherited}


@pytest.fixture(scope="module")
def facts(shared: Path) -> list[dict[str, str]]:
    rows = []
    for name in ("instr_latency_throughput.csv", "memory.csv"):
        with (shared / "facts" / name).open(newline="", encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    return rows


def number(text: str) -> float:
    return float(re.match(r"~?([0-9.]+)", text).group(1))


@pytest.mark.parametrize(("chip", "path"), ROWS)
def test_constant_equals_its_row(facts, chip, path):
    gpu, quantity, parameters, factor = ROWS[chip, path]
    constant = chip_of(chip).provenance(path)
    found = [
        number(fact["value"])
        for fact in facts
        if (fact["gpu"], fact["quantity"], fact["parameters"]) == (gpu, quantity, parameters)
        and next((key for start, key in CITED.items() if fact["source"].startswith(start)), "") == constant.source
    ]
    assert found, f"no row of {constant.source} for {gpu}, {quantity}, {parameters}"
    assert constant.value == pytest.approx(found[0] * factor, rel=1e-4)


@pytest.mark.parametrize("name", [*arch.sm_names(), *arch.device_names()])
def test_no_published_constant_is_left_unchecked(name):
    published = {
        path for path, c in own_constants(name).items() if c.status == "published" and c.source in CITED.values()
    }
    unchecked = {path for path in published if (name, path) not in ROWS and path not in ELSEWHERE}
    unchecked -= {path for path in published if own_constants(name)[path].source == "yan2020"}  # see YAN_TEXT
    assert not unchecked


def of(facts, gpu, quantity, start=""):
    return {
        fact["parameters"]: number(fact["value"])
        for fact in facts
        if fact["gpu"] == gpu and fact["quantity"] == quantity and fact["parameters"].startswith(start)
    }


@pytest.mark.parametrize(
    ("chip", "gpu", "least"), [("sm_70", "V100 PCIe", 19), ("sm_75", "T4", 22), ("sm_80", "A100", 23)]
)
def test_conflict_cost_is_the_slope_of_the_figure(facts, chip, gpu, least):
    points = of(facts, gpu, "shared load latency under bank conflict")
    cost = arch.sm(chip).shared.conflict_cycles
    ways = {int(m.group(1)): value for text, value in points.items() if (m := re.search(r"(\d+)-way(, 32|$)", text))}
    assert len(ways) >= 3
    for way, cycles in ways.items():
        if chip != "sm_80" or cycles != 25.1:
            assert cycles == pytest.approx(least + cost * (way - 1), abs=1.5)


def test_one_warp_of_ldmatrix(facts):
    sm = arch.sm("sm_80")
    cycles = of(facts, "A100", "completion latency")
    per_cycle = (512 - 128) / (cycles["ldmatrix.x4"] - cycles["ldmatrix.x1"])
    assert sm.shared.return_bytes_per_cycle == pytest.approx(per_cycle, rel=0.05)
    for name, moved in {
        "LDS.32": 128,
        "LDS.64": 256,
        "LDS.128": 512,
        "LDSM.1": 128,
        "LDSM.2": 256,
        "LDSM.4": 512,
    }.items():
        assert sm.memory[name].cpi_cycles == moved / sm.shared.return_bytes_per_cycle


def test_shared_bandwidth_is_reached(facts):
    assert max(of(facts, "A100", "throughput", "ldmatrix").values()) == pytest.approx(128, abs=0.5)
    assert arch.sm("sm_80").shared.data_stage_bytes_per_cycle == 128
    turing = arch.sm("sm_75")
    assert 4 * 128 / turing.memory["LDS.128"].cpi_cycles == turing.shared.data_stage_bytes_per_cycle == 64


def test_titan_v_sets(facts):
    for kind in ("F32", "F16"):
        cycles = of(facts, "Titan V", f"HMMA.884.{kind}.{kind} cumulative clock cycles at completion")
        starts = [cycles[f"wmma.m16n16k16 {kind.lower()} acc; SET{place} STEP0"] for place in (1, 2, 3, 4)]
        spacing = {later - earlier for earlier, later in itertools.pairwise(starts)}
        assert spacing == {arch.sm("sm_70").tensor[f"HMMA.884.{kind}"].chain_observed_cycles}


@pytest.mark.parametrize(("chip", "gpu"), [("sm_75", "RTX2080Ti"), ("sm_80", "A100"), ("sm_86", "RTX3070Ti")])
def test_imma_8816_rate(facts, chip, gpu):
    rate = of(facts, gpu, "mma throughput", "mma INT8/INT32 m8n8k16 warps/SM=8")
    instruction = arch.sm(chip).tensor["IMMA.8816.S8"]
    assert max(rate.values()) == pytest.approx(4 * instruction.fma / instruction.issue_interval_cycles, rel=0.03)


@pytest.mark.parametrize(
    ("chip", "mnemonic", "gpu", "case"),
    [
        ("sm_80", "HMMA.16816.F32", "A100", "FP16/FP32 m16n8k16"),
        ("sm_80", "HMMA.1688.F32", "A100", "FP16/FP32 m16n8k8"),
        ("sm_80", "HMMA.1688.F32.TF32", "A100", "TF32/FP32 m16n8k8"),
        ("sm_80", "IMMA.16832.S8", "A100", "INT8/INT32 m16n8k32"),
        ("sm_80", "BMMA.168256", "A100", "Binary/INT32 m16n8k256"),
        ("sm_86", "HMMA.16816.F16", "RTX3070Ti", "FP16/FP16 m16n8k16"),
        ("sm_86", "IMMA.16832.S8", "RTX3070Ti", "INT8/INT32 m16n8k32"),
        ("sm_75", "HMMA.1688.F16", "RTX2080Ti", "FP16/FP16 m16n8k8"),
    ],
)
def test_documented_intervals_are_what_eight_warps_reach(facts, chip, mnemonic, gpu, case):
    reached = max(of(facts, gpu, "mma throughput", f"mma {case} warps/SM=8").values())
    instruction = arch.sm(chip).tensor[mnemonic]
    assert reached == pytest.approx(4 * instruction.fma / instruction.issue_interval_cycles, rel=0.11)


def test_geforce_runs_an_f32_accumulator_at_half_rate(facts):
    assert max(of(facts, "RTX2080Ti", "mma throughput", "mma FP16/FP32 m16n8k8").values()) == pytest.approx(
        arch.device("rtx2080ti").tensor_rate("f16", "f32"), rel=0.01
    )
    assert (
        arch.device("rtx2070").tensor_f32_accumulate_rate == arch.device("rtx2080ti").tensor_f32_accumulate_rate == 0.5
    )
    assert arch.device("t4").tensor_f32_accumulate_rate == 1


@pytest.mark.parametrize(
    ("line", "paths"),
    [  # the paper's own tables, as printed
        ("| LDG (data in L1 cache) |", ["sm_75 memory.LDG.{}.cpi_cycles"]),
        ("| LDG (data in L2 cache) |", ["sm_75 l1.l2_cpi_{}_cycles"]),
        ("| LDS | 2", ["sm_75 memory.LDS.{}.cpi_cycles"]),
        ("| STS | 4", ["sm_75 memory.STS.{}.cpi_cycles"]),
        ("| DRAM measured |", ["rtx2070 dram_measured_gb_per_s", "t4 dram_measured_gb_per_s"]),
        ("| DRAM theoretical |", ["rtx2070 dram_gb_per_s", "t4 dram_gb_per_s"]),
        ("| L2 measured |", ["rtx2070 l2_measured_gb_per_s", "t4 l2_measured_gb_per_s"]),
        ("| CPI theoretical |", ["sm_75 tensor.HMMA.1688.F16.issue_interval_cycles"]),
        ("| Latency for the first half", ["sm_75 tensor.HMMA.1688.F16.latency_first_cycles"]),
        ("| Latency for the second half", ["sm_75 tensor.HMMA.1688.F16.latency_second_cycles"]),
    ],
)
def test_yan_tables(shared, line, paths):
    (path,) = (shared / "seeds").glob("003_*.txt")
    (printed,) = [text for text in path.read_text(encoding="utf-8").splitlines() if text.startswith(line)]
    values = [float(text) for text in re.findall(r"\|\s*([0-9.]+)(?=GB/s|\s)", printed[len(line) - 4 :])]
    names = [name.format(width) for name in paths for width in (32, 64, 128)] if "{}" in paths[0] else paths
    ours = [chip_of(chip).provenance(path).value for chip, path in (name.split(" ") for name in names)]
    assert ours == values


def test_yan_peaks_and_clock(shared):
    (path,) = (shared / "seeds").glob("003_*.txt")
    (printed,) = [
        t for t in path.read_text(encoding="utf-8").splitlines() if t.startswith("| Tensor Core throughput |")
    ]
    for device, tflops in zip(("rtx2070", "t4"), map(float, re.findall(r"([0-9.]+) TFLOPS", printed)), strict=True):
        assert arch.device(device).tensor_peak_tflops("f16", "f16") == pytest.approx(tflops, rel=3e-3)
    assert arch.sm("sm_75").l1.l2_bytes_per_cycle == pytest.approx(512 / 15.95, rel=0.01)


def test_ampere_memory_latencies_as_printed(shared):
    text = (shared / "facts" / "timing.md").read_text(encoding="utf-8")
    memory = arch.sm("sm_86").memory

    def pairs(opcode):
        return ", ".join(
            f"{memory[f'{opcode}.{w}'].war_cycles:g}/{memory[f'{opcode}.{w}'].latency_cycles:g}" for w in (32, 64, 128)
        )

    def wars(opcode):
        return ", ".join(f"{memory[f'{opcode}.{w}'].war_cycles:g}" for w in (32, 64, 128))

    assert f"LDS 32/64/128: {pairs('LDS')}." in text
    assert f"LDG L1 hit: {pairs('LDG')}." in text
    assert f"STS (WAR): {wars('STS')}." in text
    assert f"STG (WAR): {wars('STG')}." in text
    assert f"LDGSTS {memory['LDGSTS.32'].war_cycles:g}/{memory['LDGSTS.32'].latency_cycles:g}." in text
