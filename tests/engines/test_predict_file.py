"""Answers into files: rows as they were, in order, beside what the model says of each; whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from engines.rows import KINDS, table
from suffice import ComplementNaiveBayes, LogisticClassifier, Mixture, NaiveBayes
from suffice.data import files, formats, writing
from suffice.errors import FileError, KindError, ParameterError, TableError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(formats, "BATCH_CELLS", 1300)  # 100 rows of 13 columns
    monkeypatch.setattr(formats, "BLOCK", 1 << 12)


@pytest.fixture
def frame():
    return table()


@pytest.fixture
def model(frame):
    return NaiveBayes(kinds=KINDS).fit(frame.drop(columns="weight"), "label")


def _parts(frame: pd.DataFrame, folder: Path) -> Path:
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[rows].to_parquet(folder / f"{i}.parquet", index=False)
    return folder


READERS = {
    "parquet": pd.read_parquet,
    "feather": pd.read_feather,
    "csv": pd.read_csv,
    "csv.gz": pd.read_csv,
    "tsv": lambda path: pd.read_csv(path, sep="\t"),
    "jsonl": lambda path: pd.read_json(path, lines=True),
}


@pytest.mark.parametrize("form", READERS)
def test_one_file_of_every_form(form, frame, model, tmp_path):
    target = tmp_path / f"scored.{form}"
    assert model.predict_file(_parts(frame, tmp_path / "new"), target) == [target]
    found = READERS[form](target)
    assert list(found.columns) == [*frame.columns, "class", *(f"P({name})" for name in model.classes_)]
    assert found["id"].tolist() == frame["id"].tolist()  # in order
    assert found["class"].tolist() == model.predict(frame).tolist()
    np.testing.assert_allclose(found.iloc[:, -3:].to_numpy(), model.predict_proba(frame), atol=1e-9)
    np.testing.assert_allclose(found["height"], frame["height"])
    assert found["town"].fillna("?").tolist() == frame["town"].fillna("?").tolist()


def test_a_folder_has_a_file_for_each(frame, model, tmp_path):
    source = _parts(frame, tmp_path / "new")
    pq.write_table(pa.Table.from_pandas(frame[:0]), source / "none.parquet")
    written = model.predict_file(str(source / "*.parquet"), tmp_path / "scored", proba=False, columns=["id"])
    assert [path.name for path in written] == ["0.parquet", "1.parquet", "2.parquet", "none.parquet"]
    assert sorted((tmp_path / "scored").iterdir()) == written
    found = pd.concat(map(pd.read_parquet, written[:3]))
    assert pd.read_parquet(written[3]).columns.tolist() == ["id", "class"]
    assert len(pd.read_parquet(written[3])) == 0
    assert found.columns.tolist() == ["id", "class"]
    assert found["class"].tolist() == model.predict(frame).tolist()
    assert pq.read_schema(written[0]).field("class").type == pa.string()
    model.predict_file(source, tmp_path / "scored")  # again, in the place of what is there
    assert pd.read_parquet(written[0]).shape[1] == frame.shape[1] + 4


def test_every_model_writes_what_it_says(frame, tmp_path):
    numbers = frame[["height", "身高 2", "label"]]
    numbers.to_csv(tmp_path / "new.csv", index=False)
    mixture = Mixture(2).fit(numbers[["height", "身高 2"]])
    logistic = LogisticClassifier().fit(numbers, "label")
    counts = ComplementNaiveBayes().fit({"a": [1, 2, 0], "b": [0, 1, 3]}, ["u", "u", "v"])
    mixture.predict_file(tmp_path / "new.csv", tmp_path / "out.csv")
    found = pd.read_csv(tmp_path / "out.csv")
    assert found["component"].tolist() == mixture.predict(numbers).tolist()
    np.testing.assert_allclose(found[["P(0)", "P(1)"]], mixture.predict_proba(numbers), atol=1e-9)
    logistic.predict_file(tmp_path / "new.csv", tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["class"].tolist() == logistic.predict(numbers).tolist()
    counts.predict_file(duckdb.sql("select 2 as a, 1 as b"), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == '"a","b","class"\n2,1,"u"\n'


def test_what_the_model_does_not_read_stays_as_it_is_written(tmp_path, monkeypatch):
    """Numbers of identifiers in a long file of text keep every digit, and names of ours give way to the user's."""
    monkeypatch.setattr(formats, "HEAD", 64)
    model = NaiveBayes().fit({"x": [1.0, 2.0, 3.0]}, ["a", "b", "a"])
    rows = [f"{12345678901234567890 + i},{i},z" for i in range(50)]
    (tmp_path / "new.csv").write_text("\n".join(["number,x,class", *rows]) + "\n")
    model.predict_file(tmp_path / "new.csv", tmp_path / "out.csv", proba=False)
    lines = (tmp_path / "out.csv").read_text().replace('"', "").splitlines()
    assert lines[0] == "number,x,class,class_"
    assert [line.rpartition(",")[0] for line in lines[1:]] == rows


FAULTS = {
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-40]), FileError, "2.parquet' cannot be read"),
    "odd type": (
        lambda path: pq.write_table(pa.Table.from_pandas(table().astype({"height": str, "weight": float})[:10]), path),
        KindError,
        "2.parquet', rows from 0 on: Column 'height' was modelled as gaussian but now holds text",
    ),
    "a column less": (
        lambda path: pq.write_table(pa.Table.from_pandas(table().drop(columns="wins")[:10]), path),
        TableError,
        "2.parquet', rows from 0 on: The table lacks 'wins'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_last_file_leaves_nothing(fault, frame, model, tmp_path):
    spoil, error, said = FAULTS[fault]
    source = _parts(frame, tmp_path / "new")
    spoil(source / "2.parquet")
    with pytest.raises(error, match=said):
        model.predict_file(source, tmp_path / "scored")
    assert not (tmp_path / "scored").exists()
    (tmp_path / "scored").mkdir()
    (tmp_path / "scored" / "0.parquet").write_text("as it was")
    with pytest.raises(error, match=said):
        model.predict_file(source, tmp_path / "scored")
    assert [path.read_text() for path in (tmp_path / "scored").iterdir()] == ["as it was"]


FULL = """
import resource, sys
from suffice import load
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # as a disk that has no more room
try:
    load(sys.argv[1]).predict_file(sys.argv[2], sys.argv[3])
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("form", ["parquet", "csv", "feather"])
def test_a_full_disk_leaves_what_was_there(form, frame, model, tmp_path):
    source, target = _parts(frame, tmp_path / "new"), tmp_path / f"out.{form}"
    model.save(tmp_path / "m.suffice")
    target.write_text("as it was")
    run = [sys.executable, "-c", FULL, str(tmp_path / "m.suffice"), str(source), str(target)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert f"out.{form}' could not be written, not even in part" in said
    assert target.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["new", "m.suffice", target.name])


def test_a_stop_by_the_user_leaves_nothing(frame, model, tmp_path, monkeypatch):
    source = _parts(frame, tmp_path / "new")

    def stopped(self, X, proba):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(model.model_), "answers", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.predict_file(source, tmp_path / "scored")
    assert not (tmp_path / "scored").exists()


def test_what_cannot_be_written_is_said(frame, model, tmp_path):
    source = _parts(frame, tmp_path / "new")
    with pytest.raises(ParameterError, match=r"would overwrite the input"):
        model.predict_file(source, source)
    other = _parts(frame, tmp_path / "more")
    with pytest.raises(ParameterError, match=r"0\.parquet' would overwrite each other"):
        model.predict_file([source, other], tmp_path / "scored")
    with pytest.raises(ParameterError, match="are written to one file; found the folder"):
        model.predict_file(pa.table({"x": [1.0]}).to_reader(), tmp_path)
    with pytest.raises(ParameterError, match="reads paths or a stream of Arrow; found DataFrame"):
        model.predict_file(frame, tmp_path / "out.csv")
    with pytest.raises(TableError, match="There is no column 'nothing'"):
        model.predict_file(source, tmp_path / "out.csv", columns=["nothing"])
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        model.predict_file(source, tmp_path / "nowhere" / "out.csv")
    nested = pa.table({"x": [1.0], "list": [[1, 2]]})
    pq.write_table(nested, tmp_path / "nested.parquet")
    plain = NaiveBayes().fit({"x": [1.0, 2.0, 3.0]}, ["a", "b", "a"])
    with pytest.raises(FileError, match=r"out\.csv' was not written: its format cannot hold one of the columns"):
        plain.predict_file(tmp_path / "nested.parquet", tmp_path / "out.csv")
    plain.predict_file(tmp_path / "nested.parquet", tmp_path / "out.jsonl", proba=False)
    assert (tmp_path / "out.jsonl").read_text() == '{"x": 1.0, "list": [1, 2], "class": "a"}\n'
    assert set(writing.WRITERS) == set(files.FORMATS)


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_no_link_leads_back_to_the_input(frame, model, tmp_path, link):
    source = _parts(frame, tmp_path / "rows") / "0.parquet"
    before, other = source.read_bytes(), tmp_path / "other.parquet"
    link(source, other)
    for read, written in ((source, other), (other, source), ([source], other)):
        with pytest.raises(ParameterError, match="would overwrite the input"):
            model.predict_file(read, written)
    assert source.read_bytes() == before


def test_answers_do_not_lie_among_the_rows_that_are_read(frame, model, tmp_path):
    source = _parts(frame, tmp_path / "rows")
    for read in (source, str(source / "*.parquet"), [source]):
        with pytest.raises(ParameterError, match="would lie among the files that are read"):
            model.predict_file(read, source / "answers.parquet")
    assert not (source / "answers.parquet").exists()
    assert model.predict_file(source, tmp_path / "answers.parquet") == [tmp_path / "answers.parquet"]
