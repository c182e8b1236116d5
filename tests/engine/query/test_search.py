"""Search finds names and values whatever their case, accents and slips, the same from memory, streams and files."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasources.base import Lists
from datasources.options import ReadOptions
from engine import materialize
from engine.band import type_band
from engine.dedup import merge_duplicates
from engine.exceptions import QueryError
from engine.notes import LANGUAGES
from engine.profile import profile_bands
from engine.query import in_place, vocabulary
from engine.query.search import HITS_MAX, nearest_values, search
from engine.query.session import QuerySession
from engine.query.vocabulary import COLUMN_VALUES_MAX, VALUES_MAX, limits_of, vocabularies_of
from engine.query.word_index import SCORE_MIN, Needle, WordIndex, fold_words
from engine.snapshot import Snapshot
from engine.snapshot_file import open_snapshot, save_snapshot
from tests.datasources.real_data import real_file
from tests.engine.small import raw_band
from tests.engine.streams import streamed

CITIES = ["Ilhéus", "São Sebastião do Passé", "Ilhéus", "Vitória da Conquista", None, "Feira de Santana"]
SALES = raw_band(
    {
        "município": CITIES,
        "cod_produto": ["0001234", "1234", "0035", "3501", "0001234", "12345"],
        "ibge": ["2913606", "3550308", "2913606", "2933307", "2927408", "2910800"],
        "ativo": ["true", "false", "true", "true", None, "true"],
        "valor_total": ["1.5", "2.5", "3.5", "4.5", "5.5", "6.5"],
        "vendedor": ["Flávia", "Ilhéus Souza", "José Maria", "josé maria", "Flávia", "D'Ávila"],
    },
    "vendas",
)
PAYMENTS = raw_band(
    {"forma": ["Pix", "Cartão", "Pix"], "cidade": ["Ilhéus", "Itabuna", "Ilhéus"]}, "pagamentos"
)


def snapshot_of(*raws):
    bands = merge_duplicates([type_band(raw) for raw in raws])
    return Snapshot(bands, profile_bands(bands))


def session_of(*raws):
    return QuerySession(snapshot_of(*raws))


SESSION = session_of(SALES, PAYMENTS)


def shown(result):
    return [(hit.kind, hit.field or hit.band, hit.value, hit.rows, hit.score) for hit in result.hits]


def first(query, session=SESSION, **where):
    hits = search(session, query, **where).hits
    return hits[0].value or hits[0].field or hits[0].band if hits else None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("ilheus", "Ilhéus", id="no accents"),
        pytest.param("ILHÉUS", "Ilhéus", id="capitals"),
        pytest.param("  ilheus \n", "Ilhéus", id="blanks around"),
        pytest.param("sao sebastiao", "São Sebastião do Passé", id="some of the words"),
        pytest.param("passe de sao sebastiao", "São Sebastião do Passé", id="other order"),
        pytest.param("são sebastaio", "São Sebastião do Passé", id="slip in a word"),
        pytest.param("vitoira", "Vitória da Conquista", id="letters swapped"),
        pytest.param("conqui", "Vitória da Conquista", id="start of a word"),
        pytest.param("bastiao", "São Sebastião do Passé", id="middle of a word"),
        pytest.param("Itabuna - BA", "Itabuna", id="more than the value"),
        pytest.param("josemaria", "José Maria", id="written together"),
        pytest.param("d'avila", "D'Ávila", id="apostrophe"),
        pytest.param("cartao", "Cartão", id="other band"),
        pytest.param("flavya", "Flávia", id="one letter"),
        pytest.param("valor total", "valor_total", id="field in words"),
        pytest.param("VALOR_TOTAL", "valor_total", id="field in capitals"),
        pytest.param("municipios", "município", id="field in the plural"),
        pytest.param("venda", "vendas", id="band"),
        pytest.param("true", "true", id="boolean"),
        pytest.param("2913606", "2913606", id="code that is a number"),
        pytest.param("0001234", "0001234", id="code"),
        pytest.param("12345", "12345", id="whole code"),
        pytest.param("35", "0035", id="code without its zeros"),
        pytest.param("xyzqw", None, id="rubbish"),
        pytest.param("---", None, id="signs that are nowhere"),
        pytest.param("%", None, id="a wildcard is a sign"),
        pytest.param("_", "cod_produto", id="and so is the other"),
        pytest.param("\ud800", None, id="half a surrogate pair"),
        pytest.param("ilheus\x00\x07", "Ilhéus", id="control characters"),
    ],
)
def test_the_best_hit(query, expected):
    assert first(query) == expected


def test_a_hit_says_where_how_often_and_how_alike():
    assert shown(search(SESSION, "ilheus"))[:3] == [
        ("value", "município", "Ilhéus", 2, 100),
        ("value", "cidade", "Ilhéus", 2, 100),
        ("value", "vendedor", "Ilhéus Souza", 1, 98),
    ]


def test_codes_rank_the_same_then_the_same_number_then_those_that_begin_so():
    found = search(SESSION, "1234", field="cod_produto").hits
    assert [(hit.value, hit.score) for hit in found] == [("1234", 100), ("12345", 96), ("0001234", 92)]


def test_equal_scores_come_by_kind_then_place_then_rows_then_value():
    session = session_of(
        raw_band({"sol": ["Sol", "sol", "SOL", "sol"], "outro": ["sol", "a", "b", "c"]}, "sol"),
        raw_band({"x": ["sol", "sol"]}, "z"),
    )
    assert [(hit.kind, hit.band, hit.field, hit.value) for hit in search(session, "sol").hits] == [
        ("band", "sol", None, None),
        ("field", "sol", "sol", None),
        ("value", "sol", "sol", "sol"),
        ("value", "sol", "sol", "SOL"),
        ("value", "sol", "sol", "Sol"),
        ("value", "sol", "outro", "sol"),
        ("value", "z", "x", "sol"),
    ]


def test_labels_are_names_too():
    snapshot = snapshot_of(SALES)
    (band,) = snapshot.profile.bands
    fields = tuple(
        replace(one, label="Faturamento Bruto") if one.name == "valor_total" else one for one in band.fields
    )
    session = QuerySession(
        replace(snapshot, profile=replace(snapshot.profile, bands=(replace(band, fields=fields),)))
    )
    assert shown(search(session, "faturamento")) == [("field", "valor_total", None, 6, 98)]


def test_a_band_or_a_field_narrows_the_search():
    assert {hit.band for hit in search(SESSION, "ilheus", band="pagamentos").hits} == {"pagamentos"}
    assert {hit.field for hit in search(SESSION, "ilheus", field="vendedor").hits} == {"vendedor"}
    assert search(SESSION, "vendedor", field="vendedor").hits == ()


def test_the_limit_cuts_and_all_are_counted():
    session = session_of(raw_band({"nome": [f"Nome {number}" for number in range(500)]}))
    result = search(session, "nome", limit=3)
    assert (len(result.hits), result.found) == (3, 501)
    assert len(search(session, "nome", limit=10**9).hits) == HITS_MAX
    assert len(search(session, "nome", limit=-1).hits) == 1


def test_a_merged_band_answers_to_either_name():
    session = session_of(*(raw_band({"nome": ["Ana", "Rui"]}, name) for name in ("canhoto", "header")))
    for name in ("canhoto", "header", "canhoto+header"):
        (hit,) = search(session, "ana", band=name).hits
        assert (hit.band, hit.value) == ("canhoto+header", "Ana")
        assert search(session, name).hits[0].band == "canhoto+header"


@pytest.mark.parametrize(
    ("query", "where", "code"),
    [
        pytest.param("", {}, "empty_query", id="nothing"),
        pytest.param(" \t\u200b\n", {}, "empty_query", id="blanks"),
        pytest.param("a", {"band": "x"}, "unknown_band", id="band"),
        pytest.param("a", {"field": "valor"}, "unknown_field", id="field of no band"),
        pytest.param(
            "a", {"band": "pagamentos", "field": "vendedor"}, "unknown_field", id="field of another band"
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(query, where, code):
    with pytest.raises(QueryError) as raised:
        search(SESSION, query, **where)
    assert raised.value.code == code
    assert all(raised.value.text(language) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("query", "where", "expected"),
    [
        pytest.param("xyzqw", {}, ["nothing_found"], id="nothing"),
        pytest.param("ilheus " * 2_000, {}, ["query_cut"], id="long"),
        pytest.param("2.5", {"field": "valor_total"}, ["not_searched"], id="a measure"),
        pytest.param("ilheus", {}, [], id="found"),
    ],
)
def test_notes(query, where, expected):
    notes = search(SESSION, query, **where).notes
    assert [note.code for note in notes] == expected
    assert all(note.text(language) for note in notes for language in LANGUAGES)


def test_a_report_without_bands_or_rows_finds_nothing():
    assert search(session_of(), "a").hits == ()
    assert search(session_of(raw_band({"nome": []}, "vazia")), "ana").hits == ()
    assert first("vazia", session_of(raw_band({"nome": []}, "vazia"))) == "vazia"


HOSTILE = [
    "%",
    "_",
    "'; DROP TABLE band; --",
    "a\nb",
    "\x1b[31m",
    "*" * 3,
    "\\",
    "{x}",
    "(null)",
    "💥 bum",
    "a" * 9_000,
]


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_are_found_as_they_stand(value):
    session = session_of(raw_band({"x": [*HOSTILE, *(f"v{number}" for number in range(30))]}))
    shown = value if len(value) <= 500 else f"{value[:500]}…"
    assert shown in [hit.value for hit in search(session, value).hits]


def test_hostile_names_are_found_as_they_stand():
    names = ["%", "'; --", "a\nb", "{x}", "c0", 'say "x"', "<b>"]
    session = session_of(*(raw_band({name: ["1.5", "2.5"]}, f"banda {name}") for name in names))
    for name in names:
        hits = search(session, name).hits
        assert name in [hit.field for hit in hits]
        assert search(session, "banda", band=f"banda {name}", field=name).hits == ()


@given(st.text(max_size=40), st.sampled_from([None, "vendas", "pagamentos"]))
@settings(max_examples=300, deadline=None)
def test_any_query_is_answered_unless_it_is_empty(query, band):
    if not Needle.of(query).text:
        with pytest.raises(QueryError, match="empty"):
            search(SESSION, query, band)
        return
    result = search(SESSION, query, band)
    assert result.found == len(result.hits)
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert all(SCORE_MIN <= hit.score <= 100 for hit in result.hits)


@given(st.lists(st.text(st.sampled_from("aáàbcß \n_-1İ²ﬁ"), max_size=9), min_size=1, max_size=9))
def test_folding_many_texts_is_folding_each(texts):
    assert fold_words(texts) == [line for text in texts for line in fold_words([text])]
    index = WordIndex.of(texts)
    for position, text in enumerate(texts):
        needle = Needle.of(text)
        if needle.text:
            assert index.matches(needle)[position] == 100


# ---- where the values are ----

WORDS = ["Ilhéus", "Itabuna", "Feira", "Serra", "Palmas", "Olinda", "Sobral"]
MANY: dict[str, list[str | None]] = {
    "cliente": [f"{WORDS[number % 7]} {number % 1_500:04d}" for number in range(3_000)],
    "pedido": [f"PD-{number:05d}" for number in range(3_000)],
    "uf": [["BA", "SP", None][number % 3] for number in range(3_000)],
    "codigo": [str(10_000 + number) for number in range(3_000)],
}
QUERIES = ["ilheus 7", "pd-00012", "PD 00012", "ba", "10012", "itabnua", "xyzqw", "o", "serra 0003"]


def answers(session):
    return [shown(search(session, query)) for query in QUERIES]


@pytest.fixture(scope="module")
def many():
    return snapshot_of(raw_band(MANY, "vendas"))


def test_memory_streams_and_files_answer_alike(many, tmp_path):
    expected = answers(QuerySession(many))
    assert shown(search(QuerySession(many), "pd-00012"))[0] == ("value", "pedido", "PD-00012", 1, 100)
    opened = open_snapshot(save_snapshot(many, tmp_path / "p.json"))
    for other in (opened, snapshot_of(streamed(raw_band(MANY, "vendas"), (1_000, 1_700)))):
        with QuerySession(other) as session:
            assert answers(session) == expected
            assert answers(session) == expected


def test_a_large_file_of_text_is_searched(tmp_path):
    path = tmp_path / "vendas.csv"
    lines = [f"{client};{number}" for number, client in enumerate(MANY["cliente"])]
    path.write_text("\n".join(["cliente;valor", *lines]), encoding="utf-8")
    snapshot = materialize([path], options=ReadOptions(small_bytes=1_000))
    assert not isinstance(snapshot.bands[0].raw.cells, Lists)  # type: ignore[attr-defined]
    with QuerySession(snapshot) as session:
        assert first("ilheus 0007", session) == "Ilhéus 0007"


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(vocabulary, "COLUMN_VALUES_MAX", 1_200)


@pytest.fixture(params=["memory", "stored"])
def large(request, many, small_limit, tmp_path):
    snapshot = many
    if request.param == "stored":
        snapshot = open_snapshot(save_snapshot(many, tmp_path / "p.json"))
    with QuerySession(snapshot) as session:
        yield session


@pytest.mark.parametrize(
    ("query", "field", "expected"),
    [
        pytest.param("ilheus 0007", "cliente", ["Ilhéus 0007"], id="case and accents"),
        pytest.param("ILHÉUS 0007", "cliente", ["Ilhéus 0007"], id="with accents"),
        pytest.param("pd-0001", "pedido", [f"PD-{number:05d}" for number in range(10, 20)], id="start"),
        pytest.param("12999", "codigo", ["12999"], id="number"),
        pytest.param("12999x", "codigo", [], id="no number"),
        pytest.param("ilhues", "cliente", [], id="no fuzzy search there"),
        pytest.param("%", "pedido", [], id="wildcard"),
        pytest.param("\ud800", "pedido", [], id="half a surrogate pair"),
    ],
)
def test_a_large_column_is_searched_in_place(large, query, field, expected):
    result = search(large, query, field=field)
    assert [hit.value for hit in result.hits] == expected
    assert all(hit.rows == len([one for one in MANY[field] if one == hit.value]) for hit in result.hits)
    assert result.notes[-1].code == "searched_in_place"
    assert result.notes[-1].values == {"names": (field,)}


def test_of_too_many_rows_the_first_are_looked_at_and_the_query_itself_is_found(large, monkeypatch):
    monkeypatch.setattr(in_place, "FOUND_ROWS_MAX", 100)
    for field, query in (("pedido", "0"), ("codigo", "1")):
        result = search(large, query, field=field, limit=5)
        assert [note.code for note in result.notes] == ["first_rows_only"]
        assert [hit.rows for hit in result.hits] == [1] * 5
    # A digit of another width is the same one.
    wide, plain = (search(large, digit, field="codigo", limit=5).hits for digit in "１1")
    assert wide == plain
    monkeypatch.setattr(in_place, "FOUND_ROWS_MAX", 1)
    assert shown(search(large, "pd-02999", field="pedido")) == [("value", "pedido", "PD-02999", 1, 100)]


def test_long_values_are_searched_in_place(monkeypatch):
    monkeypatch.setattr(vocabulary, "CHARS_MIN", 0)
    values = [f"{number} {'longo ' * 100}fim{number}" for number in range(1_100)]
    result = search(session_of(raw_band({"x": values})), "fim77")
    assert [hit.value for hit in result.hits[:1]] == [f"{values[77][:500]}…"]
    assert [note.code for note in result.notes] == ["searched_in_place", "long_values"]


LONG = [
    "Ilhéus",
    "Itabuna",
    f"Contrato de São Sebastião {'x' * 200_000}",
    f"Ata {'y' * 3_000} fim",
    None,
] * 20


def many_documents():
    """More than a profile counts."""
    return raw_band({"texto": [*LONG, *(f"Documento {number}" for number in range(30))]})


@pytest.mark.parametrize("kind", ["memory", "stream", "file"])
def test_a_long_cell_does_not_turn_fuzzy_search_off(kind, tmp_path):
    raw = many_documents()
    snapshot = snapshot_of(raw if kind != "stream" else streamed(raw, (40, 90)))
    if kind == "file":
        snapshot = open_snapshot(save_snapshot(snapshot, tmp_path / "x"))
    with QuerySession(snapshot) as session:
        assert first("ilehus", session) == "Ilhéus"
        result = search(session, "contrto sebastiao")
        (hit, *_) = result.hits
        assert (hit.value, hit.rows) == (f"{str(LONG[2])[:500]}…", 20)
        assert [note.code for note in result.notes] == ["long_values"]
        assert not search(session, "fim").hits  # it is past the beginning


def test_what_begins_alike_is_one_value():
    values = [f"{'a' * 2_000}{number}" for number in range(40)]
    (hit,) = search(session_of(raw_band({"x": values})), "a" * 30).hits
    assert (hit.value, hit.rows) == ("a" * 500 + "…", 40)


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        pytest.param(2, 50, 50, id="few rows"),
        pytest.param(3, 10**7, COLUMN_VALUES_MAX, id="large columns"),
        pytest.param(40, 10**7, VALUES_MAX // 40, id="many large columns"),
    ],
)
def test_values_are_shared_among_columns(columns, rows, expected):
    snapshot = snapshot_of(raw_band({f"x{number}": ["a", "b"] for number in range(columns)}))
    (band,) = snapshot.profile.bands
    fields = tuple(replace(field, distinct=None) for field in band.fields)
    profile = replace(snapshot.profile, bands=(replace(band, rows=rows, fields=fields),))
    assert set(limits_of(replace(snapshot, profile=profile)).values()) == {expected}


def test_what_one_column_does_not_need_is_left_to_the_others(many):
    assert limits_of(many) == {(0, 0): 3_000, (0, 1): 3_000, (0, 2): 2, (0, 3): 3_000}


def test_vocabularies_live_as_long_as_their_session(many):
    session = QuerySession(many)
    search(session, "ba")
    found = weakref.ref(vocabularies_of(session))
    del session
    gc.collect()
    assert found() is None


def test_threads_may_search_at_once(many, tmp_path):
    opened = open_snapshot(save_snapshot(many, tmp_path / "p.json"))
    found = []
    with QuerySession(opened) as session:
        threads = [Thread(target=lambda: found.append(answers(session))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [answers(QuerySession(many))] * 4


REAL_FILES = [
    pytest.param("jasper-northwind/northwind.json", "sao paulo", "Sao Paulo", id="json"),
    pytest.param("cvm-cad-cia-aberta/cad_cia_aberta.csv", "sao paulo", "SÃO PAULO", id="csv"),
]


@pytest.mark.parametrize(("path", "query", "expected"), REAL_FILES)
def test_real_files(path, query, expected):
    with QuerySession(materialize([real_file(path)])) as session:
        assert first(query, session) == expected
        assert search(session, "xyzqwk").hits == ()


# ---- nearest values ----


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        pytest.param("município", "ilheus", ("Ilhéus",), id="accents"),
        pytest.param("município", "Ilhues", ("Ilhéus",), id="slip"),
        pytest.param("município", "Feira", ("Feira de Santana",), id="part"),
        pytest.param("município", "Rio Branco", (), id="nothing near"),
        pytest.param("município", "", (), id="nothing"),
        pytest.param("município", "\ud800", (), id="half a surrogate pair"),
        pytest.param("vendedor", "JOSÉ MARIA", ("José Maria", "josé maria"), id="both ways to write it"),
        pytest.param("valor_total", "1", (), id="no text"),
    ],
)
def test_nearest_values(field, value, expected):
    position = [one.name for one in SESSION.snapshot.bands[0].columns].index(field)
    assert nearest_values(SESSION, 0, position, value) == expected


def test_nearest_values_are_few(large):
    assert len(nearest_values(large, 0, 0, "ilheus")) == 3
    assert nearest_values(large, 0, 1, "pd-00012") == ("PD-00012",)
