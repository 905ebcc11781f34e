"""What commands say of themselves: every example is one that the command takes, and the page has them all."""

import re
import shlex
import sys
from pathlib import Path

import pytest
import typer

from suffice.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import commands as page_of_commands  # noqa: E402

COMMANDS = typer.main.get_command(app).commands
EXAMPLE = re.compile(r"^Example: suffice (.*)$", re.MULTILINE)


def test_the_page_of_the_command_line_is_written_from_the_commands():
    page = page_of_commands.PAGE.read_text(encoding="utf-8")
    assert page.split() == page_of_commands.page().split(), "run make commands"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_it_takes(name):
    found = EXAMPLE.findall(COMMANDS[name].help)
    assert found
    for example in found:
        called, *words = shlex.split(example)
        assert called == name
        COMMANDS[name].make_context(name, words)  # parsed, not run


def test_completion_is_offered(suffice, monkeypatch):
    monkeypatch.setenv("_SUFFICE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "suffice ex")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert suffice().out.split() == ["explain", "export"]


def test_the_demo_ends_with_the_path_of_a_report(suffice, folder, monkeypatch):
    monkeypatch.setattr("suffice.examples.demo.drawn", lambda _: "")  # pictures have tests of their own
    found = suffice("demo", "--folder", "here")
    assert found.code == 0
    *_, path = found.out.split()
    assert (folder / path).read_text(encoding="utf-8").startswith("<!doctype html>")
