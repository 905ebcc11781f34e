"""Files of text as people have them: codes that look like numbers, quotes left open, encodings, damaged lines."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from suffice import NaiveBayes, batches, collect
from suffice.data import formats
from suffice.errors import FileError, FileHint, KindError, KindHint, ParameterError, UnknownLabelsError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    """A file that is looked at as a whole, and the same in many blocks of which the first few say the types."""
    if request.param == "large":
        monkeypatch.setattr(formats, "HEAD", 300)
        monkeypatch.setattr(formats, "BLOCK", 150)
    return request.param


@pytest.fixture
def long(monkeypatch):
    monkeypatch.setattr(formats, "HEAD", 300)
    monkeypatch.setattr(formats, "BLOCK", 150)


def _labels(path, texts, times=10):
    path.write_text("x,y\n" + "".join(f"{i},{text}\n" for i, text in enumerate(list(texts) * times)))
    return path


TEXT_KINDS = ("categorical", "binary")
SPELLED = {  # labels as they stand in a file, and the classes they are
    "whole numbers": (["0", "1", "-3"], (-3, 0, 1)),
    "with an empty fraction": (["0.0", "1.0"], (0, 1)),
    "leading zeros": (["01", "1", "2"], ("01", "1", "2")),
    "an exponent": (["1e5", "100000"], ("100000", "1e5")),
    "a plus": (["+5", "5"], ("+5", "5")),
    "minus nothing": (["-0", "0"], ("-0", "0")),
    "a fraction and none": (["1", "1.0"], ("1", "1.0")),
    "twenty digits": (
        ["12345678901234567890", "12345678901234567891"],
        ("12345678901234567890", "12345678901234567891"),
    ),
    "nineteen digits": (["1234567890123456789", "1234567890123456788"], ("1234567890123456788", "1234567890123456789")),
    "hexadecimal": (["0x1A", "26"], ("0x1A", "26")),
    "spaces": ([" 1", "1"], (" 1", "1")),
    "truth": (["true", "false"], (False, True)),
    "shouted truth": (["TRUE", "FALSE"], (False, True)),
    "truth of two spellings": (["TRUE", "true"], ("TRUE", "true")),
    "truth and numbers": (["true", "0"], ("0", "true")),
    "dates": (["2024-01-01", "2024-01-02"], ("2024-01-01", "2024-01-02")),
    "times": (["12:30", "12:45"], ("12:30", "12:45")),
}


@pytest.mark.parametrize("how", SPELLED)
def test_labels_are_numbers_only_if_each_is_what_its_number_prints_as(how, size, tmp_path):
    texts, classes = SPELLED[how]
    summary = collect(_labels(tmp_path / "a.csv", texts, 40), "y")
    assert [(type(c), c) for c in summary.classes] == [(type(c), c) for c in classes]
    assert summary.n == 40 * len(texts)
    fitted = NaiveBayes().fit(tmp_path / "a.csv", "y")
    assert fitted.classes_.tolist() == list(classes)


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        *((how, kind) for how in ("leading zeros", "an exponent", "a plus", "twenty digits") for kind in TEXT_KINDS),
        ("whole numbers", "categorical"),  # binary ones are no categories
    ],
)
def test_declared_categories_are_numbers_by_the_same_rule(how, kind, size, tmp_path):
    texts, levels = SPELLED[how][0][:2], SPELLED[how][1]
    rows = "".join(f"{text},{'pq'[i % 2]}\n" for i, text in enumerate(texts * 40))
    (tmp_path / "a.csv").write_text("zip,y\n" + rows)
    for summary in (
        collect(tmp_path / "a.csv", "y", kinds={"zip": kind}),
        NaiveBayes(kinds={"zip": kind}).fit(tmp_path / "a.csv", "y").summary_,
    ):
        found = summary.schema.columns[0].levels
        assert [(type(level), level) for level in found] == [(type(o), o) for o in levels if str(o) in texts]


def test_the_whole_pattern_decides(tmp_path):
    _labels(tmp_path / "1.csv", ["1", "2"])
    _labels(tmp_path / "2.csv", ["01", "2"])
    assert collect(tmp_path, "y").classes == ("01", "1", "2")
    assert collect(tmp_path / "1.csv", "y").classes == (1, 2)
    assert collect(tmp_path, "y", where="partitions").classes == ("01", "1", "2")


@pytest.mark.parametrize("odd", ["01", "1e0", "+1", "two", "1.0", "12345678901234567890"])
def test_a_later_label_that_is_no_such_number_is_an_error_with_its_line(odd, long, tmp_path):
    _labels(tmp_path / "a.csv", [*["0", "1"] * 200, odd, "1"], 1)
    with pytest.raises(FileError, match=rf"Column 'y' of '.*a\.csv', line 402, holds '{odd}'".replace("+", r"\+")):
        collect(tmp_path / "a.csv", "y")
    assert collect(tmp_path / "a.csv", "y", classes=["0", "1", odd]).classes == tuple(sorted({"0", "1", odd}))


def test_a_later_truth_value_that_is_spelled_otherwise_is_an_error(long, tmp_path):
    _labels(tmp_path / "a.csv", [*["true", "false"] * 200, "TRUE"], 1)
    with pytest.raises(FileError, match="line 402, holds 'TRUE'"):
        collect(tmp_path / "a.csv", "y")


def test_undeclared_codes_are_categories_and_measurements_if_declared(size, tmp_path):
    rows = "".join(
        f"{code},{10**17 + i % 3},{i / 2},{'pq'[i % 2]}\n" for i, code in enumerate(["02134", "2134", "90210"] * 40)
    )
    (tmp_path / "a.csv").write_text("zip,account,size,y\n" + rows)
    with pytest.warns(KindHint, match="Column 'zip' holds whole numbers as text, such as '02134'"):
        summary = collect(tmp_path / "a.csv", "y")
    levels = {column.name: column.levels for column in summary.schema.columns if column.kind == "categorical"}
    assert levels["zip"] == ("02134", "2134", "90210")
    assert levels["account"] == ("100000000000000000", "100000000000000001", "100000000000000002")
    kinds = {"zip": "gaussian", "account": "ignore"}
    numbers = collect(tmp_path / "a.csv", "y", kinds=kinds)
    assert {column.kind for column in numbers.schema.columns} <= {"gaussian", "tallied"}
    model = NaiveBayes(kinds=kinds).fit(tmp_path / "a.csv", "y")
    assert model.summary_.schema.names == ("zip", "account", "size")


def test_dates_and_decimals_are_no_codes(size, tmp_path):
    rows = "".join(f"2024-01-0{1 + i % 9},0.0{i},-0.5,{'pq'[i % 2]}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("day,share,x,y\n" + rows)
    summary = collect(tmp_path / "a.csv", "y", kinds={"day": "ignore"})
    assert all(column.kind in ("gaussian", "tallied") for column in summary.schema.columns)


def test_long_whole_numbers_of_json_are_texts(size, tmp_path):
    rows = [{"id": 10**19 + i % 2, "x": i, "y": 12345678901234567890 + i % 2} for i in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = collect(tmp_path / "a.jsonl", "y")
    assert summary.classes == ("12345678901234567890", "12345678901234567891")
    [column] = [column for column in summary.schema.columns if column.name == "id"]
    assert column.levels == ("10000000000000000000", "10000000000000000001")


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("order", [("1", "2"), ("2", "1")])
def test_truth_values_in_one_file_and_numbers_in_another_are_refused(form, order, tmp_path):
    for name, cells in (("1", [0, 1]), ("2", [False, True])):
        path = tmp_path / f"{order[int(name) - 1]}.{form}"
        table = pa.table({"x": [1.5, 2.5], "g": cells, "y": cells})
        pq.write_table(table, path) if form == "parquet" else pa.csv.write_csv(table, path)
    with pytest.raises(FileError, match=r"holds truth values in '.*', but numbers in '.*'"):
        collect(tmp_path, "y")
    with pytest.raises(FileError, match="Column 'g' holds truth values"):
        NaiveBayes().fit(tmp_path, "x")


@pytest.mark.parametrize("value", [True, False])
def test_a_model_of_whole_number_levels_takes_no_truth_value_for_one(value):
    for levels in ([1, 2, 1, 2], [0, 1, 0, 1]):
        model = NaiveBayes(kinds={"g": "categorical"}).fit({"g": levels, "x": [1.0, 2, 3, 4.5]}, list("ppqq"))
        with pytest.raises(KindError, match="Give it with the type it had"):
            model.predict({"g": [value], "x": [1.0]})


# quotes

OPEN = {
    "in the last column": 'x,y\n1,p\n2,"q\n3,p\n4,q\n',
    "in the first column": 'y,x\np,1\n"q,2\np,3\nq,4\n',
    "in the last line": "x,y\n1,p\n" + "2,q\n" * 50 + '3,"p',
    "after a good one": 'x,y\n1,"p"\n2,"q"\n' + "3,p\n" * 50 + '4,"q\n' + "5,p\n" * 50,
    "after doubled ones": 'x,y\n1,"a ""b"""\n2,"q\n' + "3,p\n" * 200,
    "of a number": 'x,y\n1,p\n2,q\n"3,p\n4,q\n',
}
LINES = {"in the last line": 53, "after a good one": 54, "of a number": 4}


@pytest.mark.parametrize("where", OPEN)
def test_a_quote_left_open_is_an_error_with_its_line(where, size, tmp_path):
    (tmp_path / "a.csv").write_text(OPEN[where])
    with pytest.raises(
        FileError, match=rf"Line {LINES.get(where, 3)} of '.*a\.csv' opens a quote that is never closed"
    ):
        collect(tmp_path / "a.csv", "y")


def test_a_quote_left_open_in_a_column_that_is_not_read_is_one_too(size, tmp_path):
    text = "x,y,note\n" + "1,p,ok\n2,q,ok\n" * 60
    (tmp_path / "good.csv").write_text(text)
    model = NaiveBayes(kinds={"note": "ignore"}).fit(tmp_path / "good.csv", "y")
    (tmp_path / "bad.csv").write_text(text + '3,p,"5 inch\n' + text[9:])
    for asked in (model.predict, lambda path: model.predict_file(path, tmp_path / "out.csv")):
        with pytest.raises(FileError, match="Line 122 of"):
            asked(tmp_path / "bad.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("mark", ['5" disk', 'a "b" c', "it's"])
def test_quotes_within_a_cell_are_just_signs(mark, size, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + f"1,{mark}\n2,q\n" * 51)
    assert collect(tmp_path / "a.csv", "y").n == 102
    assert mark in collect(tmp_path / "a.csv", "y").classes


@pytest.mark.parametrize("between", ["3,p\n" * 4, "some words\n" * 12])
def test_a_cell_of_many_lines_is_noted_once_with_its_line(between, size, tmp_path):
    if size == "large" and len(between) > 100:
        formats.BLOCK = 400  # a row has to be in one block
    (tmp_path / "a.csv").write_text("x,y\n1,p\n2,q\n" + f'3,"p\n{between}4,q"\n' + "1,p\n2,q\n" * 60)
    with pytest.warns(FileHint, match=r"A cell that begins in line 4 of '.*a\.csv' has \d+ lines") as heard:
        summary = collect(tmp_path / "a.csv", "y")
    assert len([one for one in heard if one.category is FileHint]) == 1
    assert summary.n == 123


def test_a_few_lines_in_a_cell_are_nothing_to_tell(size, tmp_path):
    (tmp_path / "a.csv").write_text("x,y,note\n" + '1,p,"two\nlines"\n2,q,"three\n\nlines"\n' * 30)
    assert collect(tmp_path / "a.csv", "y", kinds={"note": "ignore"}).n == 60


# encodings

WESTERN = {
    "cp1252": "größe,stadt,y\n1,München,p\n2,Köln,q\n",
    "latin-1": "x,y\n1,café crème\n2,garçon\n3,señor\n",
    "cp1250": "x,y\n1,Škoda\n2,příliš žluťoučký\n",
    "shift-jis": "x,y\n1,カタカナ\n2,テーブル\n",
    "big5": "x,y\n1,國家許功蓋\n2,育成\n",
}


@pytest.mark.parametrize("encoding", WESTERN)
def test_what_is_not_chinese_is_not_read_as_chinese(encoding, tmp_path):
    text = WESTERN[encoding] + WESTERN[encoding].split("\n", 1)[1] * 20
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    with pytest.raises(
        FileError, match=r"text in neither UTF-8 nor GB18030, as far as can be told\. Name its encoding"
    ):
        collect(tmp_path / "a.csv", "y")
    table = pa.concat_tables(batches(tmp_path / "a.csv", encoding=encoding))
    assert table.column_names == text.split("\n")[0].split(",")
    assert set(table["y"].to_pylist()) == {line.split(",")[-1] for line in text.split("\n")[1:] if line}
    assert collect(tmp_path / "a.csv", "y", encoding=encoding).n == len(table)


@pytest.mark.parametrize("text", ["x,y\n1,是\n2,否\n", "编号,y\n1,朱镕基\n2,东京\n"])
def test_chinese_is_read_and_said(text, tmp_path):
    (tmp_path / "a.csv").write_bytes(text.encode("gb18030"))
    with pytest.warns(FileHint, match=r"a\.csv' is not in UTF-8 and is read as GB18030"):
        table = next(batches(tmp_path / "a.csv"))
    assert table["y"].to_pylist() == [line.split(",")[1] for line in text.split("\n")[1:3]]
    assert next(batches(tmp_path / "a.csv", encoding="GBK" if "朱" in text else "gb18030")).equals(table)  # and no word


@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-16", "utf-8-sig"]
)
@pytest.mark.parametrize("text", ["x,城\n1,北京\n2,上海\n", "x,y\n1,p\n2,q\n"])
@pytest.mark.filterwarnings("ignore:.*though it has no mark:suffice.errors.FileHint")
def test_wide_encodings_are_read_with_a_mark_and_without(encoding, text, tmp_path):
    (tmp_path / "a.csv").write_bytes((text * 1).encode(encoding))
    table = next(batches(tmp_path / "a.csv"))
    assert table.column_names == text.split("\n")[0].split(",")
    assert table.column(1).to_pylist() == [line.split(",")[1] for line in text.split("\n")[1:3]]


@pytest.mark.parametrize("name", ["nonsense", "base64", 7, "rot13"])
def test_an_encoding_that_there_is_not_is_refused(name, tmp_path):
    _labels(tmp_path / "a.csv", ["p", "q"])
    for asked in (
        lambda: batches(tmp_path / "a.csv", encoding=name),
        lambda: collect(tmp_path / "a.csv", "y", encoding=name),
    ):
        with pytest.raises(ParameterError, match="encoding must be the name of an encoding of text"):
            asked()


def test_a_wrong_encoding_says_the_line(tmp_path):
    (tmp_path / "a.csv").write_bytes("x,y\n1,p\n2,é\n".encode("latin-1"))
    with pytest.raises(FileError, match=r"Line 3 of '.*a\.csv' is no text in utf-8"):
        collect(tmp_path / "a.csv", "y", encoding="utf-8")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("broken", [b"\xff", b"\xe4\xb8", b"\xc3("])
def test_a_later_line_that_is_no_text_is_named(form, broken, long, tmp_path):
    row = {"csv": b"1,p\n", "jsonl": b'{"x": 1, "y": "p"}\n'}[form]
    bad = row.replace(b"p", b"q" + broken)
    (tmp_path / f"a.{form}").write_bytes((b"x,y\n" if form == "csv" else b"") + row * 200 + bad + row * 200)
    with pytest.raises(FileError, match=rf"Line {201 + (form == 'csv')} of '.*' is no text in UTF-8"):
        collect(tmp_path / f"a.{form}", "y")


# labels that read as missing


@pytest.mark.parametrize("text", ["NA", "null", "n/a"])
def test_class_names_that_read_as_missing_are_told(text, size, tmp_path):
    _labels(tmp_path / "a.csv", [text, "EU", "AS"], 40)
    with pytest.warns(
        FileHint, match=rf"40 of 120 rows of '.*' have no class: '{text}' in column 'y' is read as missing"
    ):
        NaiveBayes().fit(tmp_path / "a.csv", "y")
    named = collect(tmp_path / "a.csv", "y", classes=[text, "EU", "AS"])
    assert (named.n, named.classes) == (120, tuple(sorted([text, "EU", "AS"])))


def test_a_level_that_reads_as_missing_is_one_if_it_is_declared(size, tmp_path):
    rows = "".join(f"{text},{text},{'pq'[i % 2]}\n" for i, text in enumerate(["NA", "EU", ""] * 40))
    (tmp_path / "a.csv").write_text("place,other,y\n" + rows)
    summary = collect(tmp_path / "a.csv", "y", kinds={"place": ("categorical", ["NA", "EU"])})
    levels = {column.name: column.levels for column in summary.schema.columns}
    assert levels == {"place": ("EU", "NA"), "other": ("EU",)}


def test_quotes_around_texts_alone_say_that_they_are_texts(size, tmp_path):
    rows = "".join(f'{i},{text},"{"pq"[i % 2]}"\n' for i, text in enumerate(['"NA"', '"EU"', "NA", '""'] * 30))
    (tmp_path / "r.csv").write_text('"x","place","y"\n' + rows)  # as R writes them
    [column] = [c for c in collect(tmp_path / "r.csv", "y").schema.columns if c.name == "place"]
    assert column.levels == ("EU", "NA")
    nonnumeric = "".join(
        f'{i if i % 5 else chr(34) * 2},"{text}","{"pq"[i % 2]}"\n' for i, text in enumerate(["NA", "EU"] * 30)
    )
    (tmp_path / "python.csv").write_text('"x","place","y"\n' + nonnumeric)  # as Python may write them
    assert {column.name: column.kind for column in collect(tmp_path / "python.csv", "y").schema.columns}[
        "x"
    ] == "gaussian"
    every = "".join(f'"{i}","{text}","{"pq"[i % 2]}"\n' for i, text in enumerate(["NA", "EU", ""] * 30))
    (tmp_path / "every.csv").write_text('"x","place","y"\n' + every + '"","EU","p"\n')
    [column] = [c for c in collect(tmp_path / "every.csv", "y").schema.columns if c.name == "place"]
    assert column.levels == ("EU",)


@pytest.mark.parametrize("labels", [[None, "ZA", None, "ZA"], [np.nan, 1, 1, np.nan], ["?", "p", "p", "p"]])
def test_one_known_class_among_unknown_ones_is_refused(labels):
    unknown = "?" if "?" in labels else None
    with pytest.raises(UnknownLabelsError, match="The only class in y is"):
        NaiveBayes(unknown=unknown).fit({"x": [1.0, 2.0, 3.0, 4.0]}, labels)
    assert NaiveBayes().fit({"x": [1.0, 2.0, 3.0, 4.0]}, ["p"] * 4).classes_.tolist() == ["p"]


def test_one_known_class_of_a_file_is_refused_too(size, tmp_path):
    _labels(tmp_path / "a.csv", ["NA", "ZA"], 40)
    with pytest.warns(FileHint), pytest.raises(UnknownLabelsError, match="The only class in y is 'ZA'"):
        NaiveBayes().fit(tmp_path / "a.csv", "y")


# damaged and odd files


def test_a_stream_of_arrow_that_was_cut_is_refused(tmp_path):
    table = pa.table({"x": np.arange(60.0), "y": list("pq") * 30})
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        ends = []
        for batch in table.to_batches(max_chunksize=10):
            writer.write_batch(batch)
            ends.append(sink.tell())
    whole = (tmp_path / "a.arrow").read_bytes()
    assert collect(tmp_path / "a.arrow", "y").n == 60
    for end in ends:
        (tmp_path / "cut.arrow").write_bytes(whole[:end])
        with pytest.raises(FileError, match=r"cut\.arrow' is a stream of Arrow without the mark that ends one"):
            collect(tmp_path / "cut.arrow", "y")


def test_a_key_that_comes_late_is_told(long, tmp_path):
    rows = '{"x": 1, "y": "p"}\n{"x": 2, "y": "q"}\n' * 100
    (tmp_path / "a.jsonl").write_text(rows + '{"x": 3, "y": "p", "extra": 5}\n' + rows)
    with pytest.warns(FileHint, match=r"Line 201 of '.*a\.jsonl' has the key 'extra'") as heard:
        summary = collect(tmp_path / "a.jsonl", "y")
    assert summary.n == 401
    assert [one.category for one in heard].count(FileHint) == 1


BAD_JSON = {
    "a list": ('[{"x": 1, "y": "p"},\n{"x": 2, "y": "q"}]\n', "Line 1 .* no object of JSON"),
    "a broken line": ('{"x": 1, "y": "p"}\n{"x": 2, "y": \n{"x": 2, "y": "q"}\n', "Line [23] .* no object of JSON"),
    "a cut": ('{"x": 1, "y": "p"}\n{"x": 2, "y"', "Line 2 .* no object of JSON"),
    "another type": (
        '{"x": 1, "y": "p"}\n' * 60 + '{"x": "tall", "y": "q"}\n',
        "Column 'x' .*, line 61, holds \"tall\", but lines before it hold a number there",
    ),
}


@pytest.mark.parametrize("what", BAD_JSON)
def test_what_is_wrong_with_json_is_said_with_its_line(what, size, tmp_path):
    text, said = BAD_JSON[what]
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(FileError, match=said):
        collect(tmp_path / "a.jsonl", "y")


def test_a_line_that_is_too_long_is_named(long, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,p\n2,q\n" * 80 + f"3,{'r' * 1000}\n" + "1,p\n" * 80)
    with pytest.raises(FileError, match=r"Line 162 of '.*a\.csv' is longer than 150 bytes"):
        collect(tmp_path / "a.csv", "y")


HEADERS = {
    "commas in quoted names": '"Höhe, cm";"Breite, cm";y\n1;2;p\n3;4;q\n',
    "commas in names": "Höhe, cm;Breite, cm;y\n1,5;2,5;p\n3,5;4,5;q\n",
    "as many commas as tabs": "a, b\tc, d\ty\n1\t2\tp\n3\t4\tq\n",
    "bars": "a|b|y\n1|2|p\n3|4|q\n",
    "a line end in a name": '"a\nb",c,y\n1,2,p\n3,4,q\n',
    "a semicolon in a text": 'a,b,y\n1,2,"p;q"\n3,4,q\n',
}


@pytest.mark.parametrize("what", HEADERS)
def test_the_delimiter_is_what_parts_the_cells(what, tmp_path):
    (tmp_path / "a.csv").write_text(HEADERS[what])
    table = next(batches(tmp_path / "a.csv"))
    assert (table.num_columns, table.num_rows) == (3, 2)
    assert table.column_names[-1] == "y"


@pytest.mark.parametrize("cells", [["1,200", "2,5"], ["-0,5", "12,25"]])
def test_decimal_commas_are_hinted_at(cells, tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n" + "".join(f"{cell};{'pq'[i % 2]}\n" for i, cell in enumerate(cells * 9)))
    with pytest.warns(KindHint, match="Column 'x' holds texts such as .*, which look like numbers with decimal commas"):
        NaiveBayes().fit(tmp_path / "a.csv", "y")


# how much is read, and how often


def test_nothing_of_a_head_is_kept(tmp_path):
    for i in range(5):
        _labels(tmp_path / f"{i}.csv", ["p", "q"], 1000)
    from suffice.data.files import open_files
    from suffice.data.reading import Reading

    opened = open_files([tmp_path], Reading(label="y"))
    for file in opened.files:
        kept = [value for value in vars(file).values() if isinstance(value, bytes | pa.Table | pa.RecordBatch)]
        assert kept == []
        assert not any(isinstance(part, bytes) for part in file.head)


class Name(str):
    """A name of a column that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("columns", [100, 400])
def test_names_are_passed_over_a_few_times_whatever_their_number(columns):
    from types import SimpleNamespace

    from suffice.data.batches import refuse_absent
    from suffice.data.files import _common_names

    names = [Name(f"x{i}") for i in range(columns)]
    files = [SimpleNamespace(path="a", schema=SimpleNamespace(names=[Name(n) for n in names])) for _ in range(3)]
    Name.compared = 0
    assert len(_common_names(files)) == columns
    refuse_absent(names, [Name(n) for n in names])
    assert Name.compared < 20 * columns


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_a_quoted_cell_with_nothing_in_it_is_missing_in_wide_encodings_too(encoding, tmp_path):
    path = tmp_path / "t.tsv"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_bytes((mark + 'x\ty\n1.5\t"a b"\n""\t"a b"\n2.5\tc\n3\tc\n').encode(encoding))
    assert collect(path, "y").statistics.parts[0].alone().seen.tolist() == [[1.0], [2.0]]
