"""A report is loaded whole or not at all, each source once, and no path leads out of its root."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest

from datasources.base import Declared
from datasources.concurrently import AT_ONCE_MAX, run_all
from datasources.definition import parse_definition
from datasources.elements import FileSource
from datasources.exceptions import (
    DefinitionError,
    SourceError,
    SourceForbidden,
    SourceNotFound,
    SourceOptionError,
    SourceTimeout,
)
from datasources.parameters import resolve
from datasources.report import load_report, locate

SELECT = {"id": "ano", "type": "select", "options": ["2025", "2026"], "defaultValue": "2026"}


def definition(datasources, bands=None, **others):
    bands = bands or [{"name": name, "datasource": name} for name in datasources]
    return parse_definition(
        json.dumps({"id": "r", "name": "R", "datasources": datasources, "bands": bands, **others})
    )


def load(datasources, bands=None, *, params=None, roots=None, frames=None, timeout_s=30, **others):
    made = definition(datasources, bands, **others)
    return load_report(
        made, resolve(made, params or {}), roots=roots, frames=frames, source_timeout_s=timeout_s
    )


def file(path, **others):
    return {"kind": "file", "root": "data", "path": path, **others}


INLINE = {"kind": "inline", "records": [{"a": 1, "b": "x"}, {"a": 2}]}


@pytest.fixture
def root(tmp_path):
    """A root with files, and beside it what nobody may read."""
    root = tmp_path / "root"
    (root / "2026").mkdir(parents=True)
    (root / "2025").mkdir()
    (root / "2026" / "v.csv").write_text("a;b\n1;x\n2;y\n")
    (root / "2025" / "v.csv").write_text("a;b\n7;z\n")
    (tmp_path / "secret.csv").write_text("senha\nx\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "s.csv").write_text("senha\nx\n")
    return root


# ---- sources and bands ----


def test_bands_come_in_the_order_of_the_definition_with_their_declarations(root):
    bands = load(
        {"arquivo": file("2026/v.csv"), "fixo": INLINE, "quadro": {"kind": "memory", "name": "q"}},
        [
            {"name": "titulo", "kind": "header"},
            {"name": "q", "datasource": "quadro"},
            {"name": "f", "datasource": "fixo"},
            {
                "name": "v",
                "datasource": "arquivo",
                "fields": [{"name": "a", "type": "number", "role": "id", "label": "A", "unit": "kg"}],
            },
        ],
        roots={"data": root},
        frames={"q": {"n": [1, 2, 3]}},
        locale="pt-BR",
    )
    assert [(band.name, band.columns, band.rows) for band in bands] == [
        ("q", ("n",), 3),
        ("f", ("a", "b"), 2),
        ("v", ("a", "b"), 2),
    ]
    assert {band.locale for band in bands} == {"pt-BR"}
    assert bands[2].declared == {"a": Declared("number", "id", "A", "kg")}


def test_a_source_of_two_bands_is_read_once(root):
    reads = []

    class Frame:
        def __arrow_c_stream__(self, requested_schema=None):
            import pyarrow as pa

            reads.append(1)
            return pa.table({"n": [1]}).__arrow_c_stream__()

    bands = load(
        {"d": {"kind": "memory", "name": "q"}},
        [{"name": "um", "datasource": "d"}, {"name": "dois", "datasource": "d"}],
        frames={"q": Frame()},
    )
    assert [band.name for band in bands] == ["um", "dois"]
    assert reads == [1]


def test_a_source_that_no_band_draws_from_is_not_read():
    assert [
        band.name for band in load({"x": file("nada.csv"), "f": INLINE}, [{"name": "f", "datasource": "f"}])
    ] == ["f"]


def test_how_a_file_is_read_is_declared(root):
    (root / "c.txt").write_bytes("não;b\nn/d;1,5\nx;2\n".encode("latin-1"))
    (band,) = load(
        {"d": file("c.txt", delimiter=";", encoding="latin-1", null_values=["n/d"])}, roots={"data": root}
    )
    assert (band.columns, band.null_values) == (("não", "b"), ("n/d",))


def test_warnings_carry_the_name_of_the_band(root):
    (root / "n.csv").write_text("a;a\n1;2\n3;4\n")
    (band,) = load({"d": file("n.csv")}, [{"name": "v", "datasource": "d"}], roots={"data": root})
    assert [warning.band for warning in band.warnings] == ["v"]


def test_nested_records_follow_their_band_and_a_band_may_be_named_after_them(root):
    (root / "p.json").write_text('[{"id": 1, "itens": [{"x": 1}], "pagtos": [{"y": 2}]}]')
    bands = load(
        {"d": file("p.json")},
        [
            {"name": "pedidos", "datasource": "d"},
            {"name": "itens", "datasource": "d", "fields": [{"name": "x", "role": "id"}]},
        ],
        roots={"data": root},
    )
    assert [band.name for band in bands] == ["pedidos", "pedidos.pagtos", "itens"]
    assert bands[2].declared == {"x": Declared(role="id")}


def test_a_source_without_records_has_the_declared_columns():
    (band,) = load(
        {"d": {"kind": "inline", "records": []}},
        [{"name": "b", "datasource": "d", "fields": [{"name": "x", "type": "date"}, {"name": "y"}]}],
    )
    assert (band.columns, band.rows) == (("x", "y"), 0)


@pytest.mark.parametrize(
    ("chosen", "rows"), [pytest.param(None, 2, id="default"), pytest.param("2025", 1, id="chosen")]
)
def test_a_parameter_chooses_a_folder(root, chosen, rows):
    (band,) = load(
        {"v": file("{{ano}}/v.csv")}, params={"ano": chosen}, roots={"data": root}, parameters=[SELECT]
    )
    assert band.rows == rows


def test_folders_and_patterns_of_parts_are_one_band(root):
    (root / "2026" / "w.csv").write_text("a;b\n3;z\n")
    for path in ("2026", "2026/*.csv", "202?/[vw].csv"):
        (band,) = load({"v": file(path)}, roots={"data": root})
        assert band.rows == (4 if "?" in path else 3)


# ---- failures ----


@pytest.mark.parametrize(
    ("datasources", "kind", "message"),
    [
        pytest.param(
            {"v": file("2026/w.csv")},
            SourceNotFound,
            "There is no file w.csv: did you mean v.csv?",
            id="file",
        ),
        pytest.param(
            {"v": {**file("v.csv"), "root": "dat"}},
            SourceNotFound,
            "There is no root dat for files: did you mean data?",
            id="root",
        ),
        pytest.param(
            {"v": {"kind": "memory", "name": "q"}},
            SourceNotFound,
            "No frame q was handed in: there is no frame.",
            id="frame",
        ),
        pytest.param(
            {"v": {"kind": "sql", "connection": "erp", "query": "SELECT 1"}},
            SourceNotFound,
            "It needs the connection erp, and no connections are given: name their file with --connections FILE,"
            " or in Python pass connections=load_connections(FILE).",
            id="connections",
        ),
    ],
)
def test_the_source_that_fails_is_named_and_fails_the_report(root, datasources, kind, message):
    with pytest.raises(kind) as raised:
        load({"bom": INLINE, **datasources}, roots={"data": root})
    assert str(raised.value) == raised.value.message == f"The datasource v could not be read: {message}"


def test_a_message_does_not_tell_where_the_root_lies(root):
    with pytest.raises(SourceNotFound) as raised:
        load({"v": file("2024/v.csv")}, roots={"data": root})
    assert str(root) not in raised.value.message
    assert "There is no folder 2024 for v.csv" in raised.value.message


def test_a_source_that_hangs_is_named_and_fails_the_report():
    release = Event()

    class Slow:
        def __arrow_c_stream__(self, requested_schema=None):
            release.wait(20)

    started = monotonic()
    with pytest.raises(SourceTimeout, match=r"^The datasource lento could not be read within 0\.2 seconds: "):
        load({"bom": INLINE, "lento": {"kind": "memory", "name": "q"}}, frames={"q": Slow()}, timeout_s=0.2)
    assert monotonic() - started < 5
    release.set()


def test_jobs_run_at_the_same_time_and_keep_their_order():
    def job(number):
        sleep(0.2)
        return number

    jobs = {f"j{number}": partial(job, number) for number in range(AT_ONCE_MAX)}
    started = monotonic()
    found = run_all(jobs, 10)
    assert list(found.items()) == [(f"j{number}", number) for number in range(AT_ONCE_MAX)]
    assert monotonic() - started < 1


def test_each_job_has_a_deadline_of_its_own():
    jobs = {f"j{number}": lambda: sleep(0.15) for number in range(3 * AT_ONCE_MAX)}
    assert len(run_all(jobs, 1.0)) == 3 * AT_ONCE_MAX


def test_what_a_job_raises_is_raised():
    def fail():
        raise ZeroDivisionError("x")

    with pytest.raises(ZeroDivisionError):
        run_all({"a": lambda: 1, "b": fail}, 5)


# ---- paths ----

TRAVERSALS = (
    "../secret.csv",
    "2026/../../secret.csv",
    "2026/..",
    "..",
    ".",
    "./2026/v.csv",
    "/etc/passwd",
    "//etc/passwd",
    "2026//v.csv",
    "2026/",
    "..\\secret.csv",
    "2026\\..\\..\\secret.csv",
    "C:/x.csv",
    "~/x.csv",
    "2026/v.csv\0.txt",
    "{{ano}}.csv",
    "x{{ano}}/v.csv",
    "{{ano}}/{{outro}}",
    "{% include x %}",
    "${HOME}/v.csv",
    "{{ano|upper}}/v.csv",
    "{{{ano}}}/v.csv",
)


@pytest.mark.parametrize("path", TRAVERSALS)
def test_a_path_that_leads_elsewhere_is_no_definition(root, path):
    with pytest.raises(DefinitionError):
        load({"v": file(path)}, roots={"data": root}, parameters=[SELECT])


@pytest.mark.parametrize("path", TRAVERSALS)
def test_a_definition_that_was_never_checked_is_checked_when_it_is_loaded(root, path):
    good = definition({"v": file("2026/v.csv")}, parameters=[SELECT])
    source = FileSource.model_construct(
        kind="file", root="data", path=path, delimiter=None, encoding=None, null_values=()
    )
    bad = good.model_copy(update={"datasources": {"v": source}})
    with pytest.raises(SourceError):
        load_report(bad, resolve(bad, {}), roots={"data": root})


@pytest.mark.parametrize(
    "path", ["../secret.csv", "2026/../../secret.csv", "..", "2026/./v.csv", "2026//v.csv", "a\\b"]
)
def test_the_last_word_before_the_disk_refuses_too(root, path):
    with pytest.raises(SourceForbidden):
        locate(root, path, resolve(definition({"f": INLINE}), {}))


@pytest.mark.parametrize(
    "option", ["..", ".", "a/b", "a\\b", "*", "?", "[a]", "x\0", "~", ".git", " ", "C:", "a\nb", "{{ano}}"]
)
def test_an_option_is_a_plain_name(root, option):
    parameter = {"id": "ano", "type": "select", "options": [option], "required": True}
    with pytest.raises(DefinitionError):
        load(
            {"v": file("{{ano}}/v.csv")}, params={"ano": option}, roots={"data": root}, parameters=[parameter]
        )


@pytest.mark.parametrize("chosen", ["..", "../..", "2027", "/etc", "2026/../2025", "", "2026\0"])
def test_a_choice_outside_the_options_is_refused(root, chosen):
    required = {"id": "ano", "type": "select", "options": ["2025", "2026"], "required": True}
    with pytest.raises(SourceError):
        load(
            {"v": file("{{ano}}/v.csv")}, params={"ano": chosen}, roots={"data": root}, parameters=[required]
        )


@pytest.mark.parametrize("value", ["2027", "../x", None, 2026, ("2026",)])
def test_a_value_that_was_never_checked_is_refused(root, value):
    from dataclasses import replace

    made = definition({"v": file("{{ano}}/v.csv")}, parameters=[SELECT])
    values = resolve(made, {})
    forged = replace(values, values={"ano": replace(values["ano"], value=value)})
    with pytest.raises(SourceOptionError):
        locate(root, "{{ano}}/v.csv", forged)


def link(path: Path, target: Path | str) -> None:
    path.symlink_to(target)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize(
    ("make", "path"),
    [
        pytest.param(lambda root: link(root / "l.csv", "../secret.csv"), "l.csv", id="file"),
        pytest.param(lambda root: link(root / "l.csv", root.parent / "secret.csv"), "l.csv", id="absolute"),
        pytest.param(lambda root: link(root / "dir", "../outside"), "dir/s.csv", id="folder"),
        pytest.param(lambda root: link(root / "dir", "../outside"), "dir", id="folder of parts"),
        pytest.param(lambda root: link(root / "dir", "../outside"), "dir/*.csv", id="pattern below a link"),
        pytest.param(
            lambda root: link(root / "2026" / "l.csv", "../../secret.csv"), "2026", id="link among parts"
        ),
        pytest.param(
            lambda root: link(root / "2026" / "l.csv", "../../secret.csv"), "2026/*.csv", id="pattern"
        ),
        pytest.param(
            lambda root: link(root / "dir", "../outside"), "dir/missing.csv", id="missing behind a link"
        ),
        pytest.param(lambda root: link(root / "l.csv", "l.csv"), "l.csv", id="circle"),
        pytest.param(lambda root: link(root / "l.csv", "../nothing"), "l.csv", id="to nothing outside"),
    ],
)
def test_a_link_out_of_the_root_is_refused(root, make, path):
    make(root)
    with pytest.raises(
        SourceForbidden, match=r"^The datasource v could not be read: .* (out of its root|nowhere)"
    ):
        load({"v": file(path)}, roots={"data": root})


def test_a_link_within_the_root_is_followed(root):
    link(root / "l.csv", "2026/v.csv")
    (band,) = load({"v": file("l.csv")}, roots={"data": root})
    assert band.rows == 2


def test_a_root_may_be_a_link_itself(root, tmp_path):
    link(tmp_path / "other", root)
    (band,) = load({"v": file("2026/v.csv")}, roots={"data": tmp_path / "other"})
    assert band.rows == 2


def test_a_root_beside_one_with_a_longer_name_is_another(root, tmp_path):
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "s.csv").write_text("a\n1\n")
    link(root / "l.csv", tmp_path / "root2" / "s.csv")
    with pytest.raises(SourceForbidden):
        load({"v": file("l.csv")}, roots={"data": root})
