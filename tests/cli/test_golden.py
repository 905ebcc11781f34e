"""What commands print, to the letter, in both languages and as JSON; GOLDEN=write in the environment renews it."""

import json
import os
from pathlib import Path

import pytest
import typer

from suffice.cli.main import app

COMMANDS_OF_APP = typer.main.get_command(app).commands
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


BOUNDARY = ("boundary", "直线.suffice", "--between", "是,否")
JSON = {name: words for name, words in COMMANDS.items() if name not in ("predict", "decide")} | {
    "fit": FIT,
    "tune": ("tune", "watermelon.csv", "-y", "好瓜", "--ignore", "编号"),
    "cluster": ("cluster", "watermelon.csv", "--components", "1-2", "--ignore", "编号", "-o", "组.csv"),
    "collect": ("collect", "watermelon.csv", "-y", "好瓜", "--ignore", "编号", "-o", "瓜.stats"),
    "merge": ("merge", "瓜.stats", "瓜.stats", "-o", "两.stats"),
    "forget": ("forget", "瓜.stats", "瓜.stats", "-o", "无.stats"),
    "predict to a file": ("predict", "瓜.suffice", "watermelon.csv", "-o", "答.csv"),
    "decide to a file": ("decide", "瓜.suffice", "watermelon.csv", "-o", "答.csv"),
    "boundary": BOUNDARY,
    "boundary solved": (*BOUNDARY, "--solve-for", "密度"),
    "plot": ("plot", "missing", "瓜.suffice", "watermelon.csv", "-o", "图.svg"),
    "export to a file": ("export", "瓜.suffice", "-o", "瓜.sql"),
}
ROWS = {name: COMMANDS[name] for name in ("predict", "decide")}
LINE = ("fit", "watermelon.csv", "-y", "好瓜", "-o", "直线.suffice", "-m", "lda", "--ignore", "编号")
WORDS = ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")  # columns of categories


@pytest.fixture
def files(suffice):
    assert suffice(*FIT).code == 0
    assert suffice(*LINE, *(word for name in WORDS for word in ("--ignore", name))).code == 0
    assert suffice("collect", "watermelon.csv", "-y", "好瓜", "-o", "瓜.stats", "--ignore", "编号").code == 0


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("name", JSON)
def test_json_is_the_same_names_and_numbers_in_every_language(suffice, files, name):
    english, chinese = (suffice("--language", spoken, *JSON[name], "--json") for spoken in ("en", "zh"))
    assert (english.code, chinese.code) == (0, 0)
    found = _read(english.out)
    assert _read(chinese.out) == found
    file = GOLDEN / f"{name.replace(' ', '-')}.json"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(english.out, encoding="utf-8")
    assert "\\u" not in english.out
    assert _near(found) == _near(_read(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_a_line_of_json_each(suffice, files, name):
    lines = suffice(*ROWS[name], "--json").out.splitlines()
    rows = [line.split(",") for line in suffice(*ROWS[name]).out.splitlines()]
    assert len(lines) == len(rows) - 1 == 17
    heads = [cell.strip('"') for cell in rows[0]]
    for line, row in zip(lines, rows[1:], strict=True):
        found = _read(line)
        assert list(found) == heads
        for value, cell in zip(found.values(), row, strict=True):
            assert value == (cell.strip('"') if isinstance(value, str) else pytest.approx(float(cell)))


def test_every_command_offers_json(suffice):
    for name in COMMANDS_OF_APP:
        assert "--json" in suffice(name, "--help").out, name


def _read(text):
    def refused(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refused)


def _near(data):
    """Numbers to nine digits, as other libraries of linear algebra end in others."""
    if isinstance(data, dict):
        return {key: _near(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_near(value) for value in data]
    return float(f"{data:.9g}") if isinstance(data, float) else data


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
