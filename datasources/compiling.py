"""Compiles a module of kernels, which is plain Python in integers, to machine code for this processor."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from datasources import words
from datasources.machine_code import kernel_functions

_pointer: Any = types.CPointer  # has no types
TYPES: dict[str, Any] = {
    "int": types.int64,
    "Words": _pointer(types.int64),
    "Codes": _pointer(types.int32),
    "Flags": _pointer(types.uint8),
}
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
    # Python does not call the functions by way of Numba, which is not loaded then.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
BYTE, WORD = ir.IntType(8), ir.IntType(64)


def compile_module(module: ModuleType) -> bytes:
    """An object file with the functions of *module*, under their own names; raises whatever Numba raises."""
    namespace = vars(module) | {name: _intrinsic(name) for name in INSTRUCTIONS}
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            # In a namespace of its own a function finds the others compiled.
            namespace[name] = njit(FunctionType(value.__code__, namespace, name), **OPTIONS)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), 3, "pic", "jitdefault", jit=True
    )
    whole = llvm.parse_assembly("")
    for function in kernel_functions(module):
        name = function.__name__
        *kinds, _ = function.__annotations__.values()
        signature = tuple(TYPES[kind] for kind in kinds)
        namespace[name].compile(signature)
        compiled = llvm.parse_assembly(namespace[name].inspect_llvm(signature))
        compiled.get_function(namespace[name].overloads[signature].fndesc.llvm_func_name).name = name
        whole.link_in(compiled)
    foreign = [one.name for one in whole.functions if one.is_declaration and not one.name.startswith("llvm.")]
    if foreign:
        # A name that is not found when code is loaded would end the process.
        raise ValueError(f"kernels may not call {', '.join(foreign)}")
    code: bytes = machine.emit_object(whole)
    return code


# ---- what the functions of `words` become ----

Emit = Callable[..., Any]
"""Writes instructions: takes llvmlite's builder and the arguments as values. Neither Numba nor llvmlite has types."""


def _intrinsic(name: str) -> Any:
    emit, arguments = INSTRUCTIONS[name]

    def typed(*given: Any) -> Any:
        return types.int64(*given), lambda _, builder, __, values: emit(builder, *values)

    # Numba looks at the number of parameters.
    takers: dict[int, Any] = {
        1: lambda _, a: typed(a),
        2: lambda _, a, b: typed(a, b),
        4: lambda _, a, b, c, d: typed(a, b, c, d),
    }
    return intrinsic(takers[arguments])


def _loaded(builder: Any, address: Any, kind: Any) -> Any:
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _equal(builder: Any, address: Any, value: Any) -> Any:
    vector = ir.VectorType(BYTE, 64)
    one = builder.insert_element(
        ir.Constant(vector, ir.Undefined), builder.trunc(value, BYTE), ir.Constant(WORD, 0)
    )
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
    every = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes)
    return builder.bitcast(builder.icmp_unsigned("==", _loaded(builder, address, vector), every), WORD)


def _above_ascii(builder: Any, address: Any) -> Any:
    vector = ir.VectorType(BYTE, 64)
    zeros = ir.Constant(vector, [0] * 64)
    return builder.bitcast(builder.icmp_signed("<", _loaded(builder, address, vector), zeros), WORD)


def _add_eight(builder: Any, to: Any, at: Any, other: Any, other_at: Any) -> Any:
    eight = ir.VectorType(WORD, 8).as_pointer()
    sums, more = (builder.bitcast(builder.gep(*place), eight) for place in ((to, [at]), (other, [other_at])))
    total = builder.add(builder.load(sums, align=8), builder.load(more, align=8))
    builder.store(total, sums, align=8)
    return ir.Constant(WORD, 0)


def _moved(builder: Any, move: Any, bits: Any, places: Any) -> Any:
    moved = move(bits, places)
    return builder.select(
        builder.icmp_unsigned("<", places, ir.Constant(WORD, 64)), moved, ir.Constant(WORD, 0)
    )


INSTRUCTIONS: dict[str, tuple[Emit, int]] = {
    words.byte.__name__: (lambda b, at: b.zext(_loaded(b, at, BYTE), WORD), 1),
    words.word.__name__: (lambda b, at: _loaded(b, at, WORD), 1),
    words.half.__name__: (lambda b, at: b.sext(_loaded(b, at, ir.IntType(32)), WORD), 1),
    words.add_eight.__name__: (_add_eight, 4),
    words.equal.__name__: (_equal, 2),
    words.above_ascii.__name__: (_above_ascii, 1),
    words.up.__name__: (lambda b, bits, places: _moved(b, b.shl, bits, places), 2),
    words.down.__name__: (lambda b, bits, places: _moved(b, b.lshr, bits, places), 2),
    words.lowest.__name__: (lambda b, bits: b.cttz(bits, ir.Constant(ir.IntType(1), 0)), 1),
    words.count.__name__: (lambda b, bits: b.ctpop(bits), 1),
}
