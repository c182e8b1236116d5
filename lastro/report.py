"""`lastro report`: lists, shows and checks the definitions of reports."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from lastro.output import STANDARD_OUTPUT, say, write_result
from lastro.print_action import PrintText
from lastro.question import add_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasources.connections import Connections
    from datasources.elements import ReportDefinition
    from datasources.exceptions import Problem, SourceError
    from datasources.repository import Entry
    from datasources.sql_tables import KnownTables

EXIT_REFUSED = 2

EXAMPLE = """examples:
  lastro report list relatorios/
  lastro report show financeiro --in relatorios/
  lastro report params relatorios/financeiro.report.json
  lastro report validate relatorios/*.report.json
  lastro report --json-schema > report.schema.json"""

LIST_EXAMPLE = """examples:
  lastro report list relatorios/
  lastro report list relatorios.sqlite --json"""

SHOW_EXAMPLE = """examples:
  lastro report show relatorios/financeiro.report.json
  lastro report show financeiro --in relatorios/
  lastro report show financeiro --in relatorios.sqlite --json"""

PARAMS_EXAMPLE = """examples:
  lastro report params relatorios/financeiro.report.json
  lastro report params financeiro --in relatorios/ --json"""

VALIDATE_EXAMPLE = """examples:
  lastro report validate relatorios/*.report.json
  lastro report validate relatorios/ --connections connections.toml
  cat financeiro.report.json | lastro report validate -"""


def add_parser(commands: Any) -> None:  # argparse names the type of its subparsers privately
    """Add the command and its four parts to *commands*."""
    parser = commands.add_parser(
        "report",
        help="list, show and check the definitions of reports",
        description="List, show and check the definitions of reports: *.report.json files.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=EXAMPLE,
    )
    parser.add_argument(
        "--json-schema",
        action=PrintText,
        module="datasources.definition",
        help="print the JSON Schema of definitions and leave",
    )
    # Its own parser's class, so that a word that is unknown here gets a suggestion too.
    parts = parser.add_subparsers(dest="part", metavar="PART", parser_class=type(parser), required=True)
    one = add_command(parts, "list", "the reports of a folder or an SQLite file", LIST_EXAMPLE, run_list)
    one.add_argument(
        "repository", metavar="DIR", nargs="?", default=".", help="a folder, or an SQLite file (default: .)"
    )
    one.add_argument("--json", action="store_true", help="the same for programs")
    one = add_command(parts, "show", "what a report is made of", SHOW_EXAMPLE, run_show)
    _add_report(one)
    one.add_argument("--json", action="store_true", help="the definition itself, as it is saved")
    one = add_command(parts, "params", "what the reader of a report may choose", PARAMS_EXAMPLE, run_params)
    _add_report(one)
    one.add_argument("--json", action="store_true", help="the same for programs")
    one = add_command(
        parts, "validate", "say all that is wrong with definitions", VALIDATE_EXAMPLE, run_validate
    )
    one.add_argument(
        "files", nargs="+", metavar="FILE", help="a definition, a folder of them, or - for standard input"
    )
    one.add_argument(
        "--connections",
        metavar="FILE",
        help="check queries and their tables too, with the databases of connections.toml; no row is read",
    )
    one.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help="where files are looked for (default: data=the folder of the report)",
    )
    one.add_argument("--json", action="store_true", help="the same for programs")


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "report", metavar="ID|FILE", help="the id of a report, or a file that holds its definition"
    )
    parser.add_argument(
        "--in",
        dest="repository",
        metavar="DIR",
        default=".",
        help="where the id is looked up: a folder, or an SQLite file (default: .)",
    )


def run_list(parsed: argparse.Namespace) -> int:
    """Print the reports, and say which definitions are broken."""
    from datasources.repository import open_repository

    entries = open_repository(Path(parsed.repository)).entries()
    if parsed.json:
        write_result(_json_text([_entry_data(entry) for entry in entries]), None)
    else:
        from lastro.report_view import list_text

        write_result(list_text([entry for entry in entries if entry.definition], **_look()), None)
        for entry in entries:
            _say_problems(entry.place, entry.problems)
    return EXIT_REFUSED if any(entry.problems for entry in entries) else 0


def run_show(parsed: argparse.Namespace) -> int:
    """Print what a report is made of, or its document."""
    definition = _definition(parsed)
    if parsed.json:
        from datasources.definition import definition_text

        text = definition_text(definition)
    else:
        from lastro.report_view import show_text

        text = show_text(definition, **_look())
    write_result(text, None)
    return 0


def run_params(parsed: argparse.Namespace) -> int:
    """Print the parameters as a table, or as JSON."""
    definition = _definition(parsed)
    if parsed.json:
        text = _json_text([_parameter_data(parameter, definition) for parameter in definition.parameters])
    else:
        from lastro.report_view import params_text

        text = params_text(definition, **_look())
    write_result(text, None)
    return 0


def run_validate(parsed: argparse.Namespace) -> int:
    """Say of each definition that it is valid, or everything that is wrong with it."""
    connections = _connections(parsed.connections)
    tables = _known_tables(connections)
    checked = [
        (entry, _doubts(entry, file, parsed.root, tables))
        for file in parsed.files
        for entry in _with_queries(_checked(file), tables)
    ]
    if parsed.json:
        data = [
            {
                "file": entry.place,
                "valid": not entry.problems,
                "problems": _problems_data(entry.problems),
                "warnings": _problems_data(doubts),
            }
            for entry, doubts in checked
        ]
        write_result(_json_text(data), None)
    else:
        from lastro.report_view import valid_line

        for entry, doubts in checked:
            if entry.definition is not None:
                write_result(valid_line(entry.place, entry.definition), None)
            else:
                _say_problems(entry.place, entry.problems)
            for doubt in doubts:
                say(f"  warning: {doubt}")
    return EXIT_REFUSED if any(entry.problems for entry, _ in checked) else 0


def _definition(parsed: argparse.Namespace) -> ReportDefinition:
    """The definition that the words name: a file if there is one, or if it is written like one; else an id."""
    from datasources.definition import parse_definition, read_definition
    from datasources.repository import open_repository

    word = parsed.report
    if word == STANDARD_OUTPUT:
        return parse_definition(_standard_input(), source="standard input")
    if "/" in word or word.endswith(".json") or os.path.isfile(word):
        return read_definition(Path(word))
    return open_repository(Path(parsed.repository)).get(word)


def _checked(file: str) -> Sequence[Entry]:
    """The definitions that *file* names, each with its problems."""
    from datasources.definition import parse_definition, read_document
    from datasources.exceptions import DefinitionError, Problem, SourceError
    from datasources.repository import Entry, open_repository

    try:
        if file == STANDARD_OUTPUT:
            definition = parse_definition(_standard_input(), source="standard input")
        elif os.path.isdir(file):
            return open_repository(Path(file)).entries()
        else:
            definition = parse_definition(read_document(Path(file)), source=file)
    except DefinitionError as error:
        return [Entry("", file, None, error.problems)]
    except SourceError as error:
        return [Entry("", file, None, (Problem("", error.message),))]
    return [Entry(definition.id, file, definition)]


def _connections(file: str | None) -> Connections | None:
    if file is None:
        return None
    from datasources.connections import load_connections

    return load_connections(Path(file))


def _known_tables(connections: Connections | None) -> KnownTables | None:
    if connections is None:
        return None
    from datasources.sql_tables import KnownTables

    return KnownTables(connections)


def _doubts(entry: Entry, file: str, words: Sequence[str], tables: KnownTables | None) -> tuple[Problem, ...]:
    """What is doubtful about a valid definition; files of a root that nobody named are not looked for."""
    from datasources.definition_doubts import find_doubts
    from lastro.snapshots import roots_of

    if entry.definition is None:
        return ()
    if file == STANDARD_OUTPUT:
        folder = None
    else:
        folder = Path(file) if os.path.isdir(file) else Path(file).parent
    roots = roots_of(words, folder)
    if tables is None:
        return (*find_doubts(entry.definition, roots), *_unseen_tables(entry.definition))
    return (*find_doubts(entry.definition, roots, tables.connections), *tables.doubts(entry.definition))


def _unseen_tables(definition: ReportDefinition) -> Sequence[Problem]:
    """That databases were not asked, where there are some to ask."""
    from datasources.exceptions import Problem

    if all(source.kind != "sql" for source in definition.datasources.values()):
        return ()
    message = "Queries and their tables were not looked at: name the databases with --connections FILE."
    return (Problem("datasources", message),)


def _with_queries(entries: Sequence[Entry], tables: KnownTables | None) -> Sequence[Entry]:
    """The same entries, with what is wrong with the queries of those that are valid otherwise."""
    if tables is None:
        return entries
    from datasources.repository import Entry
    from datasources.sql import query_problems

    checked: list[Entry] = []
    for entry in entries:
        problems: tuple[Problem, ...] = ()
        if entry.definition is not None:
            queries = query_problems(entry.definition, tables.connections)
            problems = (*queries, *tables.problems(entry.definition))
        checked.append(Entry(entry.id, entry.place, None, problems) if problems else entry)
    return checked


def _standard_input() -> bytes:
    from datasources.exceptions import SourceNotFound

    if sys.stdin is None:
        raise SourceNotFound("Standard input is closed: give a file.", source=STANDARD_OUTPUT)
    return sys.stdin.buffer.read()


def _say_problems(place: str, problems: Sequence[Problem]) -> None:
    if problems:
        say(f"{place}: {len(problems)} {'mistake' if len(problems) == 1 else 'mistakes'}")
    for problem in problems:
        say(f"  {problem}")


def say_refusal(error: SourceError) -> None:
    """Say what is wrong with a definition or with parameters, one mistake a line where there are several."""
    from datasources.exceptions import DefinitionError, ParameterError

    if isinstance(error, DefinitionError) and len(error.problems) > 1:
        say(f"lastro: {error.source or 'The definition'} is not valid:")
        for problem in error.problems:
            say(f"  {problem}")
    elif isinstance(error, ParameterError):
        for problem in error.problems:
            say(f"lastro: {problem.message}")
    else:
        say(f"lastro: {error}")


def _look() -> dict[str, Any]:
    """How to print: with colours and as wide as a terminal, or plain in 80 columns."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return {"terminal": terminal, "width": get_terminal_size((80, 24)).columns if terminal else 80}


def _json_text(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _problems_data(problems: Sequence[Problem]) -> list[dict[str, str]]:
    return [{"path": problem.path, "message": problem.message} for problem in problems]


def _entry_data(entry: Entry) -> dict[str, object]:
    definition = entry.definition
    return {
        "id": entry.id,
        "name": definition.name if definition else None,
        "description": definition.description if definition else None,
        "public": definition.public if definition else None,
        "place": entry.place,
        "problems": _problems_data(entry.problems),
    }


def _parameter_data(parameter: Any, definition: ReportDefinition) -> dict[str, object]:
    from lastro.report_view import default_text

    return {
        "id": parameter.id,
        "label": parameter.label,
        "type": parameter.type,
        "required": parameter.required,
        "default": default_text(parameter, definition) or None,
        "options": None if parameter.options is None else list(parameter.options),
    }
