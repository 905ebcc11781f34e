"""Tables on stdin: any form, packed or not, and messages that name no file that nobody has named."""

import bz2
import gzip
import sys
import tempfile

import pyarrow as pa
import pytest

ROWS = b'{"bill_length_mm": 39.5, "species": "Adelie"}\n{"bill_length_mm": 50, "species": "Gentoo"}\n'
TABLE = b"bill_length_mm,species\n39.5,Adelie\n50,Gentoo\n"


@pytest.fixture
def piped(suffice, monkeypatch):
    """A command that reads these bytes."""

    def run(data, *words):
        with tempfile.TemporaryFile() as stdin:
            stdin.write(data)
            stdin.seek(0)
            monkeypatch.setattr(sys, "stdin", stdin)
            return suffice(*words)

    return run


@pytest.fixture
def model(suffice, folder):
    (folder / "t.csv").write_bytes(TABLE + b"41,Adelie\n51,Gentoo\n")
    assert suffice("fit", "t.csv", "-y", "species", "-o", "m", "-m", "naive-bayes").code == 0
    return "m"


FORMS = {
    "lines of JSON": ROWS,
    "behind a space": b" \n" + ROWS,
    "behind a mark": b"\xef\xbb\xbf" + ROWS,
    "packed by gzip": gzip.compress(ROWS),
    "packed by bzip2": bz2.compress(ROWS),
    "CSV packed by bzip2": bz2.compress(TABLE),
    "CSV packed by gzip": gzip.compress(TABLE),
    "CSV behind a mark": b"\xef\xbb\xbf" + TABLE,
    "CSV": TABLE,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_any_form_may_be_piped_in(form, piped, model):
    found = piped(FORMS[form], "predict", model)
    assert (found.code, len(found.out.splitlines())) == (0, 3), found.err


def test_a_table_packed_by_zstandard_may_be_piped_in(piped, model, folder):
    with pa.CompressedOutputStream(str(folder / "t.zst"), "zstd") as sink:
        sink.write(TABLE)
    found = piped((folder / "t.zst").read_bytes(), "predict", model)
    assert (found.code, len(found.out.splitlines())) == (0, 3), found.err


WRONG = {
    "a list of JSON": (b"[" + ROWS.replace(b"}\n{", b"},\n{") + b"]", "JSON lines have an object in each line"),
    "a quote left open": (TABLE + b'3,"Adelie\n' + TABLE, "Line 4 of stdin opens a quote"),
    "a ragged line": (TABLE + b"1,2,3\n", "Line 4 of stdin has 3 cells"),
    "no text": (b"x,species\n\xff\xff\xfe,Adelie\n", "stdin is text in neither UTF-8 nor GB18030"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_it_names_no_file_that_nobody_named(what, piped, model):
    data, said = WRONG[what]
    found = piped(data, "predict", model)
    assert found.code in (2, 4)
    assert said in found.err
    assert "/tmp" not in found.err
    assert "suffice-" not in found.err


@pytest.mark.parametrize("place", ["before", "behind"])
@pytest.mark.parametrize("command", ["look", "collect", "predict"])
def test_an_encoding_may_be_named_anywhere(place, command, suffice, folder):
    text = "größe,y\n" + "1.5,Köln\n2.5,München\n" * 9
    (folder / "w.csv").write_bytes(text.encode("cp1252"))
    (folder / "u.csv").write_text(text, encoding="utf-8")
    assert suffice("fit", "u.csv", "-y", "y", "-o", "m", "-m", "naive-bayes").code == 0
    words = {
        "look": ("look", "w.csv"),
        "collect": ("collect", "w.csv", "-y", "y", "-o", "s"),
        "predict": ("predict", "m", "w.csv"),
    }
    assert suffice(*words[command]).code == 4
    option = ("--encoding", "cp1252")
    found = suffice(*option, *words[command]) if place == "before" else suffice(*words[command], *option)
    assert found.code == 0
    assert "Köln" in found.out + found.err
    assert suffice(*words[command]).code == 4  # which holds for one command
    assert suffice("--encoding", "nonsense", *words[command]).code == 2
