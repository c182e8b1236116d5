"""A pattern with a parameter in it looks for what the reader typed, or is refused with the form to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasources.connections import Connection
from datasources.elements import Parameter, SqlSource
from datasources.exceptions import QueryRefused
from datasources.sql import check_source
from datasources.sql_patterns import LikePattern, has_like_as_a_function
from tests.datasources.databases import ask, rows_of

PARAMETERS = {
    "p": Parameter(id="p", type="text"),
    "s": Parameter(id="s", type="select", options=("a%", "b")),
    "n": Parameter(id="n", type="number"),
    "d": Parameter(id="d", type="date"),
}

REFUSED = {
    "postgres": """
        a LIKE {{p}}
        a LIKE {{s}}
        a ILIKE {{p}}
        a NOT LIKE {{p}}
        a LIKE ({{p}})
        a LIKE lower({{p}})
        a LIKE '%' || {{p}} || '%'
        a LIKE '%' || '{{p}}' || '%'
        a LIKE concat('%', {{s}}, '%')
        a LIKE coalesce('%{{p}}%', '%')
        a LIKE '%{{p}}%'::text
        a LIKE CAST({{p}} AS text)
        a LIKE CASE WHEN {{n}} = 1 THEN {{p}} ELSE '%' END
        a LIKE ANY (ARRAY['%{{p}}%'])
        a LIKE ALL (ARRAY[{{p}}])
        a LIKE '%{{p}}%' ESCAPE '%'
        a LIKE '%{{p}}%' ESCAPE ''
        a LIKE 'x' ESCAPE {{p}}
        a LIKE '%{{p}}%' ESCAPE NULL
        a ~~ {{p}}
        a !~~* {{p}}
        a SIMILAR TO {{p}}
        a SIMILAR TO '%{{p}}%'
        a ~ {{p}}
        a !~* '{{p}}'
        a ~ ('^' || {{p}})
        a ~ ANY (ARRAY[{{p}}])
        a ~ {{n}}
        regexp_like(a, {{p}})
        regexp_match(a, {{p}}) IS NULL
        regexp_matches(a, 'x{{p}}') IS NULL
        regexp_count(a, {{p}}) > 0
        regexp_instr(a, {{p}}) > 0
        regexp_substr(a, {{p}}) = 'x'
        regexp_replace(a, {{p}}, '') = 'x'
        regexp_replace(a, 'b', {{p}}) = 'x'
        regexp_split_to_array(a, {{p}}) IS NULL
        (SELECT count(*) FROM regexp_split_to_table(a, {{p}})) > 1
        substring(a from {{p}}) = 'x'
        substring(a, {{p}}) = 'x'
        jsonb_path_query_first(j, {{p}}) IS NULL
        j @@ {{p}}
        a LIKE (SELECT '%' || {{p}})
        a LIKE (SELECT v || '%' FROM (SELECT {{p}} AS v) z)
        a LIKE (SELECT x FROM (VALUES ({{p}})) AS w(x))
    """,
    "mysql": r"""
        a LIKE {{p}}
        a LIKE BINARY {{p}}
        a LIKE concat('%', {{p}}, '%')
        a LIKE concat('%{{p}}', '%')
        a LIKE '%{{p}}%' ESCAPE ''
        a REGEXP {{p}}
        a NOT RLIKE '{{p}}'
        regexp_like(a, {{p}})
        regexp_instr(a, {{p}}) > 0
        regexp_substr(a, {{p}}) = 'x'
        regexp_replace(a, {{p}}, '') = 'x'
        json_search(j, 'one', {{p}}) IS NULL
        match(a) against ({{p}} in boolean mode)
    """,
    "sqlite": """
        a LIKE {{p}}
        a LIKE '%' || {{p}} || '%'
        a LIKE printf('%%%s%%', {{p}})
        a LIKE '%{{p}}%' COLLATE NOCASE
        a GLOB {{p}}
        a GLOB '*{{p}}*'
        a NOT GLOB '*' || {{p}} || '*'
        glob({{p}}, a)
        like({{p}}, a)
        like('%{{p}}%', a)
        NOT like('%{{p}}%', a)
        like({{p}}, a, '!')
        a REGEXP {{p}}
    """,
    "duckdb": """
        a LIKE {{p}}
        a NOT ILIKE {{p}}
        a LIKE '%' || {{p}} || '%'
        a LIKE ANY ({{p}})
        a GLOB '*{{p}}*'
        a ~~~ {{p}}
        a SIMILAR TO {{p}}
        a ~ {{p}}
        regexp_matches(a, {{p}})
        regexp_full_match(a, {{p}})
        regexp_extract(a, {{p}}) = 'x'
        regexp_extract_all(a, {{p}}) IS NULL
        regexp_replace(a, {{p}}, '') = 'x'
        string_split_regex(a, {{p}}) IS NULL
        list_filter([a], x -> x LIKE {{p}}) IS NULL
    """,
}

ALLOWED = {
    "postgres": """
        a LIKE '%{{p}}%'
        a ILIKE '{{p}}'
        a NOT LIKE '{{s}}_{{p}}%'
        a LIKE '%{{p}}%' ESCAPE '!'
        a LIKE lower('%{{p}}%')
        a LIKE '{{p}}%' COLLATE "C"
        a ~~* '%{{p}}%'
        a LIKE concat({{d}}, '%')
        {{p}} LIKE a
        a LIKE (SELECT x FROM u WHERE y = {{p}})
        a LIKE CASE WHEN {{p}} = 'x' THEN 'a%' ELSE '%' END
        a = ANY (ARRAY[{{p}}])
        position({{p}} IN a) > 0
        starts_with(a, {{p}})
        a ^@ {{p}}
        substring(a, {{n}}) = 'x'
        split_part(a, {{p}}, 1) = 'x'
    """,
    "mysql": r"""
        a LIKE '%{{p}}%'
        a LIKE '{{p}}' COLLATE utf8mb4_bin
        a LIKE '{{p}}%' ESCAPE '\\'
        instr(a, {{p}}) > 0
        locate({{p}}, a) > 0
        match(a) against ({{p}})
    """,
    "sqlite": """
        a LIKE '%{{p}}%'
        a NOT LIKE ('%{{p}}%')
        lower(a) LIKE lower('{{p}}')
        a LIKE '%{{p}}%' ESCAPE '!'
        a GLOB '*' || {{n}} || '*'
        instr(a, {{p}}) > 0
        replace(a, {{p}}, '') <> a
    """,
    "duckdb": """
        a LIKE '%{{p}}%'
        a ILIKE '{{p}}'
        a ~~ '%{{p}}%'
        contains(a, {{p}})
        prefix(a, {{p}})
        starts_with(a, {{p}})
        string_split(a, {{p}}) IS NULL
    """,
}


def rows(table):
    return [(kind, line.strip()) for kind, lines in table.items() for line in lines.strip().splitlines()]


def check(kind, query):
    connection = Connection(name="c", kind=kind, path=Path("x"))
    check_source(SqlSource(kind="sql", connection="c", query=query), connection, PARAMETERS)


@pytest.mark.parametrize(("kind", "condition"), rows(REFUSED))
def test_a_reader_writes_no_part_of_a_pattern(kind, condition):
    with pytest.raises(QueryRefused, match=r"LIKE '%\{\{\w+\}\}%'"):
        check(kind, f"SELECT a FROM t WHERE {condition}")


@pytest.mark.parametrize(("kind", "condition"), rows(ALLOWED))
def test_what_is_no_pattern_or_is_escaped_passes(kind, condition):
    check(kind, f"SELECT a FROM t WHERE {condition}")


@pytest.mark.parametrize(
    "query",
    [
        "WITH z AS (SELECT '%' || {{p}} || '%' AS v) SELECT a FROM t, z WHERE a LIKE z.v",
        "WITH z(v) AS (SELECT {{p}}), y AS (SELECT v || '%' AS w FROM z) SELECT a FROM t, y WHERE a ~ w",
    ],
)
def test_nor_by_way_of_a_column(query):
    with pytest.raises(QueryRefused, match="is a column that is made of a parameter"):
        check("postgres", query)
    check("postgres", "WITH z AS (SELECT id FROM t WHERE b = {{p}}) SELECT a FROM t, z WHERE a LIKE t.c")


NAMES = ["100%", "100x", "a_b", "axb", "a\\b", "a\\\\b", "%", "_", "Sul"]
FORMS = {
    "a LIKE '{{p}}'": lambda name, typed: name == typed,
    "a LIKE '%{{p}}'": lambda name, typed: name.endswith(typed),
    "a LIKE ('{{p}}%')": lambda name, typed: name.startswith(typed),
    "a NOT LIKE '%{{p}}%'": lambda name, typed: typed not in name,
    "a LIKE '!%{{p}}%' ESCAPE '!'": lambda name, typed: name.startswith("%" + typed),
}


@pytest.mark.parametrize("kind", ["postgres", "mysql", "sqlite", "duckdb"])
def test_the_form_to_write_finds_what_was_typed_in_each_database(databases, kind):
    table = " UNION ALL ".join(
        f"SELECT '{name.replace(chr(92), chr(92) * 2) if kind == 'mysql' else name}' AS a" for name in NAMES
    )
    query = " UNION ALL ".join(
        f"SELECT {number} AS n, a FROM ({table}) x WHERE {form}" for number, form in enumerate(FORMS)
    )
    for typed in ("%", "a_b", "a\\b", "\\"):
        found = rows_of(ask(databases.connections, kind, query, [{"id": "p", "type": "text"}], {"p": typed}))
        expected = [(n, a) for n, fits in enumerate(FORMS.values()) for a in NAMES if fits(a, typed)]
        assert sorted(found) == sorted(expected), typed


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT like('a', b)", True),
        ("SELECT a FROM t WHERE NOT NOT like ('a', b)", True),
        ("SELECT a FROM t WHERE x AND like('a', b)", True),
        ("SELECT a LIKE ('a') FROM t WHERE b NOT LIKE ('x') AND \"like\" = 1", False),
        ("SELECT CASE WHEN b THEN count(*) LIKE ('1%') END", False),
    ],
)
def test_like_as_a_function(query, expected):
    assert has_like_as_a_function(query, "sqlite") is expected
    assert LikePattern("\\") == LikePattern("\\", closing=0)
