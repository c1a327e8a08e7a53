"""Cases on a Dask cluster, through the same interface of concurrent.futures as the processes of one machine."""

from __future__ import annotations

import socket
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simtc.errors import BadInputError, MissingToolError, SimtcError
from simtc.run.sweep.case import Case, Outcome, compute

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["on_cluster"]

_ANSWER_SECONDS = 10
_WORKER_SECONDS = 30


def on_cluster(cases: Sequence[Case], address: str) -> Generator[Outcome, None, None]:
    """Yield the outcomes of cases as they end on the workers of a Dask scheduler.

    The scheduler gives the cases of a worker that dies to others. A case under which workers die again and again is
    given up, as Dask's `allowed-failures` says.

    Raises:
        MissingToolError: dask.distributed is not installed.
        BadInputError: no scheduler answers, or it has no worker.
        SimtcError: the scheduler went away, or a worker cannot run simtc.

    """
    with _executor(address) as executor:
        under: dict[Future[Outcome], Case] = {executor.submit(compute, case): case for case in cases}
        while under:
            for done in wait(under, return_when=FIRST_COMPLETED).done:
                yield _outcome(done, under.pop(done), address)


def _outcome(done: Future[Outcome], case: Case, address: str) -> Outcome:
    try:
        return done.result()
    except SimtcError:
        raise
    except CancelledError:
        raise SimtcError(f"the scheduler at {address} went away") from None
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # Dask's, which is imported only where it is used
            raise SimtcError(f"a worker cannot run simtc: {type(error).__name__}: {error}") from error
        why = "the workers that computed it died"
        return Outcome(key=case.key, prediction=None, why=why, exit_code=2, lasting=False)


def _require_answer(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port:
        raise ValueError("an address is tcp://HOST:PORT")
    socket.create_connection((parts.hostname, parts.port), timeout=_ANSWER_SECONDS).close()


@contextmanager
def _executor(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client  # noqa: PLC0415 - only where there is a cluster
    except ImportError:
        raise MissingToolError(
            "a Dask cluster needs dask.distributed, which is not installed. Try: pip install 'simtc[cluster]'"
        ) from None
    try:
        _require_answer(address)  # a client that cannot connect complains once more as it is thrown away
        client: Client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInputError(
            f"no Dask scheduler answers at {address} ({why}). Try: dask scheduler, and the tcp:// address it prints"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError:
            raise BadInputError(
                f"the scheduler at {address} has no worker. Try: dask worker {address} --nthreads 1"
            ) from None
        options: dict[str, Any] = {"pure": False}
        executor: Executor = client.get_executor(**options)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
