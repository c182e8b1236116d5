"""
Keeps what Numba compiled, and loads it.

Numba is only there to compile: the machine code is kept in a file, once for each machine, and llvmlite, which comes
with Numba, loads that in a tenth of a second.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]

from datasources.compiled import Kernels, address

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENDING = ".kernel"


def load(name: str, compiles: bool) -> Kernels | None:
    """The kernels of the module *name*, as they were kept; where they were not, it *compiles* them or gives None."""
    module = import_module(name)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    code = _kept(module) or (_compiled(module) if compiles else None)
    if code is None:
        return None
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return {function.__name__: _Kernel(engine, function) for function in kernel_functions(module)}


def kernel_functions(module: ModuleType) -> list[Callable[..., int]]:
    """What *module* defines for others to call."""
    return [
        value
        for name, value in vars(module).items()
        if callable(value)
        and getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_")
    ]


class _Kernel:
    """One function; its code lives as long as this does."""

    def __init__(self, engine: Any, function: Callable[..., int]) -> None:
        *kinds, _ = function.__annotations__.values()
        arguments = [ctypes.c_int64 if kind == "int" else ctypes.c_void_p for kind in kinds]
        # Numba's own way to call: where the result goes, where an error would (no kernel has one), the arguments.
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)
        self._engine = engine
        self._native = prototype(engine.get_function_address(function.__name__))

    def __call__(self, *values: int | NDArray[Any]) -> int:
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        given = [value if isinstance(value, int) else address(value) for value in values]
        self._native(ctypes.byref(result), ctypes.byref(error), *given)
        return result.value


# ---- kept code ----


def _kept(module: ModuleType) -> bytes | None:
    """The machine code of *module* that was kept, if it is whole."""
    for folder in _folders(module):
        with suppress(OSError):
            kept = (folder / _file_name(module)).read_bytes()
            if sha256(kept[32:]).digest() == kept[:32]:
                return kept[32:]
    return None


def _compiled(module: ModuleType) -> bytes | None:
    """The machine code of *module*, kept for the next time; None where no folder would keep it."""
    for folder in _folders(module):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            part = folder / f"{_file_name(module)}.{os.getpid()}"
            part.touch()
            try:
                from datasources.compiling import compile_module

                code = compile_module(module)
                part.write_bytes(sha256(code).digest() + code)
                part.replace(folder / _file_name(module))
            finally:
                part.unlink(missing_ok=True)
            return code
    return None


def _folders(module: ModuleType) -> list[Path]:
    """Where code may be kept: as Numba does it, where NUMBA_CACHE_DIR says, else with the module or the user."""
    declared = os.environ.get("NUMBA_CACHE_DIR")
    if declared:
        return [Path(declared)]
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [Path(str(module.__file__)).parent / "__pycache__", user / "lastro"]


def _file_name(module: ModuleType) -> str:
    """Changes with everything that the machine code depends on."""
    here = Path(__file__)
    sources = [Path(str(module.__file__)), here.with_name("compiling.py"), here.with_name("words.py")]
    parts = [
        version("numba"),
        version("llvmlite"),
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        *(source.read_text(encoding="utf-8") for source in sources),
    ]
    return f"{module.__name__}-{sha256(chr(0).join(parts).encode()).hexdigest()[:16]}{ENDING}"
