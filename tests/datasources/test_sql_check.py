"""One plain SELECT passes in each dialect; everything else is refused before a database sees it."""

from __future__ import annotations

import logging

import pytest

from datasources.exceptions import QueryRefused
from datasources.sql_check import check_select
from datasources.sql_template import Slot, parse_template

ALLOWED = {
    "postgres": [
        "SELECT date_trunc('month', d) AS m, sum(v) FILTER (WHERE a > 1), count(DISTINCT x), row_number() OVER"
        " (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), extract(year FROM d),"
        " d::text, string_agg(a, ',' ORDER BY a) FROM t JOIN u USING (id) LEFT JOIN LATERAL (SELECT 1) z ON true"
        " WHERE a IN (1, 2) GROUP BY ROLLUP(1, 2) HAVING sum(v) > 0 ORDER BY 1 LIMIT 10 OFFSET 2;",
        "WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x WHERE a < 10) SELECT * FROM x",
        "(SELECT 1 AS a) EXCEPT (SELECT 2) ORDER BY 1",
        "SELECT a->>'b', a #>> '{c}', a @> '{}'::jsonb, x[1], now(), current_date, d AT TIME ZONE 'UTC', -- fim; aqui\n"
        " percentile_cont(0.5) WITHIN GROUP (ORDER BY v), a IS DISTINCT FROM b, a = ANY(ARRAY[1]), E'a\\'b' FROM t",
        "SELECT age(d), to_char(d, 'YYYY-MM'), interval '1 day' * 3, a ~ 'x', a ILIKE 'x%' FROM \"Minha Tabela\"",
    ],
    "mysql": [
        "SELECT `a`, date_format(d, '%Y-%m'), ifnull(a, 0), if(a, 1, 2), group_concat(a SEPARATOR ','),"
        " d + INTERVAL 1 DAY, year(d), concat(a, 'x'), a <=> b, a DIV 2, a REGEXP 'x', CAST(a AS SIGNED),"
        " timestampdiff(DAY, d, e) FROM t # fim",
        "SELECT \"it's; a text\", 'a\\'; DROP TABLE t; -- ' FROM t",
    ],
    "sqlite": [
        "SELECT strftime('%Y', d), julianday(d), iif(a, 1, 2), total(a), printf('%d', a), a || b, a GLOB 'x*',"
        " json_extract(a, '$.b'), date('2026-01-01', '+1 day'), [coluna], \"outra\" FROM t, json_each(t.a)",
    ],
    "duckdb": [
        "SELECT list(a), {'a': 1}, [1, 2][1], median(a), quantile_cont(a, 0.5), strftime(d, '%Y'),"
        " * EXCLUDE (a), a // b,"
        " list_transform([1], x -> x + 1) FROM t WINDOW w AS (PARTITION BY b)"
        " QUALIFY row_number() OVER (ORDER BY a) = 1",
        "FROM t SELECT a",
        "SELECT * FROM range(10), unnest([1, 2])",
    ],
}  # fmt: skip

REFUSED = {
    "postgres": """
        SELECT * INTO z FROM t
        SELECT * FROM t FOR UPDATE
        SELECT * FROM (SELECT * FROM t FOR SHARE) x
        WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x
        WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x
        WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x
        WITH x AS (MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE) SELECT 1
        DELETE FROM t
        DROP TABLE t
        COPY t TO '/x'
        COPY (SELECT 1) TO PROGRAM 'x'
        EXPLAIN ANALYZE SELECT 1
        VALUES (1)
        SET statement_timeout = 0
        LISTEN x
        VACUUM
        CALL p()
        DO 'x'
        PREPARE x AS SELECT 1
        SELECT 1; SELECT 2
        SELECT 1; DROP TABLE t
        SELECT pg_read_file('/x')
        SELECT pg_catalog.pg_read_file('/x')
        SELECT "pg_read_file"('/x')
        SELECT pg_ls_dir('/')
        SELECT lo_import('/x')
        SELECT lo_export(1, '/x')
        SELECT * FROM dblink('x', 'y') AS t(a int)
        SELECT pg_sleep(10)
        SELECT * FROM pg_sleep(10)
        SELECT 1 ORDER BY (SELECT pg_sleep(10))
        SELECT 1 LIMIT (SELECT count(*) FROM pg_ls_dir('/'))
        SELECT pg_terminate_backend(1)
        SELECT pg_reload_conf()
        SELECT set_config('a', 'b', false)
        SELECT current_setting('a')
        SELECT nextval('s')
        SELECT pg_advisory_lock(1)
        SELECT pg_notify('a', 'b')
        SELECT query_to_xml('SELECT 1', true, true, '')
        SELECT table_to_xml('t', true, true, '')
        SELECT version()
        SELECT current_user
        SELECT random()
        SELECT gen_random_uuid()
        SELECT minha.funcao(1)
        SELECT * FROM pg_shadow
        SELECT * FROM pg_catalog.pg_user
        SELECT * FROM information_schema.tables
        SELECT $1
        SELECT :name
        SELECT ?
        SELECT $$a$$
        SELECT $x$a$x$
        SELECT U&'a'; SELECT 1
        SELECT 'a
        SELECT /* a
        SELECT /* /* */ 1
        SELECT
    """,
    "mysql": """
        SELECT load_file('/x')
        SELECT sleep(5)
        SELECT benchmark(1, 2)
        SELECT get_lock('a', 1)
        SELECT * FROM t INTO OUTFILE '/x'
        SELECT * INTO DUMPFILE '/x' FROM t
        SELECT a INTO @x FROM t
        SELECT @x
        SELECT @x := 1
        SELECT @@datadir
        SELECT * FROM mysql.user
        SELECT * FROM performance_schema.threads
        SELECT * FROM t LOCK IN SHARE MODE
        SELECT * FROM t FOR UPDATE SKIP LOCKED
        SELECT sql_calc_found_rows * FROM t
        SELECT * FROM t PROCEDURE analyse()
        SELECT user()
        SELECT connection_id()
        SELECT rand()
        SELECT uuid()
        SELECT /*!50000 1 */
        SELECT /*M! 1 */
        SELECT /*+ SET_VAR(max_execution_time = 0) */ 1
        SELECT 1 --1
        HANDLER t OPEN
        CALL p()
        LOAD DATA INFILE '/x' INTO TABLE t
        SHOW TABLES
        DO sleep(5)
        SELECT 1; SELECT 2
        SELECT nextval(s)
        SELECT 'a\\\\'; DROP TABLE t; -- '
    """,
    "sqlite": """
        PRAGMA table_info(t)
        SELECT * FROM pragma_table_info('t')
        ATTACH 'x' AS y
        VACUUM INTO 'x'
        SELECT load_extension('x')
        SELECT readfile('x')
        SELECT writefile('x', 'y')
        SELECT edit('x')
        SELECT * FROM sqlite_master
        SELECT * FROM main.sqlite_schema
        SELECT sqlite_version()
        SELECT random()
        SELECT zeroblob(1000000000)
        SELECT randomblob(9)
        REPLACE INTO t VALUES (1)
        INSERT INTO t VALUES (1)
    """,
    "duckdb": """
        SELECT * FROM read_csv('a')
        SELECT * FROM read_parquet('a')
        SELECT * FROM read_text('a')
        SELECT * FROM read_blob('a')
        SELECT * FROM glob('*')
        FROM 'a.csv'
        SELECT * FROM 'a.csv'
        SELECT * FROM "a.parquet"
        SELECT * FROM query('SELECT 1')
        SELECT * FROM query_table('t')
        SELECT * FROM json_execute_serialized_sql('x')
        SELECT stats(a) FROM t
        SELECT * FROM pragma_storage_info('t')
        SELECT * FROM duckdb_settings()
        SELECT * FROM duckdb_secrets()
        SELECT * FROM sqlite_scan('a', 'b')
        SELECT * FROM postgres_scan('a', 'b', 'c')
        SELECT sleep_ms(1)
        SELECT getvariable('a')
        SELECT getenv('HOME')
        SELECT current_setting('a')
        SELECT write_log('a')
        SELECT error('a')
        SELECT nextval('s')
        SUMMARIZE t
        DESCRIBE t
        PIVOT t ON a USING sum(b)
        COPY t TO 'x'
        EXPORT DATABASE 'x'
        INSTALL httpfs
        LOAD httpfs
        ATTACH 'x'
        CREATE SECRET (TYPE s3)
        CREATE MACRO sum(x) AS 42
        SET memory_limit = '9GB'
        CHECKPOINT
    """,
}


def check(query: str, kind: str, functions: tuple[str, ...] = ()) -> None:
    parts = parse_template(query, kind)  # type: ignore[arg-type]
    slots = [part for part in parts if isinstance(part, Slot)]
    numbers = iter(range(1, len(slots) + 1))
    text = "".join(part if isinstance(part, str) else f" :p{next(numbers)} " for part in parts)
    check_select(text, kind, slots=len(slots), functions=functions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "query"), [(kind, query) for kind, queries in ALLOWED.items() for query in queries]
)
def test_a_plain_select_passes(kind, query):
    check(query, kind)


@pytest.mark.parametrize(
    ("kind", "query"),
    [(kind, query.strip()) for kind, queries in REFUSED.items() for query in queries.strip().splitlines()],
)
def test_everything_else_is_refused(kind, query, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(QueryRefused) as caught:
        check(query, kind)
    assert caught.value.message.endswith(".")
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(f"SELECT {'(' * 3_000}1{')' * 3_000}", id="parentheses"),
        pytest.param(f"SELECT {'NOT ' * 5_000}true", id="signs"),
        pytest.param(f"SELECT {'- ' * 5_000}1", id="minus"),
        pytest.param(f"SELECT {'CASE WHEN true THEN ' * 2_000}1{' END' * 2_000}", id="CASE"),
        pytest.param(f"SELECT * FROM {'(SELECT * FROM ' * 500}t{')' * 500}", id="subqueries"),
    ],
)
def test_nesting_ends_in_our_error(query):
    for kind in ALLOWED:
        with pytest.raises(QueryRefused):
            check(query, kind)


def test_a_long_query_that_is_flat_passes():
    check(
        f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(5_000)))}) {'AND a > 1 ' * 400}", "postgres"
    )


def test_the_operator_may_allow_more_functions():
    for kind, query, name in (
        ("postgres", "SELECT fiscal.aliquota(uf) FROM t", "fiscal.aliquota"),
        ("postgres", "SELECT minha(1)", "minha"),
        ("duckdb", "SELECT random()", "rand"),
    ):
        check(query, kind, (name,))
        with pytest.raises(QueryRefused):
            check(query, kind)


# ---- the places of parameters ----


@pytest.mark.parametrize(
    ("kind", "query", "expected"),
    [
        pytest.param("postgres", "SELECT {{ a }}", [(("", ""), ("a",))], id="alone"),
        pytest.param("postgres", "SELECT '{{a}}'", [(("", ""), ("a",))], id="alone in quotes"),
        pytest.param(
            "postgres", "SELECT '%{{a}}-{{b}}''s'", [(("%", "-", "'s"), ("a", "b"))], id="in a text"
        ),
        pytest.param("mysql", r"SELECT 'a\'{{a}}\n'", [(("a'", "\n"), ("a",))], id="MySQL's backslash"),
        pytest.param("mysql", 'SELECT "{{a}}!"', [(("", "!"), ("a",))], id="MySQL's double quotes"),
        pytest.param("sqlite", r"SELECT 'a\{{a}}'", [(("a\\", ""), ("a",))], id="backslash elsewhere"),
        pytest.param("postgres", "SELECT 1 -- {{a}}\n, /* '{{b}} */ 2", [], id="in comments"),
        pytest.param(
            "postgres", "SELECT {{a}}::date, f[{{b}}]", [(("", ""), ("a",)), (("", ""), ("b",))], id="cast"
        ),
    ],
)
def test_a_parameter_has_its_place(kind, query, expected):
    found = [(part.fixed, part.names) for part in parse_template(query, kind) if isinstance(part, Slot)]
    assert found == expected


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("postgres", "SELECT tabela_{{a}}.x"),
        ("postgres", "SELECT {{a}}_x"),
        ("postgres", "SELECT 1{{a}}"),
        ("postgres", "SELECT {{a}}{{b}}"),
        ("postgres", "SELECT 'x'{{a}}"),
        ("postgres", "SELECT {{a}}.x FROM t"),
        ("postgres", "SELECT x.{{a}} FROM t"),
        ("postgres", "SELECT \"x{{a}}\" FROM t"),
        ("postgres", "SELECT E'x{{a}}'"),
        ("postgres", "SELECT U&'x{{a}}'"),
        ("postgres", "SELECT B'{{a}}'"),
        ("postgres", "SELECT $${{a}}$$"),
        ("postgres", "SELECT DATE '{{a}}'"),
        ("postgres", "SELECT INTERVAL '{{a}} days'"),
        ("mysql", "SELECT _latin1'{{a}}'"),
        ("mysql", "SELECT `{{a}}`"),
        ("mysql", "SELECT @{{a}}"),
        ("sqlite", "SELECT [{{a}}]"),
        ("sqlite", "SELECT \"{{a}}\""),
        ("sqlite", "SELECT `{{a}}`"),
        ("sqlite", "SELECT X'{{a}}'"),
        ("duckdb", "SELECT ${{a}}"),
        ("duckdb", "FROM '{{a}}'"),
    ],
)  # fmt: skip
def test_a_parameter_has_no_place_there(kind, query):
    with pytest.raises(QueryRefused):
        check(query, kind)
