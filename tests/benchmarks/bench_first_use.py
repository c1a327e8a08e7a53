"""How long the README's first command takes: with nothing compiled yet, and then with everything compiled.

python tests/benchmarks/bench_first_use.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

COMMAND = (sys.executable, "-c", "from simtc.cli import main; main()")
ARGUMENTS = ("simulate", "hgemm", "-m", "8192", "-n", "8192", "-k", "8192", "--device", "t4")
_RUNS = 3  # of which the quickest counts: others may be at work on the machine


def timed(folder: str) -> tuple[float, float]:
    """Return seconds, and seconds of processors, of one run with a cache of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"SIMTC_CACHE_DIR": folder, "PYTHONPYCACHEPREFIX": f"{folder}/python"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*COMMAND, *ARGUMENTS], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = sum(getattr(after, kind) - getattr(before, kind) for kind in ("ru_utime", "ru_stime"))
    return time.perf_counter() - start, worked


def main() -> None:
    """Print both."""
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        print("nothing compiled:    {:5.1f} s, {:5.1f} s of processors".format(*timed(folder)))
        print(
            "everything compiled: {:5.2f} s, {:5.2f} s of processors".format(*min(timed(folder) for _ in range(_RUNS)))
        )


if __name__ == "__main__":
    main()
