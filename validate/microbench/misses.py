"""Replay the microbenchmarks and note in tests/timing/microbench_misses.toml which are off by more than 3 %.

python validate/microbench/misses.py

The reasons, above the table, are kept: kernels that have none, and reasons that no kernel needs any more, are printed.
"""

from __future__ import annotations

import tomllib

from simtc.resources import folder
from simtc.validate.capture import read_capture
from simtc.validate.compare import replay

NEAR = 0.03
FILE = folder("validate").parent / "tests" / "timing" / "microbench_misses.toml"
HEAD = "[off] # percent\n"


def main() -> None:
    """Write the table."""
    found = replay(read_capture(folder("validate") / "captures" / "h200" / "microbench-pycuda.json"))
    errors = {point.case: point.predicted / point.measured - 1 for case in found.cases for point in case.points}
    off = {name: error for name, error in errors.items() if abs(error) > NEAR}
    reasons = FILE.read_text(encoding="utf-8").split(HEAD)[0]
    rows = "".join(f'"{name}" = {100 * error:+.1f}\n' for name, error in sorted(off.items()))
    FILE.write_text(reasons + HEAD + rows, encoding="utf-8")
    groups = tomllib.loads(reasons).values()
    listed = {kernel for group in groups for kernel in group["kernels"]}
    missed = {name.split("/")[0] for name in off}
    mean = sum(map(abs, errors.values())) / len(errors)
    print(f"{len(errors)} cases, mean {mean:.2%}, {len(errors) - len(off)} within {NEAR:.0%}")
    print("no reason:", *sorted(missed - listed))
    print("not needed:", *sorted(listed - missed))


if __name__ == "__main__":
    main()
