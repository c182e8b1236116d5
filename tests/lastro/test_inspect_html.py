"""The page of `lastro inspect --html`."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from datasources.base import Cell, Lists, RawBand
from engine import materialize
from lastro import cli
from lastro.inspect_html import render_page
from lastro.inspect_report import inspect_snapshot

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FINANCEIRO = [str(EXAMPLES / "financeiro" / name) for name in ("vendas.csv", "pagamentos.csv")]
VOID = frozenset({"meta", "wbr"})


class Page(HTMLParser):
    """The elements of a page, its text, and whether every element that was opened is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(*bands: RawBand) -> str:
    return render_page(inspect_snapshot(materialize(bands), None))


def raw_band(columns: dict[str, list[str]], name: str = "b") -> RawBand:
    cells: tuple[list[Cell], ...] = tuple(list(column) for column in columns.values())
    return RawBand(name, tuple(columns), Lists(cells, len(cells[0])), "text")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert cli.main(["inspect", *FINANCEIRO, "--html", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def test_the_page_is_whole_and_looks_as_ever(written, golden):
    page = Page(written)
    assert page.open == []
    golden("inspect/financeiro.html", written)


def test_the_page_needs_nothing_else(written):
    page = Page(written)
    assert {name for name, _ in page.elements}.isdisjoint(
        {"script", "link", "img", "iframe", "object", "base", "form"}
    )
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bon\w+=", written)
    (policy,) = [meta for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert all(link["href"] and link["href"].startswith("#") for link in page.named("a"))


def test_the_page_can_be_read_without_seeing_it(written):
    page = Page(written)
    assert page.named("html") == [{"lang": "en"}]
    assert all(cell.get("scope") in ("col", "row") for cell in page.named("th"))
    for drawing in page.named("svg"):
        assert drawing.get("aria-hidden") == "true" or (drawing["role"] == "img" and drawing["aria-label"])
    identities = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(identities) == len(set(identities))
    wanted = [
        value.lstrip("#")
        for _, attributes in page.elements
        for key, value in attributes.items()
        if key in ("aria-labelledby", "href") and value
    ]
    assert set(wanted) <= set(identities)


def test_dark_and_narrow_screens_are_thought_of(written):
    assert "prefers-color-scheme: dark" in written
    assert 'name="viewport"' in written


def test_every_histogram_says_what_it_shows(written):
    words = [drawing["aria-label"] or "" for drawing in Page(written).named("svg") if "aria-label" in drawing]
    assert any(text.startswith("Rows per value: faturado 146, aberto 26, cancelado 8") for text in words)
    assert any(text.startswith("Rows per bin up to 17260.61: from 87.3 ") for text in words)


HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "'; background: red; x='",
    "</style><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "<!-- --><a href=x>",
    "&lt;b&gt;\u202e\x00",
]


def test_hostile_names_and_cells_are_text():
    columns = {f"{text}{index}": [text, "other", text] for index, text in enumerate(HOSTILE)}
    harmless = {f"c{index}": ["x", "other", "x"] for index in range(len(HOSTILE))}
    page, usual = Page(page_of(raw_band(columns, HOSTILE[0]))), Page(page_of(raw_band(harmless)))
    assert page.open == []
    # A break behind each mark of a name is all that a name may add.
    assert [name for name, _ in page.elements] == [name for name, _ in usual.elements]
    assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
    text = "".join(page.texts)
    assert "{{ 7 * 7 }}{% raw %}" in text
    assert r"\u003c/script>\u003cscript>alert(1)\u003c/script>" in text


def test_very_many_columns_stay_a_page():
    page = Page(page_of(raw_band({f"c{index}": ["1", "2", "2"] for index in range(300)})))
    assert page.open == []


def test_the_page_goes_to_standard_output(capfdbinary):
    assert cli.main(["inspect", FINANCEIRO[0], "--html", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"<!doctype html>")


def test_warnings_are_told_where_the_page_is_written(tmp_path, capfd):
    (tmp_path / "a.csv").write_text("valor;n\n1.234;a\n5.678;b\n", encoding="utf-8")
    assert cli.main(["inspect", str(tmp_path / "a.csv"), "--html", str(tmp_path / "a.html")]) == 0
    written = capfd.readouterr()
    assert written.out == ""
    assert written.err.startswith("warning: a: ")
    assert "<mark>assumed</mark>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path, capfd):
    assert cli.main(["inspect", FINANCEIRO[0], "--html", str(tmp_path / "missing" / "a.html")]) == 2
    assert capfd.readouterr().err.startswith("lastro: cannot write ")
