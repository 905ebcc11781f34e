"""What a few commands print, to the letter, in both languages; with GOLDEN=write in the environment it is renewed."""

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
FIT = ("fit", "watermelon.csv", "-y", "好瓜", "-o", "瓜.suffice", "-m", "naive-bayes", "--ignore", "编号")
COMMANDS = {
    "look": ("look", "penguins.csv", "-y", "species"),
    "show": ("show", "瓜.suffice"),
    "explain": ("explain", "瓜.suffice", "watermelon.csv", "--row", "2"),
    "worked": ("worked", "瓜.suffice", "watermelon.csv", "--row", "1"),
    "predict": ("predict", "瓜.suffice", "watermelon.csv"),
    "decide": ("decide", "瓜.suffice", "watermelon.csv", "--reject", "0.2"),
    "evaluate": ("evaluate", "瓜.suffice", "watermelon.csv", "-y", "好瓜"),
    "compare": ("compare", "watermelon.csv", "-y", "好瓜", "--ignore", "编号", "-m", "naive-bayes", "-m", "tree"),
    "inspect": ("inspect", "瓜.stats"),
}


@pytest.mark.parametrize("spoken", ["en", "zh"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_it_printed(suffice, name, spoken):
    assert suffice(*FIT).code == 0
    assert suffice("collect", "watermelon.csv", "-y", "好瓜", "-o", "瓜.stats", "--ignore", "编号").code == 0
    found = suffice("--language", spoken, *COMMANDS[name])
    assert found.code == 0
    file = GOLDEN / f"{name}.{spoken}.txt"
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(found.out, encoding="utf-8")
    assert _rounded(found.out) == _rounded(file.read_text(encoding="utf-8"))


def _rounded(text):
    """Numbers of rows to ten digits, as other libraries of linear algebra end in others."""
    return [
        ",".join(f"{float(cell):.10g}" if _is_number(cell) else cell for cell in line.split(","))
        for line in text.splitlines()
    ]


def _is_number(cell):
    try:
        return float(cell) is not None
    except ValueError:
        return False
