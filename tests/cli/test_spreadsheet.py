"""`--for-spreadsheet`: no cell and no name that a spreadsheet would run, wherever it comes from; never in JSON."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
RUN = [
    "=1+1",
    "+1",
    "-2",
    "@now",
    "\t=1",
    "\r=1",
    "\n=1+1",
    "\r\nx",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    " =1+1",
    "\xa0=1",
    "\ufeff=1",
]
PLAIN = ["plain", "a=b", "（括号）", "1-2", "'=1", "é", "色泽", "２", "", " x"]


def shaped(kind):
    texts = [*RUN, *PLAIN]
    if kind == "binary":
        return pa.array([text.encode() for text in texts], pa.binary())
    if kind == "fixed":
        return pa.array([b"=1", b"ab", *(b"xy",) * (len(texts) - 2)], pa.binary(2))
    if kind == "coded":
        return pa.array(texts).dictionary_encode()
    if kind == "coded bytes":
        return pa.array([text.encode() for text in texts], pa.binary()).dictionary_encode()
    return pa.array(texts, kind)


def expected(kind):
    if kind == "fixed":
        return ["'=1", "ab", *["xy"] * (len(RUN) + len(PLAIN) - 2)]
    return [f"'{text}" for text in RUN] + PLAIN


@pytest.fixture
def model(suffice, folder):
    (folder / "fit.csv").write_text("x,y\n" + "".join(f"{i}.5,{'=p' if i % 2 else 'q'}\n" for i in range(12)))
    assert suffice("fit", "fit.csv", "-y", "y", "-o", "m.suffice", "-m", "naive-bayes").code == 0
    return "m.suffice"


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), "coded", "binary", "fixed", "coded bytes"], ids=str)
@pytest.mark.parametrize("command", ["predict", "decide", "cluster"])
def test_texts_of_every_type_are_guarded(suffice, folder, model, kind, command):
    cells = shaped(kind)
    pq.write_table(pa.table({"x": [i + 0.5 for i in range(len(cells))], "note": cells}), folder / "t.parquet")
    words = ("cluster", "t.parquet", "--components", "1", "--ignore", "note") if command == "cluster" else ()
    found = suffice(*(words or (command, model, "t.parquet")), "-o", "out.csv", "--for-spreadsheet")
    assert found.code == 0, found.err
    text = (folder / "out.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["note"] for row in rows] == expected(kind)
    assert "'=p" not in text.splitlines()[0]  # P(=p) is no formula


def test_names_of_columns_and_classes_are_guarded(suffice, folder, model):
    (folder / "t.csv").write_text('x,=1+1,＠a,"\n-b",fine\n10.5,1,2,3,4\n3.5,1,2,3,4\n')
    header, *rows = csv.reader(io.StringIO(suffice("predict", model, "t.csv", "--for-spreadsheet").out, newline=""))
    assert header[:5] == ["x", "'=1+1", "'＠a", "'\n-b", "fine"]
    assert {row[5] for row in rows} <= {"'=p", "q"}
    plain = next(csv.reader(io.StringIO(suffice("predict", model, "t.csv").out, newline="")))
    assert plain[:5] == ["x", "=1+1", "＠a", "\n-b", "fine"]


@pytest.mark.parametrize("output", [("--json",), ("-o", "out.jsonl"), ("-o", "out.ndjson.gz")])
def test_json_and_a_guard_are_refused_together(suffice, folder, model, output):
    for words in (
        ("predict", model, "fit.csv"),
        ("decide", model, "fit.csv"),
        ("cluster", "fit.csv", "--components", "1"),
    ):
        found = suffice(*words, *output, "--for-spreadsheet")
        assert (found.code, found.out, "not for JSON" in found.err) == (2, "", True)
    written = suffice("predict", model, "fit.csv", "--json", "-o", "out.csv", "--for-spreadsheet")
    assert json.loads(written.out) == {"rows": 12, "written": "out.csv"}
    assert "'=p" in (folder / "out.csv").read_text()


def test_bytes_that_no_csv_can_hold_are_refused_and_nothing_is_written(suffice, folder, model):
    pq.write_table(pa.table({"x": [1.5], "note": pa.array([b"=\xff"])}), folder / "t.parquet")
    for guard in ((), ("--for-spreadsheet",)):
        found = suffice("predict", model, "t.parquet", "-o", "out.csv", *guard)
        assert (found.code, "cannot hold one of the columns" in found.err) == (4, True)
    assert not (folder / "out.csv").exists()
