"""What a client sends becomes a value of the parameter's type, exactly, or is refused with the remedy."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasources.conversions import Misfit, canonical, convert
from datasources.elements import Parameter

OPTIONS = ["Norte", "Sul", "Silva, Ana", " com espaço ", "2026"]


def parameter(kind: str) -> Parameter:
    data: dict[str, object] = {"id": "p", "type": kind}
    return Parameter.model_validate(data | {"options": OPTIONS} if "select" in kind else data)


def moment(*parts: int, zone: timezone | None = None) -> datetime:
    return datetime(*parts, tzinfo=zone)  # type: ignore[misc, arg-type]


BRASILIA = timezone(timedelta(hours=-3))


@pytest.mark.parametrize(
    ("kind", "sent", "value", "text"),
    [
        pytest.param("text", "Ação", "Ação", "Ação", id="text"),
        pytest.param("text", "  a b\t", "a b", "a b", id="text without white space around it"),
        pytest.param(
            "text", "'; DROP TABLE x; --", "'; DROP TABLE x; --", "'; DROP TABLE x; --", id="text of SQL"
        ),
        pytest.param("text", 12, "12", "12", id="text from a whole number"),
        pytest.param("text", "a\nb", "a\nb", "a\nb", id="text of two lines"),
        pytest.param("number", "1234.5", Decimal("1234.5"), "1234.5", id="number"),
        pytest.param("number", "1234.50", Decimal("1234.5"), "1234.5", id="number with a zero at its end"),
        pytest.param("number", "1.234,56", Decimal("1234.56"), "1234.56", id="number, Brazilian"),
        pytest.param("number", "1,234.56", Decimal("1234.56"), "1234.56", id="number, international"),
        pytest.param("number", "1.234.567", 1234567, "1234567", id="number, Brazilian, whole"),
        pytest.param("number", "1,234,567", 1234567, "1234567", id="number, international, whole"),
        pytest.param("number", "12,5", Decimal("12.5"), "12.5", id="number, comma"),
        pytest.param("number", ",5", Decimal("0.5"), "0.5", id="number, only decimals"),
        pytest.param("number", "0.500", Decimal("0.5"), "0.5", id="number, three decimals after 0"),
        pytest.param("number", "R$ -1", None, None, id="number, sign after the currency"),
        pytest.param("number", "-R$ 1.000,00", -1000, "-1000", id="number, money"),
        pytest.param("number", "\u22125", -5, "-5", id="number, typographic minus"),
        pytest.param("number", "-0,0", 0, "0", id="number, minus zero"),
        pytest.param("number", "007", 7, "7", id="number, leading zeros"),
        pytest.param("number", 7, 7, "7", id="number from int"),
        pytest.param("number", 0.1, Decimal("0.1"), "0.1", id="number from float"),
        pytest.param("number", 1e3, 1000, "1000", id="number from a whole float"),
        pytest.param("number", Decimal("1E+2"), 100, "100", id="number from a Decimal with exponent"),
        pytest.param("number", 10**38 - 1, 10**38 - 1, "9" * 38, id="number of 38 digits"),
        pytest.param("number", 10**38, None, None, id="number of 39 digits"),
        pytest.param("number", 10**5000, None, None, id="number of thousands of digits"),
        pytest.param("number", "1" * 5000, None, None, id="text of thousands of digits"),
        pytest.param("number", Decimal("1E+999999"), None, None, id="number, huge exponent"),
        pytest.param("number", Decimal("1E-999999"), None, None, id="number, tiny"),
        pytest.param("number", "1.234", None, None, id="number, ambiguous point"),
        pytest.param("number", "1,234", None, None, id="number, ambiguous comma"),
        pytest.param("number", "1e5", None, None, id="number, exponent in text"),
        pytest.param("number", "1.23.456", None, None, id="number, wrong groups"),
        pytest.param("number", "٣", None, None, id="number, other digits"),
        pytest.param("number", float("nan"), None, None, id="number, NaN"),
        pytest.param("number", float("inf"), None, None, id="number, infinite"),
        pytest.param("number", True, None, None, id="number from boolean"),
        pytest.param("number", [1], None, None, id="number from list"),
        pytest.param("date", "2026-01-31", date(2026, 1, 31), "2026-01-31", id="date"),
        pytest.param("date", "31/01/2026", date(2026, 1, 31), "2026-01-31", id="date, Brazilian"),
        pytest.param("date", "1.2.2026", date(2026, 2, 1), "2026-02-01", id="date, points"),
        pytest.param("date", "03-04-2026", date(2026, 4, 3), "2026-04-03", id="date, day first"),
        pytest.param(
            "date", "2026-01-31T00:00:00.000Z", date(2026, 1, 31), "2026-01-31", id="date at midnight"
        ),
        pytest.param("date", date(2026, 1, 31), date(2026, 1, 31), "2026-01-31", id="date from date"),
        pytest.param("date", moment(2026, 1, 31), date(2026, 1, 31), "2026-01-31", id="date from midnight"),
        pytest.param("date", "2026-01-31T03:00:00.000Z", None, None, id="date with a time"),
        pytest.param("date", "2026-02-30", None, None, id="date that is none"),
        pytest.param("date", "05/13/2026", None, None, id="date, month first"),
        pytest.param("date", "0000-01-01", None, None, id="date, year 0"),
        pytest.param("date", "2026-1-1", None, None, id="date, short ISO"),
        pytest.param("date", "hoje", None, None, id="date, a word"),
        pytest.param("date", 20260131, None, None, id="date from number"),
        pytest.param(
            "datetime", "2026-01-01T10:00:00", moment(2026, 1, 1, 10), "2026-01-01T10:00:00", id="datetime"
        ),
        pytest.param(
            "datetime",
            "01/02/2026 9:05",
            moment(2026, 2, 1, 9, 5),
            "2026-02-01T09:05:00",
            id="datetime, Brazilian",
        ),
        pytest.param(
            "datetime", "2026-01-01", moment(2026, 1, 1), "2026-01-01T00:00:00", id="datetime of a day"
        ),
        pytest.param(
            "datetime", date(2026, 1, 1), moment(2026, 1, 1), "2026-01-01T00:00:00", id="datetime from date"
        ),
        pytest.param(
            "datetime",
            "2026-01-01T10:00:00.250-03:00",
            moment(2026, 1, 1, 10, 0, 0, 250_000, zone=BRASILIA),
            "2026-01-01T10:00:00.25-03:00",
            id="datetime with fraction and offset",
        ),
        pytest.param(
            "datetime",
            "2026-01-01 10:00Z",
            moment(2026, 1, 1, 10, zone=UTC),
            "2026-01-01T10:00:00Z",
            id="datetime, UTC",
        ),
        pytest.param(
            "datetime", "2026-01-01T10:00:00.1234567", None, None, id="datetime finer than a microsecond"
        ),
        pytest.param("datetime", "2026-01-01T25:00", None, None, id="datetime, hour 25"),
        pytest.param("datetime", 1767261600, None, None, id="datetime from number"),
        pytest.param("boolean", True, True, "true", id="boolean"),
        pytest.param("boolean", "false", False, "false", id="boolean, word"),
        pytest.param("boolean", "Sim", True, "true", id="boolean, sim"),
        pytest.param("boolean", "NÃO", False, "false", id="boolean, não"),
        pytest.param("boolean", 0, False, "false", id="boolean, 0"),
        pytest.param("boolean", "1", True, "true", id="boolean, text 1"),
        pytest.param("boolean", 2, None, None, id="boolean, 2"),
        pytest.param("boolean", 1.0, None, None, id="boolean, float"),
        pytest.param("boolean", "talvez", None, None, id="boolean, another word"),
        pytest.param("select", "Sul", "Sul", "Sul", id="select"),
        pytest.param("select", 2026, "2026", "2026", id="select from number"),
        pytest.param(
            "select", "com espaço", " com espaço ", " com espaço ", id="select, option with white space"
        ),
        pytest.param("select", "sul", None, None, id="select, another case"),
        pytest.param("select", ["Sul"], None, None, id="select from list"),
        pytest.param(
            "multiselect", ["Sul", "Norte"], ("Norte", "Sul"), "Norte, Sul", id="multiselect, declared order"
        ),
        pytest.param(
            "multiselect", "Sul,Norte, Sul", ("Norte", "Sul"), "Norte, Sul", id="multiselect, commas"
        ),
        pytest.param(
            "multiselect",
            "Silva, Ana,Sul",
            ("Sul", "Silva, Ana"),
            "Sul, Silva, Ana",
            id="an option's own comma",
        ),
        pytest.param("multiselect", ["Sul", ""], None, None, id="multiselect with an empty text"),
        pytest.param("multiselect", ["Sul", None], None, None, id="multiselect with null"),
        pytest.param("multiselect", [""], None, None, id="multiselect of an empty text"),
        pytest.param("multiselect", [None], None, None, id="multiselect of null"),
        pytest.param("multiselect", ["\t"], None, None, id="multiselect of white space"),
        pytest.param("multiselect", " , ", None, None, id="multiselect of a comma"),
        pytest.param("multiselect", "Sul,", None, None, id="multiselect, comma at the end"),
        pytest.param("multiselect", "Sul,,Norte", None, None, id="multiselect, two commas"),
        pytest.param("multiselect", "Sul, Leste", None, None, id="multiselect, one that is no option"),
        pytest.param("multiselect", [["Sul"]], None, None, id="multiselect, nested"),
        pytest.param("multiselect", {"Sul": 1}, None, None, id="multiselect from object"),
    ],
)
def test_conversion(kind, sent, value, text):
    if text is None:
        with pytest.raises(Misfit) as caught:
            convert(parameter(kind), sent)
        assert str(caught.value).endswith((".", "?"))
        assert len(str(caught.value)) < 400
        return
    converted = convert(parameter(kind), sent)
    assert (converted, type(converted)) == (value, type(value))
    assert canonical(converted) == text


@pytest.mark.parametrize("kind", ["text", "number", "date", "datetime", "boolean", "select", "multiselect"])
@pytest.mark.parametrize("sent", [None, "", "  \t ", [], ()], ids=repr)
def test_what_is_empty_is_unset(kind, sent):
    assert convert(parameter(kind), sent) is None


def test_an_empty_choice_among_others_is_told_how_to_be_sent():
    with pytest.raises(Misfit, match="leave it out, or send an empty list where nothing is chosen"):
        convert(parameter("multiselect"), [""])


@pytest.mark.parametrize("sent", ["a\x00b", "\ud800", "x" * 10_001], ids=["NUL", "surrogate", "long"])
def test_text_that_no_database_takes_is_refused(sent):
    with pytest.raises(Misfit):
        convert(parameter("text"), sent)
    with pytest.raises(Misfit):
        convert(parameter("multiselect"), [sent])


@pytest.mark.parametrize(
    ("kind", "locale", "sent", "value"),
    [
        ("number", "pt-BR", "1.234", 1234),
        ("number", "pt-BR", "1,234", Decimal("1.234")),
        ("number", "en-US", "1.234", Decimal("1.234")),
        ("number", "en", "1,234", 1234),
        ("number", "pt-BR", "1234.5", Decimal("1234.5")),
        ("date", "en-US", "03/04/2026", date(2026, 3, 4)),
        ("date", "en-GB", "03/04/2026", date(2026, 4, 3)),
    ],
)
def test_a_locale_decides_what_two_would_read_differently(kind, locale, sent, value):
    assert convert(parameter(kind), sent, locale) == value


def test_an_ambiguous_number_is_told_how_to_be_written():
    with pytest.raises(Misfit, match=r"write 1234, or 1\.2340"):
        convert(parameter("number"), "1.234")


FINITE = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=4)


@given(FINITE)
def test_a_number_survives_both_ways_of_writing_it(number):
    international = f"{number:,.4f}"
    brazilian = international.translate(str.maketrans(",.", ".,"))
    assert convert(parameter("number"), international) == number
    assert convert(parameter("number"), brazilian) == number
    text = canonical(convert(parameter("number"), number))
    assert Decimal(text) == number
    assert "E" not in text
    assert not text.endswith(".")
    assert "." not in text or not text.endswith("0")


@given(st.dates())
def test_a_date_survives_both_ways_of_writing_it(day):
    assert convert(parameter("date"), f"{day.day:02d}/{day.month}/{day.year:04d}") == day
    assert convert(parameter("date"), canonical(day)) == day


@given(
    st.datetimes(timezones=st.none() | st.integers(-840, 840).map(lambda m: timezone(timedelta(minutes=m))))
)
def test_a_moment_is_read_back_from_its_text(when):
    read = convert(parameter("datetime"), canonical(when))
    assert isinstance(read, datetime)
    assert (read, read.utcoffset()) == (when, when.utcoffset())


@given(st.sets(st.sampled_from(OPTIONS)), st.randoms())
def test_the_order_of_a_choice_changes_nothing(chosen, random):
    shuffled = list(chosen)
    random.shuffle(shuffled)
    value = convert(parameter("multiselect"), shuffled)
    assert value == (tuple(option for option in OPTIONS if option in chosen) or None)
    assert convert(parameter("multiselect"), ",".join(shuffled)) == value


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.sampled_from(["text", "number", "date", "datetime", "boolean", "select", "multiselect"]), ANYTHING)
def test_whatever_is_sent_is_converted_or_refused(kind, sent):
    try:
        value = convert(parameter(kind), sent)
    except Misfit:
        return
    assert isinstance(canonical(value), str)


@given(st.text(alphabet="0123456789.,/-+:TZ R$e", max_size=25))
def test_what_looks_like_a_value_is_converted_or_refused(sent):
    for kind in ("number", "date", "datetime", "boolean"):
        try:
            canonical(convert(parameter(kind), sent))
        except Misfit:
            continue
