"""Rows in batches: from whatever file or stream, summaries, models and answers are those of memory."""

import gzip
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import suffice
from engines.rows import KINDS, table
from suffice import (
    BayesDecision,
    LinearDiscriminant,
    LogisticClassifier,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    collect,
)
from suffice.data import files, formats
from suffice.data.batches import open_batches
from suffice.errors import FileError, KindError, KindHint, MissingExtraError, ParameterError, TableError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(formats, "BATCH_CELLS", 1300)  # 100 rows of 13 columns
    monkeypatch.setattr(formats, "BLOCK", 1 << 12)


def _arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def _stream_format(frame: pd.DataFrame, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, _arrow(frame).schema) as writer:
        writer.write_table(_arrow(frame), max_chunksize=50)


WRITERS = {
    "parquet": lambda frame, path: pq.write_table(_arrow(frame), path, row_group_size=150),
    "feather": lambda frame, path: pyarrow.feather.write_feather(_arrow(frame), path, chunksize=80),
    "arrow": _stream_format,
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "csv.zst": lambda frame, path: pa.CompressedOutputStream(str(path), "zstd").write(_csv(frame)),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True, double_precision=15),
}


def _csv(frame: pd.DataFrame, encoding: str = "utf-8") -> bytes:
    return frame.to_csv(index=False).encode(encoding)


def _in_parts(frame: pd.DataFrame, folder: Path, form: str) -> str:
    """Three files, which end within a batch."""
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        WRITERS[form](frame.iloc[rows], folder / f"part-{i}.{form}")
    return str(folder / f"*.{form}")


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
def test_files_of_every_form_say_what_memory_says(form, missing, tmp_path):
    frame = table(missing=missing)
    source = _in_parts(frame, tmp_path, form)
    for weights in (None, "weight"):
        here = frame if weights else frame.drop(columns="weight")
        kinds = KINDS if weights else KINDS | {"weight": "ignore"}
        expected = collect(here, "label", sample_weight=weights, kinds=KINDS)
        assert collect(source, "label", sample_weight=weights, kinds=kinds) == expected


STREAMS = {
    "reader": lambda frame: _arrow(frame).to_reader(70),
    "relation": lambda frame: duckdb.from_arrow(_arrow(frame)),
    "cursor": lambda frame: duckdb.connect().execute("select * from frame"),
    "dataset": lambda frame: pyarrow.dataset.dataset(_arrow(frame)),
}


@pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result:UserWarning")
@pytest.mark.parametrize("stream", STREAMS)
def test_streams_of_arrow_say_what_memory_says(stream):
    frame = table()
    expected = collect(frame, "label", sample_weight="weight", kinds=KINDS)
    assert collect(STREAMS[stream](frame), "label", sample_weight="weight", kinds=KINDS) == expected


def test_small_record_batches_come_together_and_large_ones_do_not_wait(monkeypatch):
    few, other = pa.record_batch({"x": [1.0, 2.0]}), pa.record_batch({"y": ["a"]})
    many = pa.record_batch({"x": np.arange(9.0)})
    monkeypatch.setattr(files, "BATCH_CELLS", 16)
    handed = [few, few[:0], few, many, few, other, many, many]
    found = list(files.as_tables(iter(handed)))
    assert [len(table) for table in found] == [4, 9, 2, 1, 9, 9]
    assert pa.concat_tables(table for table in found if table.column_names == ["x"])["x"].to_pylist() == [
        x for batch in handed if batch.schema.names == ["x"] for x in batch["x"].to_pylist()
    ]


MODELS = {
    "naive Bayes": NaiveBayes(kinds=KINDS),
    "linear": LinearDiscriminant(kinds=dict.fromkeys([*KINDS, "town", "open"], "ignore")),
    "quadratic": QuadraticDiscriminant(kinds=KINDS),
    "tree": TreeAugmentedBayes(kinds=KINDS),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_files_are_those_of_memory(name, tmp_path):
    frame, model = table(), MODELS[name]
    source = _in_parts(frame, tmp_path, "parquet")
    here = clone(model).fit(frame, "label", sample_weight="weight")
    there = clone(model).fit(source, "label", sample_weight="weight")
    features = frame.drop(columns=["label", "weight"])
    np.testing.assert_allclose(there.predict_proba(features), here.predict_proba(features), atol=1e-10)
    assert list(there.feature_names_in_) == list(here.feature_names_in_)
    np.testing.assert_allclose(there.predict_proba(source), there.predict_proba(features), rtol=1e-12)
    np.testing.assert_array_equal(there.predict(source), there.predict(features))
    assert there.score(source, "label", sample_weight="weight") == here.score(frame, "label", sample_weight="weight")
    again = clone(model).partial_fit(source, "label", sample_weight="weight")
    again.partial_fit(source, "label", sample_weight="weight")
    assert again.summary_ == here.summary_ + here.summary_


def test_other_faces_take_files_too(tmp_path):
    frame = table(missing=False)[["height", "wait", "town", "label"]]
    source = _in_parts(frame, tmp_path, "csv")
    features, losses = frame.drop(columns="label"), {"a": {"坏": 0, "good": 1, "it's": 1}, "b": 0.4}
    for model in (BayesDecision(NaiveBayes(), loss=losses), LogisticClassifier()):
        here, there = model.fit(features, frame["label"]), clone(model).fit(source, "label")
        np.testing.assert_allclose(there.predict_proba(source), here.predict_proba(features), atol=1e-8)
        assert there.score(source, "label") == pytest.approx(here.score(features, frame["label"]))
    found = suffice.leave_one_out(NaiveBayes(), source, "label")
    assert found.accuracy == suffice.leave_one_out(NaiveBayes(), frame, "label").accuracy


def test_only_the_columns_that_are_needed_are_read(tmp_path, monkeypatch):
    frame, seen = table(), []
    pq.write_table(_arrow(frame), tmp_path / "a.parquet")
    reads = formats.Parquet.record_batches

    def noted(file, columns, types):
        seen.append(columns)
        return reads(file, columns, types)

    monkeypatch.setattr(formats.Parquet, "record_batches", noted)
    ignored = {name: "ignore" for name in frame.columns if name not in ("height", "town", "label")}
    model = NaiveBayes(kinds=ignored).fit(tmp_path / "a.parquet", "label")
    assert seen[-1] == ("height", "town", "label")  # after a look at the head
    model.predict(tmp_path / "a.parquet")
    assert seen[-1] == ("height", "town")


def test_text_that_comes_as_codes_declares_no_levels(tmp_path):
    """A type that lists categories has them declared; text in Parquet has not, though it is read as codes."""
    frame = pd.DataFrame({"town": ["a", "b", "c", "a"], "label": ["u", "u", "v", "v"], "w": [1, 1, 0, 1]})
    pq.write_table(_arrow(frame), tmp_path / "a.parquet")
    summary = collect(tmp_path / "a.parquet", "label", sample_weight="w")
    [column] = summary.schema.columns
    assert (column.levels, column.declared) == (("a", "b"), ())


def test_paths_are_globs_folders_lists_and_pathlib(tmp_path):
    frame = table()
    pattern = _in_parts(frame, tmp_path, "parquet")
    expected = collect(pattern, "label", kinds=KINDS)
    files = sorted(tmp_path.glob("*.parquet"))
    for source in (tmp_path, files, [str(files[0]), tmp_path / "part-[12].parquet"]):
        assert collect(source, "label", kinds=KINDS) == expected
    tables = list(suffice.batches(pattern, ["town"]))
    assert [name for one in tables for name in one.column_names] == ["town"] * len(tables)
    assert pa.concat_tables(tables).num_rows == len(frame)
    assert open_batches(pattern).rows == len(frame)


@pytest.mark.filterwarnings("ignore:.*is read as GB18030:suffice.errors.FileHint")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_csv_in_the_encodings_people_have(encoding, delimiter, tmp_path):
    columns = {"色泽": ["青绿", "乌黑", None, "浅白"] * 30, "密度": [0.5, 0.25, 0.125, None] * 30}
    frame = pd.DataFrame({**columns, "好瓜": ["是", "否"] * 60})
    text = frame.to_csv(index=False, sep=delimiter).encode(encoding)
    (tmp_path / "瓜.csv").write_bytes(text)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(text))
    for name in ("瓜.csv", "packed.csv.gz"):
        assert collect(tmp_path / name, "好瓜") == collect(frame, "好瓜")


def test_a_line_may_break_within_a_cell(tmp_path):
    (tmp_path / "a.csv").write_text('x,label\n"two\nlines",a\none,b\n')
    assert collect(tmp_path / "a.csv", "label").schema.columns[0].levels == ("one", "two\nlines")


def test_types_of_text_are_those_of_all_heads_and_of_a_schema(tmp_path, monkeypatch):
    """A first file in which a column is all missing, whole numbers that turn out to have fractions."""
    (tmp_path / "1.csv").write_text("x,t,label\n1,,a\n2,,b\n")
    (tmp_path / "2.csv").write_text("x,t,label\n1.5,red,a\n2,blue,b\n")
    frame = pd.DataFrame({"x": [1, 2, 1.5, 2], "t": [None, None, "red", "blue"], "label": list("abab")})
    assert collect([tmp_path / "1.csv", tmp_path / "2.csv"], "label") == collect(frame, "label")
    with pytest.raises(KindError, match="differ in t"):
        collect(tmp_path / "1.csv", "label") + collect(tmp_path / "2.csv", "label")
    second = collect(tmp_path / "2.csv", "label")
    first = collect(tmp_path / "1.csv", "label", schema=second)
    assert first + second == collect(frame, "label")
    assert collect(frame[:2], "label", schema=second.schema) == first
    monkeypatch.setattr(formats, "HEAD", 20)
    (tmp_path / "3.csv").write_text("x,label\n1,a\n2,b\n2.5,a\n")
    assert collect(tmp_path / "3.csv", "label").n == 3


def test_an_empty_type_of_one_parquet_file_is_that_of_the_others(tmp_path):
    for name, cells in (("1", pa.nulls(2)), ("2", pa.array(["red", "blue"]))):
        pq.write_table(pa.table({"t": cells, "label": ["a", "b"]}), tmp_path / f"{name}.parquet")
    frame = pd.DataFrame({"t": [None, None, "red", "blue"], "label": list("abab")})
    assert collect(tmp_path, "label") == collect(frame, "label")


def test_batches_of_no_weight_and_files_of_no_rows_say_nothing(tmp_path):
    frame = table(missing=False).drop(columns="id")
    kinds = {name: kind for name, kind in KINDS.items() if name != "id"}
    frame.loc[:299, "weight"] = 0.0
    _in_parts(frame, tmp_path, "parquet")
    pq.write_table(_arrow(frame.iloc[:0]), tmp_path / "part-9.parquet")
    expected = collect(frame.iloc[300:], "label", sample_weight="weight", kinds=kinds)
    assert collect(tmp_path, "label", sample_weight="weight", kinds=kinds) == expected
    with pytest.raises(TableError, match="no batches to collect from, or all of their rows have weight zero"):
        collect([frame[:300]], "label", sample_weight="weight", kinds=kinds)


@pytest.mark.parametrize("kinds", [KindError, FileError], ids=["parquet", "csv"])
def test_a_batch_that_does_not_fit_says_where(kinds, tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "HEAD", 200)
    frame = pd.DataFrame({"x": np.arange(300) / 7, "label": ["a", "b", "c"] * 100})
    odd = frame.astype({"x": object})
    odd.loc[250, "x"] = "tall"
    if kinds is FileError:
        frame.to_csv(tmp_path / "1.csv", index=False)
        odd.to_csv(tmp_path / "2.csv", index=False)
        said = r"Column 'x' of '.*2\.csv', line 252, holds 'tall', but its other rows hold numbers\. Correct the cell"
    else:
        pq.write_table(_arrow(frame), tmp_path / "1.parquet")
        pq.write_table(_arrow(odd.astype({"x": str})), tmp_path / "2.parquet")
        said = r"In '.*2\.parquet', rows from 0 on: Column 'x' was modelled as gaussian but now holds text"
    with pytest.raises(kinds, match=said):
        collect(tmp_path, "label")


def test_what_is_no_file_is_said(tmp_path):
    pq.write_table(pa.table({"x": np.arange(1e4), "label": ["a", "b"] * 5000}), tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-30])
    damaged = bytearray(whole)
    damaged[100:40000] = bytes(39900)
    (tmp_path / "holes.parquet").write_bytes(damaged)
    for name in ("cut", "holes"):
        with pytest.raises(FileError, match=f"{name}.parquet' cannot be read; it is damaged, or not what"):
            collect(tmp_path / f"{name}.parquet", "label")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(FileError, match=r"empty\.csv' cannot be read"):
        collect(tmp_path / "empty.csv", "label")
    (tmp_path / "a.xls").write_text("")
    with pytest.raises(FileError, match=r"has an unknown file extension\. Known extensions are \.parquet"):
        collect(tmp_path / "a.xls", "label")
    (tmp_path / "strange.csv").write_bytes(b"x,label\n\xff\xff,a\n")
    with pytest.raises(FileError, match="text in neither UTF-8 nor GB18030"):
        collect(tmp_path / "strange.csv", "label")
    with pytest.raises(FileNotFoundError, match=r"There is no file 'nowhere/\*\.csv'"):
        collect("nowhere/*.csv", "label")
    pq.write_table(pa.table({"x": [1.0], "z": [2.0], "label": ["a"]}), tmp_path / "more.parquet")
    with pytest.raises(FileError, match=r"more\.parquet' has 'z', which .* does not have"):
        collect([tmp_path / "a.parquet", tmp_path / "more.parquet"], "label")
    with pytest.raises(FileError, match=r"a\.parquet' lacks 'z', which '.*more\.parquet' has"):
        collect([tmp_path / "more.parquet", tmp_path / "a.parquet"], "label")


def test_what_is_asked_of_a_source_must_be_there(tmp_path):
    pq.write_table(pa.table({"x": [1.0, 2.0], "label": ["a", "b"]}), tmp_path / "a.parquet")
    with pytest.raises(TableError, match="There is no column 'y'; the table has 'x', 'label'"):
        collect(tmp_path / "a.parquet", "y")
    with pytest.raises(ParameterError, match="by the names of their columns"):
        collect(tmp_path / "a.parquet", ["a", "b"])
    with pytest.raises(ParameterError, match="schema must be a summary, or the schema of one; found str"):
        collect(tmp_path / "a.parquet", "label", schema="x")
    summary = collect(tmp_path / "a.parquet", "label")
    with pytest.raises(ParameterError, match="leave out kinds and counts, or the schema"):
        collect(tmp_path / "a.parquet", "label", schema=summary, kinds="gaussian")
    with pytest.raises(TableError, match="found DataFrame, which is not a source of batches"):
        suffice.batches(pl.DataFrame({"x": [1]}))
    reader = pa.table({"x": [1.0, 2.0], "label": ["a", "b"]}).to_reader()
    stream = open_batches(reader)
    assert collect(stream, "label") == summary
    with pytest.raises(TableError, match="can be read only once"):
        collect(stream, "label")


def test_without_pyarrow_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x,label\n1,a\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"needs pyarrow, .* pip install 'suffice\[arrow\]'") as caught:
        collect(tmp_path / "a.csv", "label")
    assert isinstance(caught.value, ImportError)


def test_hints_are_told_once_for_all_batches(tmp_path):
    pattern = _in_parts(table(), tmp_path, "parquet")
    with pytest.warns(KindHint) as heard:
        NaiveBayes(kinds=KINDS).fit(pattern, "label")
    assert len(heard) == 1


LIGHT = """
import sys
from suffice import NaiveBayes, collect
collect({"x": [1.0, 2.0, 4.0], "t": ["a", "b", "a"]}, ["u", "v", "u"])
there = {name.partition(".")[0] for name in sys.modules}
print(*sorted(there & {"duckdb", "dask", "distributed", "pyspark", "polars", "ibis"}))
"""  # pyarrow comes with pandas, which scikit-learn imports where it is there


def test_nothing_is_imported_before_it_is_needed():
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", LIGHT], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
