"""Answers into files of text: what the model does not read, and what it reads, comes out as the text that it was."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from suffice import NaiveBayes, example
from suffice.data import formats
from suffice.errors import FileError, FileHint

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
MODEL = NaiveBayes().fit({"x": [1.0, 2.0, 3.0, 4.5], "t": list("abab")}, ["p", "q", "p", "q"])
WORDS = NaiveBayes().fit({"x": [1.0, 2.0, 3.0, 4.5]}, ["p", "q", "p", "q"])
ODD = [
    *("00123", "0", "-0", "-3", "+5", "1.10", "1e5", "1E-3", ".5", "5.", "0x1A", "NaN", "nan", "inf", "-1.#IND"),
    *("10000000000000000000", "10000000000000000001", "9007199254740993", "0.12345678901234567890"),
    *("TRUE", "true", "False", "NA", "n/a", "null", "NULL", "None", "#N/A", "", " ", " padded "),
    *("2024-01-01", "2024-01-01T05:00:00+05:30", "2024-02-30", "12:30", "12:30:00.5", "1,200", "(5)", "5%", "€3"),
    *('say "so"', "two\nlines", "a;b", "=1+1", "青绿", "e\u0301", "\u200b", "'", "\\N", "-"),
]


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """A file that is looked at as a whole, and the same in many blocks of which the first few say the types."""
    if request.param == "large":
        monkeypatch.setattr(formats, "HEAD", 400)
        monkeypatch.setattr(formats, "BLOCK", 200)


def _csv(path, rows, delimiter=","):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _cells(path, delimiter=","):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def _rows(column):
    """A number that the model reads in the middle, and in every other column the odd texts."""
    return [["id", "x", "note"], *([column, str(i / 4), column] for i, column in enumerate(column))]


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz"])
def test_odd_texts_come_out_as_they_were(form, size, tmp_path):
    delimiter = "\t" if form == "tsv" else ","
    rows = _rows(ODD * 3)
    _csv(tmp_path / "in.txt", rows, delimiter)
    pack = gzip.compress if form.endswith("gz") else bytes
    (tmp_path / f"in.{form}").write_bytes(pack((tmp_path / "in.txt").read_bytes()))
    WORDS.predict_file(tmp_path / f"in.{form}", tmp_path / f"out.{form.removesuffix('.gz')}")
    found = _cells(tmp_path / f"out.{form.removesuffix('.gz')}", delimiter)
    assert [row[:3] for row in found] == rows
    assert {row[3] for row in found[1:]} == {"p", "q"}


@pytest.mark.parametrize("text", ODD)
def test_a_column_of_one_odd_text_stays_whatever_type_it_looks_like(text, size, tmp_path):
    rows = [["id", "x"], *([text, "2.5"] for _ in range(60))]
    _csv(tmp_path / "in.csv", rows)
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.csv", proba=False)
    assert [row[:2] for row in _cells(tmp_path / "out.csv")] == rows


@pytest.mark.parametrize("number", ["1.10", "+5", "1e5", "007", "2.50000000000000000001", " 3", "-0.0"])
def test_numbers_that_the_model_reads_come_out_as_they_were_written(number, size, tmp_path):
    rows = [["x", "id"], *([number, str(i)] for i in range(60)), ["", "9"], ["NA", "9"]]
    _csv(tmp_path / "in.csv", rows)
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.csv")
    found = _cells(tmp_path / "out.csv")
    assert [row[:2] for row in found] == rows
    expected = WORDS.predict_proba({"x": [float(number), np.nan]})
    np.testing.assert_allclose(np.array(found[1:], dtype=object)[[0, -1], -2:].astype(float), expected, rtol=1e-12)


def test_categories_that_the_model_reads_come_out_as_they_were_written(size, tmp_path):
    texts = ["a", "b", "NA", "", "null", "a"] * 10
    rows = [["x", "t"], *(["1", text] for text in texts)]
    _csv(tmp_path / "in.csv", rows)
    MODEL.predict_file(tmp_path / "in.csv", tmp_path / "out.csv")
    found = _cells(tmp_path / "out.csv")
    assert [row[:2] for row in found] == rows
    posterior = MODEL.predict_proba({"x": [1.0] * 60, "t": [text if text in "ab" and text else None for text in texts]})
    np.testing.assert_allclose(np.array([row[-2:] for row in found[1:]], dtype=float), posterior, rtol=1e-12)


def test_a_cell_is_quoted_only_where_it_has_to_be(size, tmp_path):
    text = 'id,x,note\n007,1.50,plain\n008,2,"with, comma"\n009,3,"a ""quote"""\n010,,\n' + "011,4,more\n" * 50
    (tmp_path / "in.csv").write_text(text)
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.csv", columns=["id", "x", "note"], proba=False)
    _, *lines = (tmp_path / "out.csv").read_text().splitlines()
    assert [line.rpartition(",")[0] for line in lines] == text.splitlines()[1:]


def test_values_of_json_come_out_as_they_were(size, tmp_path):
    values = ["1", "1.0", "1.10", "1e5", "12345678901234567890", "-0", "0.12345678901234567890", "9007199254740993"]
    lines = [f'{{"id": {value}, "x": {i}, "day": "2024-01-0{i + 1}"}}' for i, value in enumerate(values)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    WORDS.predict_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", proba=False)
    found = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [line.rpartition(', "class"')[0] + "}" for line in found] == lines


@pytest.mark.parametrize(
    "value", ['"2024-01-01T05:00:00+05:30"', '"é\\n"', "true", '{"a": [1, 2.0]}', "[1e2, null]", '""', "null", '"NA"']
)
def test_a_value_of_any_type_in_json_comes_out_as_it_was(value, size, tmp_path):
    lines = [f'{{"x": {i}.50, "it": {value}}}' for i in range(40)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    WORDS.predict_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", proba=False)
    found = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [line.rpartition(', "class"')[0] + "}" for line in found] == lines


def test_a_key_that_a_line_lacks_is_lacking_in_what_is_written(size, tmp_path):
    lines = ['{"x": 1, "id": 5}', '{"x": 2}', '{"id": null, "x": 3}'] * 9
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    WORDS.predict_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", proba=False)
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [{k: v for k, v in row.items() if k != "class"} for row in found] == [json.loads(line) for line in lines]


def test_from_text_into_types_numbers_of_the_model_are_numbers_and_the_rest_is_text(size, tmp_path):
    rows = [["id", "x", "day"], *([f"00{i}", f"{i}.50", "2024-01-01"] for i in range(60)), ["NA", "NA", ""]]
    _csv(tmp_path / "in.csv", rows)
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert [str(kind) for kind in found.schema.types[:3]] == ["string", "double", "string"]
    assert found["id"].to_pylist() == [row[0] for row in rows[1:]]
    assert found["x"].to_pylist() == [*(i + 0.5 for i in range(60)), None]
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.jsonl", proba=False)
    first, *_, last = (tmp_path / "out.jsonl").read_text().splitlines()
    assert first == '{"id": "000", "x": 0.50, "day": "2024-01-01", "class": "p"}'
    assert last.startswith('{"id": "NA", "x": null, "day": null')


def test_from_json_into_csv_values_are_their_texts(size, tmp_path):
    row = '{"x": 1.50, "id": 12345678901234567890, "day": "2024-01-01", "ok": true, "none": null, "list": [1, 2]}\n'
    (tmp_path / "in.jsonl").write_text(row * 30)
    WORDS.predict_file(tmp_path / "in.jsonl", tmp_path / "out.csv", proba=False)
    found = _cells(tmp_path / "out.csv")
    assert found[0] == ["x", "id", "day", "ok", "none", "list", "class"]
    assert found[1][:6] == ["1.50", "12345678901234567890", "2024-01-01", "true", "", "[1, 2]"]
    assert len(found) == 31
    WORDS.predict_file(tmp_path / "in.jsonl", tmp_path / "out.parquet", proba=False)
    found = pq.read_table(tmp_path / "out.parquet").slice(0, 1).to_pylist()[0]
    assert (found["x"], found["id"], found["none"]) == (1.5, "12345678901234567890", None)


@pytest.mark.parametrize("target", ["out.csv", "out.jsonl"])
def test_bytes_of_typed_files_are_text_or_refused(target, tmp_path):
    for name, cells in (("good", [b"abc", "é".encode()]), ("bad", [b"abc", b"\xff\xfe"])):
        pq.write_table(pa.table({"x": [1.0, 2.0], "raw": pa.array(cells, pa.binary())}), tmp_path / f"{name}.parquet")
    WORDS.predict_file(tmp_path / "good.parquet", tmp_path / target)
    assert "é" in (tmp_path / target).read_text()
    assert "b'" not in (tmp_path / target).read_text()
    with pytest.raises(FileError, match="its format cannot hold one of the columns"):
        WORDS.predict_file(tmp_path / "bad.parquet", tmp_path / target)


def test_files_of_several_forms_become_one(tmp_path):
    _csv(tmp_path / "1.csv", [["id", "x"], ["007", "1.50"]])
    pq.write_table(pa.table({"id": ["8"], "x": [2.5]}), tmp_path / "2.parquet")
    (tmp_path / "3.jsonl").write_text('{"id": "9", "x": 3.50}\n')
    sources = [tmp_path / "1.csv", tmp_path / "2.parquet"]
    WORDS.predict_file(sources, tmp_path / "out.csv", proba=False)
    assert [row[:2] for row in _cells(tmp_path / "out.csv")[1:]] == [["007", "1.50"], ["8", "2.5"]]
    WORDS.predict_file([tmp_path / "1.csv", tmp_path / "3.jsonl"], tmp_path / "all.csv", proba=False)
    assert [row[:2] for row in _cells(tmp_path / "all.csv")[1:]] == [["007", "1.50"], ["9", "3.50"]]


HEADERS = {"csv": "x,t\n", "tsv": "x\tt\n"}


@pytest.mark.parametrize("form", HEADERS)
@pytest.mark.parametrize("target", ["csv", "parquet", "jsonl"])
def test_a_header_alone_gives_a_header_alone_in_place_of_what_was_there(form, target, tmp_path):
    (tmp_path / f"in.{form}").write_text(HEADERS[form])
    goal = tmp_path / f"out.{target}"
    goal.write_text("of yesterday")
    assert MODEL.predict_file(tmp_path / f"in.{form}", goal) == [goal]
    if target == "csv":
        assert _cells(goal) == [["x", "t", "class", "P(p)", "P(q)"]]
    elif target == "parquet":
        assert pq.read_table(goal).column_names == ["x", "t", "class", "P(p)", "P(q)"]
    else:
        assert goal.read_text() == ""


def test_a_model_of_counts_answers_a_header_alone_too(tmp_path):
    counts = NaiveBayes(kinds="counts").fit({"a": [1, 2, 0], "b": [0, 1, 3]}, ["u", "u", "v"])
    (tmp_path / "in.csv").write_text("a,b,id\n")
    counts.predict_file(tmp_path / "in.csv", tmp_path / "out.csv", proba=False)
    assert _cells(tmp_path / "out.csv") == [["a", "b", "id", "class"]]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp1250", "big5", "shift-jis"])
def test_an_encoding_that_is_named_is_read_and_written_in_utf_8(encoding, size, tmp_path):
    town = {"cp1250": "Łódź", "big5": "臺北", "shift-jis": "東京"}.get(encoding, "München")
    rows = [["x", "town"], *([str(i), town] for i in range(80))]
    (tmp_path / "in.csv").write_bytes("\n".join(map(",".join, rows)).encode(encoding))
    WORDS.predict_file(tmp_path / "in.csv", tmp_path / "out.csv", encoding=encoding)
    assert [row[:2] for row in _cells(tmp_path / "out.csv")] == rows


def test_what_is_read_as_gb18030_is_said(tmp_path):
    melons, good = example("watermelon")
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good)
    text = io.StringIO()
    csv.writer(text).writerows([list(melons), *zip(*(np.asarray(c).tolist() for c in melons.values()), strict=True)])
    (tmp_path / "瓜.csv").write_bytes(text.getvalue().encode("gb18030"))
    with pytest.warns(FileHint, match="is read as GB18030"):
        model.predict_file(tmp_path / "瓜.csv", tmp_path / "out.csv")
    assert _cells(tmp_path / "out.csv")[0][: len(melons)] == list(melons)
