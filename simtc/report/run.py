"""A launch as text: what it computed, how long it took, and where the cycles went."""

from __future__ import annotations

from simtc.report.hot import hot_text
from simtc.results import LaunchResult, Timing
from simtc.results.estimate import shown, shown_interval
from simtc.run.harness import Harnessed
from simtc.run.solve import Solved

__all__ = ["family_text", "gemm_text", "launch_text"]

_BAR = 50  # characters of a bar of 100 %


def gemm_text(solved: Solved) -> str:
    """Return the text of a GEMM that was run."""
    size = f"{solved.m} x {solved.n} x {solved.k}"
    lines = [
        _headline(solved.launch, size),
    ]
    if solved.error is not None:
        lines += [
            f"computed     D {solved.D.dtype}{list(solved.D.shape)}, sha256 {solved.digest}...",
            f"             relative error against float64: {solved.error:.2e}",
        ]
    timing = solved.launch.timing
    lines.append(f"executed     {_instructions(solved.launch)} warp-instructions")
    if timing is not None and solved.tflops is not None:
        share = f"{100 * solved.tflops / solved.peak_tflops:.1f} % of the {solved.peak_tflops:.1f} TFLOPS peak"
        lines += [_time(timing), f"             {solved.tflops:.2f} TFLOPS, {share}", *_timing(timing)]
    return "\n".join(lines)


def family_text(done: Harnessed) -> str:
    """Return the text of a family's kernel that was run: the family's own table first."""
    width = max(len(label) for label, _ in done.table) + 2
    one, timing = done.problem, done.launch.timing
    lines = [_headline(done.launch, f"{one.m} x {one.n} x {one.k}")]
    lines += [f"{label:<{width}}{value}" for label, value in done.table]
    if timing is None:
        lines.append(f"{'Device':<{width}}not timed. Try: --timing")
    else:
        lines.append(f"{'Device':<{width}}{1e6 * timing.seconds:,.1f} us by the clock at {timing.clock_mhz} MHz")
    for name, seconds in done.host_seconds.items():
        lines.append(f"{name:<{width}}{1e6 * seconds:,.0f} us on this machine's CPU")
    if done.digest:
        lines += ["", f"computed     D {done.D.dtype}{list(done.D.shape)}, sha256 {done.digest}..."]
    for verdict in done.verdicts:
        lines.append(f"by {verdict.rule}: {'CORRECT' if verdict.correct else 'WRONG'} ({verdict.note})")
    lines.append(f"executed     {done.launch.instructions:,} warp-instructions")
    if timing is not None and done.tflops is not None:
        lines += [_time(timing), f"             {done.tflops:.2f} TFLOPS", *_timing(timing)]
    return "\n".join(lines)


def launch_text(result: LaunchResult) -> str:
    """Return the text of any launch."""
    lines = [_headline(result, ""), f"executed     {_instructions(result)} warp-instructions"]
    if result.timing is not None:
        lines += [_time(result.timing), *_timing(result.timing)]
    return "\n".join(lines)


def _instructions(result: LaunchResult) -> str:
    return shown(result.instructions, result.timing.doubt if result.timing else 0.0)


def _headline(result: LaunchResult, size: str) -> str:
    grid, block = (" x ".join(str(x) for x in shape) for shape in (result.grid, result.block))
    return f"{result.kernel}{' ' + size if size else ''} on {result.device}: grid {grid}, block {block}"


def _time(timing: Timing) -> str:
    micro = timing.seconds * 1e6
    cycles = shown(timing.cycles, timing.doubt)
    seconds = shown(micro, timing.doubt) if timing.extrapolated else f"{micro:,.1f}"
    time = f"took         {cycles} cycles, {seconds} us at {timing.clock_mhz} MHz (launch overhead apart)"
    if timing.fidelity == "full":
        return "\n".join([time, *(f"             {note}" for note in timing.notes)])
    return f"{time}\n             {_interval(timing)}: {'; '.join(timing.notes)}"


def _interval(timing: Timing) -> str:
    """Say what an estimate is good for, and what most of its doubt comes from."""
    if not timing.error_estimate:
        return "an estimate without doubt"
    worst = max(timing.doubts, key=lambda name: timing.doubts[name])
    between = shown_interval(*timing.cycles_interval)
    return f"an estimate, {between} cycles in nine of ten launches (most of the doubt: {worst})"


def _timing(timing: Timing) -> list[str]:
    conflicts, ideal = (shown(n, timing.doubt) for n in (timing.bank_conflicts, timing.counters["ideal_wavefronts"]))
    lines = [
        f"resident     {timing.blocks_per_sm} blocks an SM (limited by {timing.occupancy_limit})",
        f"conflicts    {conflicts} wavefronts beyond the ideal {ideal}",
        "",
        "where the warps' cycles went",
    ]
    for cause, cycles in sorted(timing.stalls.items(), key=lambda item: -item[1]):
        if cycles:
            bar = "#" * round(_BAR * cycles / timing.warp_cycles)
            lines.append(f"  {cause:<20}{100 * cycles / timing.warp_cycles:5.1f} %  {bar}".rstrip())
    lines += ["", "if only one resource limited it (cycles)"]
    for name, alone in sorted(timing.resources.items(), key=lambda item: -item[1]):
        if alone >= timing.cycles / 100:
            lines.append(f"  {name:<24}{shown(alone, timing.doubt):>18}  {100 * alone / timing.cycles:5.1f} %")
    lines += [*hot_text(timing), "", timing.limit]
    return lines
