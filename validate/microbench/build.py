"""Compile the microbenchmarks for every generation, and write (or --check) their listings, as kernels/build.py does.

python validate/microbench/build.py [--check] [--only core] [--sm 75] [--nvcc NVCC] [--cuda12 SITE_PACKAGES]
"""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

from simtc.resources import folder

_HERE = Path(__file__).resolve().parent


def jobs(only: str | None) -> dict[Path, tuple[str, int, tuple[str, ...]]]:
    """Return source, generation and further flags of each listing."""
    settings = tomllib.loads((_HERE.parent / "microbench.toml").read_text())
    built = sorted(settings["listings"].items())
    return {
        _HERE / "listings" / f"sm_{sm}" / f"{Path(source).stem}.sass": (source, sm, ())
        for source, sms in built
        if only in (None, source, Path(source).stem)
        for sm in sms
    }


def builder() -> ModuleType:
    """Return kernels/build.py, working in this folder."""
    spec = importlib.util.spec_from_file_location("build", folder("kernels") / "build.py")
    if spec is None or spec.loader is None:
        raise SystemExit("kernels/build.py is not where it should be")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(_HERE=_HERE, _jobs=jobs)
    return module


if __name__ == "__main__":
    builder().main()
