"""What a terminal is shown: control characters of cells, names, classes and files are written out, never obeyed."""

import json
import os
import re
import subprocess
import sys
import warnings
from html import unescape

import pytest

from cli.every_command import COMMANDS, called
from suffice import NaiveBayes, collect, explain, worked
from suffice.errors import KindHint, ParameterError, SufficeError, warn
from suffice.json_text import json_text
from suffice.words import visible

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
HOSTILE = {
    "title": "\x1b]0;owned\x07",
    "colour": "\x1b[31mred",
    "eight-bit": "\x9b31mred",
    "forged line": "p\nq  99  0.9",
    "carriage": "all good\rnot at all",
    "direction": "abc\u202egpj.exe",
    "isolates": "\u2066a\u2069\u200f",
    "separators": "a\u2028b\u2029c\x85d",
    "delete": "a\x7f\x08\x08b\x00"[:-1],
}
HARMLESS = ("色泽", "👩‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u0301", "می‌خواهم", "naïve  Bayes\\n", "ﷺ", "I❤️‍🔥")


@pytest.mark.parametrize("text", HARMLESS)
def test_texts_in_any_script_stay_as_they_are(text):
    assert visible(text) == text
    assert json.loads(json_text({"a": text}))["a"] == text
    assert text in json_text({"a": text.replace("\\", "")}) or "\\" in text


def table_of(hostile):
    words, labels = ("plain", hostile, hostile), ("q", hostile)
    lines = [["x", "z", f"w{hostile}", "y"]]
    lines += [[f"{i % 3}.{i}", f"{i % 2}.{i * 7 % 5}", words[i % 3], labels[i % 2]] for i in range(24)]
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


@pytest.mark.parametrize("what", HOSTILE)
def test_no_command_lets_a_cell_speak_to_the_terminal(suffice, folder, what):
    hostile = HOSTILE[what]
    (folder / "rows.csv").write_bytes(table_of(hostile).encode())
    made = [
        suffice("fit", "rows.csv", "-y", "y", "-o", "words.suffice", "-m", "naive-bayes"),
        suffice("fit", "rows.csv", "-y", "y", "-o", "line.suffice", "-m", "lda", "--ignore", f"w{hostile}"),
        suffice("collect", "rows.csv", "-y", "y", "-o", "rows.stats"),
    ]
    assert [found.code for found in made] == [0, 0, 0]
    for name in sorted(set(COMMANDS) - {"demo", "predict", "decide", "cluster", "export"}):  # whose stdout is data
        if name == "boundary":
            words = [name, "line.suffice", f"--between=q,{hostile}"]
        else:
            words = [word.replace("line.", "words.") for word in called(name, {"between": None})]
        for more in ([], ["--json"]):
            found = suffice(*words, *more)
            assert found.code == 0, (name, found.err)
            assert not OBEYED.search(found.out + found.err), (name, more)
            assert not [line for line in (found.out + found.err).splitlines() if line.startswith("q  99")]


@pytest.mark.parametrize("what", HOSTILE)
def test_no_error_lets_a_name_speak_to_the_terminal(suffice, folder, what):
    hostile = HOSTILE[what]
    (folder / "rows.csv").write_bytes(table_of(hostile).encode())
    (folder / f"{hostile.replace('/', '')}.csv").write_text("a,b\n1\n")
    for words in (
        ("fit", "rows.csv", "-y", "nothing", "-o", "m"),
        ("look", f"{hostile.replace('/', '')}.csv"),
        ("look", hostile),
        (hostile,),
        ("look", f"--{hostile}"),
        ("fit", "rows.csv", "-y", "y", "-o", "m", "-m", hostile),
        ("fit", "rows.csv", "-y", "y", "-o", "m", "--kind", f"x={hostile}"),
        ("fit", "rows.csv", "-y", "y", "-o", "m", "--prior", f"{hostile}=0.5"),
        ("fit", "rows.csv", "-y", "y", "-o", f"{hostile}/m"),
        ("plot", hostile, "m"),
        ("predict", hostile, "rows.csv"),
    ):
        found = suffice(*words)
        assert found.code in (2, 4), words
        assert not OBEYED.search(found.out + found.err), words
        said = [line for line in found.err.splitlines() if not line.startswith("note: ")]
        assert len([line for line in said if line.startswith("suffice: ")]) == 1
        assert len(said) <= 2


@pytest.mark.parametrize("what", HOSTILE)
def test_prints_warnings_and_errors_of_python_do_not_either(what):
    hostile = HOSTILE[what]
    rows = {f"w{hostile}": [hostile, "b", hostile, "b", "c", "c"], "x": [1.0, 2, 4, 3, 5, 8]}
    labels = [hostile, "q", hostile, "q", hostile, "q"]
    model = NaiveBayes().fit(rows, labels)
    first = {name: cells[:1] for name, cells in rows.items()}
    for found in (model, worked(model, first), explain(model, first), collect(rows, labels)):
        assert not OBEYED.search(str(found))
        assert visible(hostile).replace("w", "")[:2] in str(found)
    assert not OBEYED.search(str(SufficeError(f"There is no {hostile}.")))
    assert ParameterError(hostile).args == (hostile,)  # programs get what was there
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn(f"The column {hostile} is odd.", KindHint)
    assert not OBEYED.search(str(caught[0].message))


def test_html_and_frames_hold_cells_as_they_were():
    hostile = "<b>p\nq</b>\u202e"
    model = NaiveBayes().fit({"x": [1.0, 2, 3, 5]}, [hostile, "q", hostile, "q"])
    assert hostile in unescape(model._repr_html_inner())
    assert hostile in model.description().tables[0].plain()["class"]


def test_json_reads_back_as_it_was():
    for hostile in (*HOSTILE.values(), "\udcff", "a\ud800b"):
        text = json_text({hostile: hostile})
        assert not OBEYED.search(text)
        assert json.loads(text) == {hostile: hostile}


def test_an_equation_names_columns_on_one_line(suffice, folder):
    rows = "".join(f"{i % 3}.{i},{i % 2}.{i * 7 % 5},{'pq'[i % 2]}\n" for i in range(24))
    (folder / "rows.csv").write_text('x,"z\n\x1b[31m",y\n' + rows)
    assert suffice("fit", "rows.csv", "-y", "y", "-o", "line.suffice", "-m", "lda").code == 0
    found = suffice("boundary", "line.suffice", "--between", "p,q", "--solve-for", "x")
    assert found.out.startswith("x = ")
    assert found.out.count("\n") == 1
    assert "z\\n\\x1b[31m" in found.out


def test_a_terminal_without_the_signs_gets_escapes_and_no_fault(suffice, folder):
    where = os.environ | {"PYTHONIOENCODING": "ascii", "SUFFICE_LANGUAGE": "en"}
    command = [sys.executable, "-m", "suffice", "look", "watermelon.csv", "-y", "好瓜"]
    found = subprocess.run(command, env=where, capture_output=True, text=True, check=False)
    assert found.returncode == 0
    assert "\\u597d" in found.stdout or "\\u8272\\u6cfd" in found.stdout
