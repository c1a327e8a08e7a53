"""A prediction as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simtc.results.estimate import shown, shown_interval
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.run.explore import Explored

__all__ = ["explored_text", "prediction_text"]

_FIDELITIES = {
    "analytic": "closed forms, no instruction is executed",
    "sampled": "the program in the clock, some SMs' steady state for all",
    "full": "the program in the clock, every block",
}
_BAR = 30  # characters of a bar of 100 %


def prediction_text(p: Prediction) -> str:
    """Return a prediction as text: the answer, what limits it, how the work divides, and what is not known."""
    config = p.config
    tiles = ", ".join([f"{name} {_shape(config[name])}" for name in ("block", "warp") if name in config])
    tiles = f"{tiles}, {config['instr']}"
    share = f"{100 * p.peak_share:.1f} % of the {p.peak_tflops:.1f} TFLOPS peak"
    micro, launch = p.seconds * 1e6, p.launch_cycles / p.clock_mhz
    time = shown(micro, _unknown(p)) if p.extrapolated else f"{micro:,.1f}"
    takes = f"{shown(p.cycles, _unknown(p))} cycles, {time} us"
    kinds = [f"{config['layout']} layout"] if "layout" in config else []
    kinds += [_count(config["stages"], "stage")] if "stages" in config else []
    shared = f"{p.shared_bytes:,} bytes of shared memory a block{' (' + ', '.join(kinds) + ')' if kinds else ''}"
    wasted = (
        f"{_percent(p.tile_waste)} of the tiles, {_percent(p.depth_waste)} of k, {_percent(p.wave_waste)} of the waves"
    )
    resident = f"{_count(p.blocks_per_sm, 'block')}, {p.warps_per_sm} warps an SM (limited by {p.occupancy_limit})"
    lines = [
        f"{p.family} {p.m} x {p.n} x {p.k} on {p.device}: {tiles}",
        f"fidelity     {p.fidelity}: {_FIDELITIES[p.fidelity]}",
        f"takes        {takes} at {p.clock_mhz} MHz (and {launch:.1f} us to launch)",
        *_interval(p),
        f"             {p.tflops:.2f} TFLOPS, {share}",
        f"resident     {resident}",
        f"             {shared}, {p.registers} registers a thread",
        f"grid         {_count(p.blocks, 'block')} in {_count(p.waves, 'wave')}",
        f"wasted       {wasted}",
        "traffic      " + ", ".join(f"{name} {_size(count)}" for name, count in p.traffic.items()),
        *(f"note         {note}" for note in p.notes),
        "",
        *_details(p),
        "",
        "if only one resource limited it (cycles, share of the time)",
        *_bars(
            {name: cycles for name, cycles in p.resources.items() if cycles >= p.cycles / 100}, p.cycles, _unknown(p)
        ),
        "",
        p.limit,
        "this fidelity leaves out",
        *(f"  {one}" for one in p.left_out),
    ]
    return "\n".join(lines)


def _interval(p: Prediction) -> list[str]:
    """Return what the estimate is good for, where there is a doubt."""
    if not p.error_estimate or p.cycles_interval is None:
        return []
    return [f"             {shown_interval(*p.cycles_interval)} cycles in nine of ten launches"]


def _details(p: Prediction) -> list[str]:
    """Return what this fidelity has beside the resources: where cycles went, or what an iteration asks for."""
    if not p.stalls:
        return ["one iteration of a block (cycles)", *_bars(p.iteration, max(p.iteration.values()))]
    whole = sum(p.stalls.values())
    causes = {name: cycles for name, cycles in p.stalls.items() if cycles >= whole / 1000}
    lines = ["where the warps' cycles went"]
    for name, cycles in sorted(causes.items(), key=lambda item: -item[1]):
        bar = "#" * round(_BAR * cycles / whole)
        lines.append(f"  {name:<20}{100 * cycles / whole:5.1f} %  {bar}".rstrip())
    return lines


def explored_text(explored: Explored) -> str:
    """Return a neighbourhood as text, the fastest first."""
    lines = ["", "one change of the configuration"]
    for one in explored.neighbours:
        gain = 100 * (one.speedup - 1)
        equal = ", the same as far as is known" if 0 < abs(one.speedup - 1) <= one.doubt else ""
        lines.append(f"  {one.change:<26}{1e6 * one.seconds:14,.1f} us  {gain:+6.1f} %{equal}  limited by {one.bound}")
    lines += [f"  {change:<26}refused: {why}" for change, why in explored.refused.items()]
    return "\n".join([*lines, "", explored.verdict])


def _unknown(p: Prediction) -> float:
    """Return what is unknown of an extrapolated number, relative."""
    return p.error_estimate or 0.0 if p.extrapolated else 0.0


def _bars(values: Mapping[str, float], whole: float, doubt: float = 0.0) -> list[str]:
    lines, width, room = [], max(map(len, values)) + 2, 20 if doubt else 14
    for name, value in sorted(values.items(), key=lambda item: -item[1]):
        bar = "#" * round(_BAR * min(value / whole, 1))
        lines.append(f"  {name:<{width}}{shown(value, doubt):>{room}}  {100 * value / whole:5.1f} %  {bar}".rstrip())
    return lines


def _shape(sizes: list[int]) -> str:
    return "x".join(map(str, sizes))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _size(count: float) -> str:
    unit = next((unit for unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if count >= unit[0]), (1.0, "B"))
    return f"{count / unit[0]:.1f} {unit[1]}"
