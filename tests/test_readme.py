"""The Python session of the README runs, and prints what the README says."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_session_prints_what_the_readme_shows() -> None:
    session, shown = re.findall(r"```(?:python)?\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(session, "README.md", "exec"), {})
    assert printed.getvalue().strip() == shown.strip()


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8")):
        assert (README.parent / target).exists(), target
