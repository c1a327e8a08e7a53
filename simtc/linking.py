"""Compiled functions as parts of a program: what a function calls becomes machine code together with it, once.

numba optimises each function together with all that it calls and makes machine code of it, then does so again in each
of its callers: what lies deep in the clock would be optimised ten times over, and most of that code never runs. Here a
function that only compiled code calls stays a *part*, as numba has written it down; a function that Python calls is
a *whole*, made of its own code and of all parts below. Nobody else sees the parts of a whole, so LLVM may change how
they are called: it drops the check after each call whether it raised an error, where the callee never does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import binding
from numba.core import codegen
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import NativeLowering

from simtc.indexing import Compiler

__all__ = ["PartCompiler", "WholeCompiler", "close", "read"]

_Library: Any = codegen.JITCodeLibrary  # numba is partly typed


class _Part(_Library):  # type: ignore[misc] # its base is Any
    """The code of one function, and which others it calls; no machine code is made of it."""

    def add_llvm_module(self, module: Any) -> None:
        self._final_module.link_in(module)

    def finalize(self) -> None:
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class _Whole(_Library):  # type: ignore[misc] # its base is Any
    """The code of a function that Python calls, and of all parts below it."""

    def finalize(self) -> None:
        own = {one.name for one in self.get_defined_functions()}
        self._linking_libraries = [*dict.fromkeys(_below(self))]
        self._own = own
        super().finalize()

    def _optimize_final_module(self) -> None:
        whole = min(self._own, key=len)  # its wrappers' names begin with something more
        for one in self.get_defined_functions():
            if one.name not in self._own:
                one.linkage = binding.Linkage.internal
                one.name += f".{whole}"  # the linker goes by names alone: no part may have that of another whole's
        # numba optimises twice, to bring counts of references together before it drops them: nothing here counts any
        passes, builder = self._codegen._module_pass_manager()  # noqa: SLF001 - numba's own
        passes.run(self._final_module, builder)


def _below(library: Any) -> Iterator[Any]:
    """Yield the libraries that one needs, those below its parts included."""
    for one in library._linking_libraries:  # noqa: SLF001 - numba's own
        yield one
        if isinstance(one, _Part):
            yield from _below(one)


@register_pass(mutates_CFG=False, analysis_only=False)  # type: ignore[no-untyped-call]
class _OfferPart(LoweringPass):
    """After a part is lowered, let other compiled code call it: there is no way into it from Python."""

    _name = "simtc_offer_part"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        key = object()  # by which its callers find it
        state.cr = state.cr._replace(cfunc=key)
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        return True


class PartCompiler(Compiler):
    """Compiles a function that only compiled code calls."""

    def define_pipelines(self) -> list[Any]:
        """Return its one pipeline."""
        self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.flags.no_compile = True
        (passes,) = super().define_pipelines()
        passes.add_pass_after(_OfferPart, NativeLowering)
        passes.finalize()
        return [passes]


class WholeCompiler(Compiler):
    """Compiles a function that Python calls, with all that it calls."""

    def define_pipelines(self) -> list[Any]:
        """Return its one pipeline."""
        self.state.library = _Whole(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


def close(function: Any) -> None:
    """Let Python have no way into a function."""

    def refuse(*_: Any, **__: Any) -> None:
        raise TypeError(f"{function.py_func.__qualname__}: only compiled code calls it; declare it from_python=True")

    function._insert = lambda *_, **__: None  # noqa: SLF001 - of its machine code, which there is none of
    function._compile_for_args = refuse  # noqa: SLF001 - what numba calls then, unless nothing more is to be compiled
    function.disable_compile = lambda: None


def read(function: Any, signature: Any) -> None:
    """Take a function's machine code from the disk, if it is there.

    numba would do so after it has loaded what it knows of Python's and numpy's functions: only compiling needs that.
    """
    if function.targetoptions["_nrt"]:
        return  # it makes arrays, by functions that are there once the rest is
    kept = function._cache._load_overload(signature, function.targetctx)  # noqa: SLF001
    if kept is not None:
        function.targetctx.insert_user_function(kept.entry_point, kept.fndesc, [kept.library])
        function.add_overload(kept)
