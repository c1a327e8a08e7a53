"""Compiled code is kept by what it was made from; where it cannot be kept, it is compiled and that is said."""

# ruff: noqa: SLF001 - how sources and the cache are looked at is this module's own

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simtc import jit

PACKAGE = Path(jit.__file__).parent

ADD = """
import warnings
from numba import int64
from simtc import jit
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    @jit.jit(int64(int64, int64))
    def add(a, b):
        return a + b
    @jit.jit(int64(int64), from_python=True)
    def twice(a):
        return add(a, a)
print(twice(4), len(said), *(one.message for one in said))
"""

HALF = """
from numba import float64
from simtc import jit
@jit.jit(float64(float64), from_python=True)
def half(a):
    return a / 2
print(half(3), half(3.0), len(half.overloads), half.get_function_type())
"""

LANES = """
from numba import int64, uint32, void
from simtc import jit
words = uint32[::1]
@jit.jit(void(words, words, int64), from_python=True)
def lanes(file, to, at):
    for lane in range(32):
        to[lane] = file[at + lane]
@jit.jit(int64(int64[:, ::1], int64, int64), from_python=True)
def place(table, i, j):
    table[i, j] = 5
    return table[i, j] + table[-1, -1]
import numpy as np
print(place(np.arange(6).reshape(2, 3), 0, 1))
code = "".join(map(str, [*lanes.inspect_llvm().values(), *place.inspect_llvm().values()]))
print(code.count("icmp slt i64 %arg"), code.count("select i1"))
"""


def compiled_with(cache, script=None):
    return subprocess.run(
        [sys.executable, *((script,) if script else ("-c", ADD))],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **cache},
    ).stdout


def test_a_cache_that_is_no_folder_costs_time_and_nothing_else(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    result, count, *said = compiled_with({"SIMTC_CACHE_DIR": str(blocked / "cache")}).split()
    assert (result, count) == ("8", "1")
    assert " ".join(said).startswith("compiled code is not kept, so every start compiles:")
    assert blocked.read_text() == ""


def test_a_full_disk_is_no_error(monkeypatch, tmp_path):
    """The disk takes the folder and no more: numba's own writing fails after it has compiled."""

    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device", len(data))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(jit, "_problems", [])
    monkeypatch.setattr(jit, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(jit.tempfile, "TemporaryFile", lambda **_: Full())
    jit._try_cache.cache_clear()
    try:
        assert jit.cache_problem() == f"{tmp_path} takes nothing: No space left on device"
    finally:
        jit._try_cache.cache_clear()


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Let the package be an empty folder, and forget afterwards what was read there."""
    kept = (jit._file, jit._imports, jit._digest)
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    for one in kept:
        one.cache_clear()
    yield tmp_path
    for one in kept:
        one.cache_clear()


def test_every_name_of_an_import_is_followed(elsewhere):
    tmp_path = elsewhere
    for name, text in {
        "a": "from simtc import b, c\nfrom simtc import (\n    d,\n    e as f,\n)\n",
        **dict.fromkeys("bcde", ""),
        "g": "def late():\n    from simtc.b import x, y  # a name, and no module\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "__init__.py").write_text("")
    assert {path.stem for path in jit._imports(tmp_path / "a.py")} == {"__init__", "b", "c", "d", "e"}
    assert {path.stem for path in jit._imports(tmp_path / "g.py")} == {"b"}


def test_a_caller_in_the_cache_is_all_that_is_read(tmp_path):
    """What it calls is part of its code: only the first start compiles it, and says so."""
    script = tmp_path / "twice.py"  # numba keeps nothing of code that has no file
    told = ADD.replace("print(", "jit.on_compile(lambda: print('compiles'))\nprint(")
    script.write_text(told + "print(len(add.overloads))\n")
    cache = {"SIMTC_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (compiled_with(cache, script).split() for _ in range(2))
    assert first == ["compiles", "8", "0", "1"]
    assert second == ["8", "0", "0"]


def test_a_function_is_compiled_for_its_own_signature_alone(tmp_path):
    """Whatever asks for it first: numba would compile a function anew for other arguments."""
    script = tmp_path / "half.py"
    script.write_text(HALF)
    cache = {"SIMTC_CACHE_DIR": str(tmp_path / "cache")}
    assert compiled_with(cache, script).strip() == "1.5 1.5 1 FunctionType[float64(float64)]"


def test_an_index_is_not_asked_whether_it_counts_from_the_end(tmp_path):
    """That would be a comparison and a choice at every access; a constant index keeps Python's meaning."""
    script = tmp_path / "lanes.py"
    script.write_text(LANES)
    found, code = compiled_with({"SIMTC_CACHE_DIR": str(tmp_path / "cache")}, script).splitlines()
    assert (found, code) == ("10", "0 0")


def test_what_was_compiled_is_known_to_be():
    """A second start says nothing of compiling: numba keeps code in folders below the one that it is given."""
    jit.compile_all("simtc.machine.run")
    assert jit.is_compiled("simtc.machine.run")


def test_what_another_installation_compiled_is_no_help(tmp_path):
    """The same sources at another path: numba finds nothing there, so the whole simulator is still to be compiled."""
    jit.compile_all("simtc.machine.run")
    (tmp_path / "simtc").symlink_to(PACKAGE, target_is_directory=True)
    asked = "from simtc import jit; print(jit.__file__, jit.is_compiled('simtc.machine.run'))"
    found = subprocess.run(
        [sys.executable, "-c", asked],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,  # where `python -c` looks first
    ).stdout
    assert found.split() == [str(tmp_path / "simtc" / "jit.py"), "False"]


PARTS = """
from numba import int64
from simtc import jit
@jit.jit(int64(int64))
def low(a):
    return a & 15
@jit.jit(int64(int64))
def once(a):
    return low(a) + 1
@jit.jit(int64(int64, int64), from_python=True)
def both(a, b):
    return once(a) + low(b)
print(both(17, 18), jit.callable_part(once)(31))
(code,) = both.inspect_llvm().values()
print(code.count("define"))
try:
    low(1)
except TypeError as error:
    print(error)
"""


def test_a_part_becomes_machine_code_with_what_calls_it(tmp_path):
    """Nothing is left of it but the code of the whole: the function and its two ways in; Python is told so."""
    script = tmp_path / "parts.py"
    script.write_text(PARTS)
    cache = {"SIMTC_CACHE_DIR": str(tmp_path / "cache")}
    found, code, error = compiled_with(cache, script).splitlines()
    assert (found, code) == ("4 16", "3")
    assert error == "low: only compiled code calls it; declare it from_python=True"
    assert {path.name.split("-")[0] for path in (tmp_path / "cache").rglob("*.nbc")} == {"parts.both", "parts.once"}


LONG = """
import re
from numba import int64
from simtc import jit
@jit.jit(int64(int64, int64), from_python=True)
def long(unused, a):
    {steps}
    return a
@jit.jit(int64(int64), from_python=True)
def both(a):
    return long(0, a) + long(1, a + 1)
print(both(5) == long(7, 5) + long(7, 6))
names = [re.findall('define [^@]*@"?([^"(]+)', *one.inspect_llvm().values()) for one in (long, both)]
print(len(names[1]), {*names[0]} & {*names[1]})
""".replace("{steps}", "\n    ".join(f"a = (a * {step} ^ a >> 3) % 1000003" for step in range(3, 203)))


def test_a_part_has_another_name_than_the_whole_of_the_same_function(tmp_path):
    """The linker goes by names alone, and LLVM has changed how a part is called: it may have dropped an argument."""
    script = tmp_path / "long.py"
    script.write_text(LONG)
    right, names = compiled_with({"SIMTC_CACHE_DIR": str(tmp_path / "cache")}, script).splitlines()
    assert (right, names) == ("True", "4 set()")


ARRAYS = """
import numpy as np
from numba import int64
from simtc import jit
@jit.jit(int64(int64), from_python=True, allocates=True)
def size(a):
    return np.zeros(a).size
print(size(5))
"""


def test_code_that_makes_arrays_is_read_too(tmp_path):
    script = tmp_path / "arrays.py"
    script.write_text(ARRAYS)
    cache = {"SIMTC_CACHE_DIR": str(tmp_path / "cache")}
    assert [compiled_with(cache, script).strip() for _ in range(2)] == ["5", "5"]


def compiled_functions():
    for path in sorted(PACKAGE.rglob("*.py")):
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(one, ast.FunctionDef) and any(
                isinstance(by, ast.Call) and getattr(by.func, "id", "") in {"jit", "compiled"}
                for by in one.decorator_list
            ):
                yield f"{path.relative_to(PACKAGE)}: {one.name}", one.args


def test_no_compiled_function_takes_more_than_eight_arguments():
    found = {name: len(args.args) + len(args.kwonlyargs) for name, args in compiled_functions()}
    assert {"numerics/fused.py: fused_step", "machine/step.py: step", "timing/issue.py: issue"} <= {*found}
    assert {name: count for name, count in found.items() if count > 8} == {}


def test_threads_that_need_a_function_at_once_read_it_once(tmp_path):
    """Both have found that it is not there when the one that comes first takes it from the cache."""
    script = tmp_path / "threads.py"
    script.write_text("""
from threading import Thread
from time import sleep
from numba import int64
from numba.core.compiler_lock import global_compiler_lock
from simtc import jit
@jit.jit(int64(int64), from_python=True)
def twice(a):
    return 2 * a
both = [Thread(target=twice.get_compile_result) for _ in range(2)]
with global_compiler_lock:
    for one in both:
        one.start()
    sleep(0.5)
for one in both:
    one.join()
print(twice(4))
""")
    cache = {"SIMTC_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    assert [compiled_with(cache, script) for _ in range(2)] == ["8\n"] * 2
