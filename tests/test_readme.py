"""What the README shows is what is printed: by its Python session, and by the questions in words."""

import contextlib
import io
import os
import re
import shlex
import textwrap
from pathlib import Path

from lastro import cli

README = Path(__file__).parents[1] / "README.md"


def test_session_prints_what_the_readme_shows() -> None:
    session, shown = re.findall(r"```(?:python)?\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(session, "README.md", "exec"), {})
    assert printed.getvalue().strip() == shown.strip()


def test_what_is_asked_in_words_is_answered_as_shown(capfd, monkeypatch) -> None:
    monkeypatch.chdir(README.parent / "examples" / "financeiro")
    for name in [name for name in os.environ if name.startswith("CHAT_")]:
        monkeypatch.delenv(name)
    shown = re.findall(r"^    \$ (lastro ask .*)\n((?:    .+\n)+)", README.read_text("utf-8"), re.MULTILINE)
    assert len(shown) == 3
    for command, answer in shown:
        assert cli.main(shlex.split(command)[1:]) == 0
        assert capfd.readouterr().out == textwrap.dedent(answer)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8")):
        assert (README.parent / target).exists(), target
