"""Cases in processes of this machine.

Processes, not threads: the clock's compiled code runs without the interpreter's lock, but lowering and sampling do not.
They are spawned, because a fork of a process with threads may hang. Compiled code comes from the cache on disk.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess

from simtc.errors import SimtcError
from simtc.run.sweep.case import Case, Outcome, compute

__all__ = ["locally"]

_DEATHS = 2  # of a process alone with a case, after which the case is at fault


def locally(cases: Sequence[Case], jobs: int) -> Generator[Outcome, None, None]:
    """Yield the outcomes of cases as they end, in this process or in several.

    A process that dies (killed, or out of memory) loses nothing: its case goes to another one. A case under which
    processes die again and again, alone, is given up.

    Raises:
        SimtcError: processes cannot be started.

    """
    if jobs == 1 or len(cases) < 2:
        for case in cases:
            yield compute(case)
        return
    todo, suspects, deaths = deque(cases), deque[Case](), Counter[str]()
    while todo or suspects:
        lost: list[Case] = []
        # with suspects, one case at a time: whose process dies then is to blame
        queue, width = (suspects, 1) if suspects else (todo, min(jobs, len(todo)))
        yield from _pooled(queue, width, lost)
        for case in lost:
            deaths[case.key] += len(lost) == 1
            if deaths[case.key] < _DEATHS:
                suspects.append(case)
            else:
                why = f"its process died {_DEATHS} times; the machine may lack memory"
                yield Outcome(key=case.key, prediction=None, why=why, exit_code=2, lasting=False)


def _pooled(queue: deque[Case], width: int, lost: list[Case]) -> Generator[Outcome, None, None]:
    """Work through a queue until it is empty or a process dies; `lost` gets the cases that were under way then."""
    before = set(active_children())
    pool = ProcessPoolExecutor(width, mp_context=get_context("spawn"), initializer=_begin)
    under: dict[Future[Outcome], Case] = {}
    try:
        _require_start(pool)
        while queue or under:
            while queue and len(under) < width:
                case = queue.popleft()
                under[pool.submit(compute, case)] = case
            for done in wait(under, return_when=FIRST_COMPLETED).done:
                outcome = done.result()
                del under[done]
                yield outcome
    except BrokenProcessPool:
        lost += under.values()
    except BaseException:  # interrupted, or nobody waits any more: what is under way would be for nothing
        for child in set(active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _require_start(pool: ProcessPoolExecutor) -> None:
    try:
        pool.submit(os.getpid).result()
    except BrokenProcessPool:
        raise SimtcError(
            "the processes of the sweep end as they start. A script calls simtc.sweep(..., jobs=2) below "
            "if __name__ == '__main__', because each process imports the script. Try: jobs=1"
        ) from None


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it: a process that is killed cannot end its children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
