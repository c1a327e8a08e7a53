"""Generated programs beside their compiled twins: `python tests/benchmarks/bench_twins.py`."""

from __future__ import annotations

from simtc.gemm.hgemm.twin import twin_name, twins
from simtc.run.twins import compare_twins


def main() -> None:
    """Print a table of both generations."""
    print(f"{'cycles of a tile of k, one block':<50} {'program':>8} {'twin':>8} {'ratio':>6}  where the twin differs")
    for arch, device in (("turing", "t4"), ("hopper", "h200")):
        print(f"{arch}, {device}")
        for tiles in twins(arch):
            one = compare_twins(tiles, device)
            cycles = f"{one.generated.cycles_a_tile:8.0f} {one.compiled.cycles_a_tile:8.0f} {one.ratio:6.2f}"
            print(f"  {twin_name(tiles):<48} {cycles}  {one.explanation}")


if __name__ == "__main__":
    main()
