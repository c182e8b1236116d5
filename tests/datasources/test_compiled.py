"""Machine code means what its source says, and whatever is wrong with it, there is a plain path."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources import compiled, durable
from datasources.compiled import COMPILE_SHARE, address, kernels_of, prepare
from tests.datasources import word_kernel

pytest.importorskip("numba")
machine_code = pytest.importorskip("datasources.machine_code")
NAME = word_kernel.__name__
OTHER = "engine.sum_kernel"
WORD = st.integers(-(2**63), 2**63 - 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that keeps the code of the words."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(autouse=True)
def _kept_there(folder, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    monkeypatch.setattr(compiled, "_ready", {})
    # As in a new process; what was compiled before is loaded there without it.
    monkeypatch.delitem(sys.modules, "numba", raising=False)


@pytest.fixture(scope="module")
def kernels(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(folder))
        patch.setattr(compiled, "_ready", {})
        prepare(COMPILE_SHARE, NAME)
        found = kernels_of(NAME)
    assert found is not None
    return found


@given(data=st.binary(min_size=64, max_size=64), value=st.integers(0, 255))
def test_what_is_read_of_memory(kernels, data, value):
    at = address(np.frombuffer(data, np.uint8))
    for name in ("call_byte", "call_half", "call_word", "call_above_ascii"):
        assert kernels[name](at) == word_kernel.CALLED[name](at)
    assert kernels["call_equal"](at, value) == word_kernel.CALLED["call_equal"](at, value)
    assert kernels["call_equal"](at, data[-1]) < 0


@given(bits=WORD, places=st.integers(0, 130))
def test_what_is_made_of_bits(kernels, bits, places):
    for name in ("call_lowest", "call_count"):
        assert kernels[name](bits) == word_kernel.CALLED[name](bits)
    for name in ("call_up", "call_down"):
        assert kernels[name](bits, places) == word_kernel.CALLED[name](bits, places)


@pytest.mark.parametrize("bits", [0, 1, -1, -(2**63)])
def test_edges_of_bits(kernels, bits):
    assert kernels["call_lowest"](bits) == word_kernel.CALLED["call_lowest"](bits)
    assert kernels["call_count"](bits) == word_kernel.CALLED["call_count"](bits)


def test_arrays_are_written(kernels):
    some, other = np.arange(20), np.arange(100, 120)
    kernels["call_add_eight"](some, 3, other, 5)
    assert some.tolist() == [*range(3), *(2 * at + 102 for at in range(3, 11)), *range(11, 20)]
    codes, flags = np.empty(9, np.int32), np.empty(9, np.uint8)
    assert kernels["fill"](codes, flags, 9) == 18
    assert (codes.tolist(), flags.tolist()) == (list(range(9)), [0, 1] * 4 + [0])


def test_where_kernels_run_already_a_small_table_loads_others(kernels):
    compiled._ready["other"] = kernels
    prepare(0.1, NAME)
    assert kernels_of(NAME) is not None


def test_a_small_table_neither_compiles_nor_loads(kernels):
    prepare(0.9, NAME)
    assert kernels_of(NAME) is None


def test_a_table_of_middle_size_loads_what_was_kept(kernels, tmp_path, monkeypatch):
    prepare(1, NAME)
    assert kernels_of(NAME) is not None
    monkeypatch.setattr(compiled, "_ready", {})
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    prepare(1, NAME)
    assert kernels_of(NAME) is None
    assert not list(tmp_path.iterdir())


def test_code_that_is_not_whole_is_not_run(kernels, folder, tmp_path, monkeypatch):
    (kept,) = folder.glob(f"{NAME}-*")
    (tmp_path / kept.name).write_bytes(kept.read_bytes()[:-1])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    prepare(1, NAME)
    assert kernels_of(NAME) is None


@pytest.mark.parametrize("digested", [False, True], ids=["as it was kept", "as if it were these"])
def test_other_code_under_the_name_of_these_is_not_run(kernels, folder, tmp_path, monkeypatch, digested):
    """A call into code that is not there would end the process."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    prepare(COMPILE_SHARE, OTHER)
    monkeypatch.delitem(sys.modules, "numba")
    (other,) = tmp_path.iterdir()
    (name,) = (one.name for one in folder.glob(f"{NAME}-*"))
    kept = other.read_bytes()
    if digested:
        kept = machine_code._digest(name, kept[32:]) + kept[32:]
    (tmp_path / name).write_bytes(kept)
    prepare(1, NAME)
    assert kernels_of(NAME) is None


def test_code_that_could_not_be_kept_is_run_all_the_same(kernels, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (name,) = (one.name for one in folder.glob(f"{NAME}-*"))
    (tmp_path / name).mkdir()
    prepare(COMPILE_SHARE, NAME)
    assert kernels_of(NAME) is not None
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_what_a_killed_process_left_is_cleared_away(kernels, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    killed = subprocess.Popen([sys.executable, "-c", ""])
    with durable.temporary_beside(tmp_path / "x") as part:
        left = part.with_name(part.name.replace(f"-{os.getpid()}-", f"-{killed.pid}-"))
    left.touch()
    killed.wait()
    prepare(COMPILE_SHARE, NAME)
    assert kernels_of(NAME) is not None
    assert not left.exists()


def test_a_user_without_a_home_has_a_folder_too(monkeypatch):
    for name in ("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 2)
    assert machine_code._folders(word_kernel) == [Path(word_kernel.__file__).parent / "__pycache__"]


def test_without_a_folder_there_are_no_kernels(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "folder"))
    prepare(COMPILE_SHARE, NAME)
    assert kernels_of(NAME) is None


def test_without_numba_there_are_no_kernels(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    prepare(COMPILE_SHARE, NAME)
    assert kernels_of(NAME) is None


def test_what_cannot_be_compiled_is_no_error(tmp_path, monkeypatch):
    source = tmp_path / "no_kernel.py"
    source.write_text("def read(at: 'int') -> 'int':\n    return open(at)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    prepare(COMPILE_SHARE, "no_kernel")
    assert kernels_of("no_kernel") is None
    assert not list(tmp_path.glob("*.kernel*"))
