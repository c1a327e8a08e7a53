"""The time of a factorization as text."""

from __future__ import annotations

from simtc.linalg import LuTime, lu_flops

__all__ = ["lu_text"]

_BAR = 30  # characters of the longest bar
_WHAT = {
    "panel": "panels, on the host (assumed)",
    "transfers": "panels, to the host and back (assumed)",
    "swaps": "row swaps, at DRAM's bandwidth",
    "solve": "triangular solves, as products",
    "update": "updates",
}


def lu_text(found: LuTime) -> str:
    """Return where the time of an LU goes, as text."""
    flops, host, whole = lu_flops(found.n, found.nb), found.host, sum(found.parts.values())
    beside = "the next panel beside an update" if found.look_ahead else "one after another"
    assumed = (
        f"panels at {host.panel_gflops:g} GFLOP/s, {host.gb_per_s:g} GB/s after {host.transfer_us:g} us for transfers"
    )
    lines = [
        f"lu {found.n} x {found.n} in panels of {found.nb} on {found.device}: partial pivoting, {beside}",
        f"fidelity     {found.fidelity}, of the products; of the rest nothing is executed",
        f"takes        {1e3 * found.seconds:,.2f} ms, {found.tflops:.3f} TFLOPS",
        f"operations   {flops['all']:,}, of them updates {100 * flops['update'] / flops['all']:.1f} %",
        f"assumed      {assumed}",
        "",
        "where the time goes (ms, share of the sum)",
    ]
    for name, seconds in found.parts.items():
        bar = "#" * round(_BAR * seconds / max(found.parts.values()))
        lines.append(f"  {_WHAT[name]:<40}{1e3 * seconds:10.3f}  {100 * seconds / whole:5.1f} %  {bar}".rstrip())
    return "\n".join(lines)
