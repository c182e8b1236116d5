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

from datasources import durable
from datasources.compiled import Kernels, address

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENDING = ".kernel"
DIGEST_BYTES = 32


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
        place = engine.get_function_address(function.__name__)
        if not place:
            raise ValueError(f"there is no machine code of {function.__name__}")
        self._native = prototype(place)

    def __call__(self, *values: int | NDArray[Any]) -> int:
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        given = [value if isinstance(value, int) else address(value) for value in values]
        self._native(ctypes.byref(result), ctypes.byref(error), *given)
        return result.value


# ---- kept code ----


def _kept(module: ModuleType) -> bytes | None:
    """The machine code of *module* that was kept, if it is whole, and kept under this name."""
    name = _file_name(module)
    for folder in _folders(module):
        with suppress(OSError):
            kept = (folder / name).read_bytes()
            code = kept[DIGEST_BYTES:]
            if kept[:DIGEST_BYTES] == _digest(name, code):
                return code
    return None


def _compiled(module: ModuleType) -> bytes | None:
    """The machine code of *module*, kept for the next time; None, and nothing is done, where no folder may keep it."""
    name = _file_name(module)
    code: bytes | None = None
    for folder in _folders(module):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            durable.sweep(folder)
            with durable.temporary_beside(folder / name) as part:
                part.touch()
                if code is None:
                    from datasources.compiling import compile_module

                    code = compile_module(module)
                part.write_bytes(_digest(name, code) + code)
                durable.put_in_place(part, folder / name)
            break
    return code  # also where it did not fit the disk: it is there now


def _digest(name: str, code: bytes) -> bytes:
    """Tells whether *code* is whole, and that it is what the file *name* should hold."""
    return sha256(name.encode() + code).digest()


def _folders(module: ModuleType) -> list[Path]:
    """Where code may be kept: as Numba does it, where NUMBA_CACHE_DIR says, else with the module or the user."""
    declared = os.environ.get("NUMBA_CACHE_DIR")
    if declared:
        return [Path(declared)]
    folders = [Path(str(module.__file__)).parent / "__pycache__"]
    with suppress(RuntimeError):  # a user without a home
        folders.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lastro")
    return folders


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
