"""The words of both languages: forms, slips, numbers and periods as people write them."""

from __future__ import annotations

import pytest

from chat.offline.atoms import Period
from chat.offline.lexicon import LANGUAGES, forms, lexicon_of, subjects
from chat.offline.periods import find_periods
from chat.offline.read import likely_language
from chat.offline.spelling import corrections
from chat.offline.tokens import number_in, split


def test_the_two_languages_know_the_same_subjects():
    pt, en = (subjects().by_language[language] for language in LANGUAGES)
    assert {one for found in pt.values() for one in found} == {one for found in en.values() for one in found}


@pytest.mark.parametrize("table", ["aliases", "unless", "agents"])
def test_subjects_speak_of_subjects(table):
    known = {one for found in subjects().by_form.values() for one in found}
    for name, others in getattr(subjects(), table).items():
        assert {name, *others} <= known


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_is_written_as_questions_are_folded(language):
    for phrase in lexicon_of(language).phrases:
        assert [word.folded for word in split(" ".join(phrase))] == list(phrase)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("regioes", "regiao"),
        ("clientes", "cliente"),
        ("vendedores", "vendedor"),
        ("cancelada", "cancelado"),
        ("canceladas", "cancelado"),
        ("totais", "total"),
        ("itens", "item"),
        ("deliveries", "delivery"),
        ("boxes", "box"),
    ],
)
def test_a_word_is_known_in_its_plural_and_gender(one, other):
    assert forms(one) & forms(other)


@pytest.mark.parametrize(("one", "other"), [("custa", "custo"), ("meta", "metro"), ("conta", "conto")])
def test_words_that_only_look_alike_are_two(one, other):
    assert not forms(one) & forms(other)


@pytest.mark.parametrize(
    ("text", "pt", "en"),
    [
        ("10", "10", "10"),
        ("1.500", "1500", "1.500"),
        ("1,500", "1.500", "1500"),
        ("10.000,50", "10000.50", None),
        ("10,000.50", None, "10000.50"),
        ("10.5", "10.5", "10.5"),
        ("1.2.3", None, None),
        ("-3", "-3", "-3"),
        ("dez", None, None),
    ],
)
def test_a_number_is_read_as_its_language_writes_it(text, pt, en):
    assert [None if one is None else str(one) for one in (number_in(text, "pt"), number_in(text, "en"))] == [
        pt,
        en,
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("pt", "abril", ("month", None, 4, 0)),
        ("pt", "março de 2026", ("month", 2026, 3, 0)),
        ("pt", "abr/2026", ("month", 2026, 4, 0)),
        ("pt", "04/2026", ("month", 2026, 4, 0)),
        ("pt", "15 de abril", ("day", None, 4, 15)),
        ("pt", "15/04/2026", ("day", 2026, 4, 15)),
        ("pt", "1º trimestre de 2026", ("quarter", 2026, 1, 0)),
        ("pt", "2026-T2", ("quarter", 2026, 2, 0)),
        ("pt", "segundo semestre", ("half", None, 2, 0)),
        ("pt", "31 de fevereiro", None),
        ("pt", "13/2026", None),
        ("en", "April 15, 2026", ("day", 2026, 4, 15)),
        ("en", "Q3", ("quarter", None, 3, 0)),
        ("en", "May", ("month", None, 5, 0)),
        ("en", "may", None),  # a verb
        ("en", "04/05/2026", None),  # two days
        ("en", "2026-W07", ("week", 2026, 7, 0)),
    ],
)
def test_a_period_is_read_as_people_write_it(language, text, expected):
    words = split(text)
    atoms = find_periods(words, lexicon_of(language), language)
    found = [atom.meaning for atom in atoms if atom.end - atom.start == len(words)]
    wanted = [] if expected is None else [Period(*expected)]
    assert found == wanted


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("fornecdor", "fornecedor"),
        ("forneecdor", "fornecedor"),
        ("fornecedro", None),  # the ending
        ("duplicada", None),  # another word than duplicata
        ("pagamemtos", None),  # one letter for another
        ("curto", None),
        ("lucros", None),
    ],
)
def test_a_slip_is_a_letter_left_out_doubled_or_moved(word, meant):
    known = ("fornecedor", "duplicata", "pagamento", "curio", "lucro")
    assert corrections(word, known, subjects()) == (subjects().keys(meant) if meant else frozenset())


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("qual o total?", "pt"),
        ("lucro total", "pt"),
        ("total profit", "en"),
        ("total", None),
        ("¿cuál es el total?", None),
    ],
)
def test_a_question_without_little_words_is_in_the_language_of_its_nouns(question, language):
    assert likely_language(question) == language
