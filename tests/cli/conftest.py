"""The command `suffice`, run in this process, on copies of the bundled tables."""

import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest

from suffice.cli.main import main
from suffice.printing import language


@dataclass
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with both tables, in which commands run."""
    for name in ("penguins", "watermelon"):
        shutil.copy(Path(str(files("suffice.examples"))) / f"{name}.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def suffice(folder, capfd, monkeypatch):
    """Run a command; what it says, and how it leaves."""
    monkeypatch.setenv("SUFFICE_LANGUAGE", "en")

    def run(*words):
        spoken = list(language._defaults)
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        language._defaults.clear()
        language._defaults.extend(spoken)
        found = capfd.readouterr()
        return Answer(left.value.code, found.out, found.err)

    return run


@pytest.fixture
def penguins(suffice):
    """A model of penguins in a file."""
    assert suffice("fit", "penguins.csv", "-y", "species", "-o", "p.suffice", "-m", "naive-bayes").code == 0
    return "p.suffice"
