"""One case of a sweep: what travels to a worker, and what comes back."""

from __future__ import annotations

import copyreg
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any

from simtc.errors import SimtcError
from simtc.gemm.family import Configured
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction
from simtc.run.simulate import Simulation

__all__ = ["Case", "Outcome", "compute", "key_of", "prediction_of"]


def _read_only(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(table)


# A board's tables are read-only mappings, which pickle does not know by itself.
copyreg.pickle(MappingProxyType, lambda table: (_read_only, (dict(table),)))  # type: ignore[arg-type, return-value]


def key_of(made: Configured, problem: Problem) -> str:
    """Return what tells a configuration and its problem from the others of a sweep."""
    text = json.dumps([made.name, made.to_dict(), asdict(problem)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A configuration to time for a problem."""

    simulation: Simulation
    sources: str  # digest of the sources that are to time it

    @property
    def size(self) -> tuple[int, int, int]:
        """The problem's m, n and k."""
        problem = self.simulation.problem
        return problem.m, problem.n, problem.k

    @property
    def key(self) -> str:
        """What tells it from the other cases of its sweep."""
        return key_of(self.simulation.configuration, self.simulation.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a case: a prediction, or why there is none."""

    key: str
    prediction: Prediction | None
    why: str = ""
    exit_code: int = 0
    lasting: bool = True  # it comes out the same each time; a process that died may not


def compute(case: Case) -> Outcome:
    """Time a case, in whatever process.

    Raises:
        SimtcError: this process has other sources of simtc than the one that sent the case.

    """
    from simtc.run.sweep.journal import sources_of  # noqa: PLC0415 - imports numba

    if case.sources and case.sources != sources_of(type(case.simulation.configuration).__module__):
        raise SimtcError("a worker has other sources of simtc than this process: install the same on both")
    try:
        return Outcome(key=case.key, prediction=case.simulation.predict())
    except SimtcError as error:
        return Outcome(key=case.key, prediction=None, why=str(error), exit_code=error.exit_code)
    except MemoryError as error:
        why = f"there is not enough memory: {str(error) or 'for this case'}"
        return Outcome(key=case.key, prediction=None, why=why, exit_code=2, lasting=False)


def prediction_of(values: Mapping[str, Any]) -> Prediction:
    """Return the prediction that `to_dict` and JSON made of it.

    Raises:
        KeyError, TypeError: it is none.

    Example:
        >>> from simtc import simulate
        >>> one = simulate("hgemm", m=512, n=512, k=512, fidelity="analytic")
        >>> prediction_of(json.loads(one.to_json())) == one
        True

    """
    found: dict[str, Any] = {}
    for field in fields(Prediction):
        if field.name == "timeline":  # which JSON leaves out, and no sweep asks for
            continue
        value = values[field.name]
        found[field.name] = tuple(value) if isinstance(value, list) else value
    return Prediction(**found)
