"""Text files as many programs write them: the model is that of their rows, and nothing of the user's is changed."""

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fuzz import oracle
from fuzz.budget import examples, quiet
from fuzz.oracle import Settings, UndeterminedError
from fuzz.tables import cases
from fuzz.text_files import beside, dialects
from suffice import NaiveBayes, collect
from suffice.errors import SufficeError

pytestmark = quiet

NUMBERS = [("gaussian", "number"), ("gaussian", "whole"), ("poisson", "whole")]
NAMES = ["身高", "x 1", "Weight (kg)", "größe"]
CLASSES = ["健康", "krank", "oui", "a b"]
CODES = [["0", "1", "2"], ["01", "1", "10"], ["+5", "5"], ["1e5", "100000"], ["true", "ja"]]  # of which no two are one


def spelled(cell):
    return "" if cell is None else repr(cell)


@st.composite
def files(draw, codes):
    """Numbers beside a label and a column that no model reads, as rows of texts."""
    case = draw(cases(NUMBERS, most=3, least=4))
    dialect = draw(dialects)
    labels = [codes[i % len(codes)] for i in draw(st.permutations(range(len(case.labels))))]
    note = draw(st.lists(beside.filter(dialect.fits), min_size=len(labels), max_size=len(labels)))
    names = [*NAMES[: len(case.columns)], "y", "note"]
    assume(all(map(dialect.fits, [*names, *labels])))
    rows = [[*(spelled(c.cells[i]) for c in case.columns), labels[i], note[i]] for i in range(len(labels))]
    return case, dialect, names, rows


def in_folder(dialect, names, rows):
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / f"表 é{dialect.ending}"
    path.write_bytes(dialect.written(names, rows))
    return folder, path


@examples(100)
@given(st.data())
def test_a_file_is_its_rows(data):
    case, dialect, names, rows = data.draw(files(CLASSES))
    settings = Settings(tuple(c.modelled() for c in case.columns), "ml", 1.0)
    kinds = {name: c.declaration for name, c in zip(names, case.columns, strict=False)} | {"note": "ignore"}
    labels = tuple(row[-2] for row in rows)
    renamed = tuple({name: cells[c.name] for name, c in zip(names, case.columns, strict=False)} for cells in case.cells)
    columns = tuple(oracle.Column(c.modelled().kind, (name,)) for name, c in zip(names, case.columns, strict=False))
    settings = Settings(columns, "ml", 1.0)
    known = oracle.Rows.of(renamed, labels, [1.0] * len(labels))
    folder, path = in_folder(dialect, names, rows)
    with folder:
        model = NaiveBayes(kinds=kinds, estimate="ml")
        try:
            expected = oracle.fit(known, settings)
        except UndeterminedError:
            with pytest.raises(SufficeError):
                model.fit(path, "y")
            return
        model.fit(path, "y")
        wanted = [expected.log_joint(cells) for cells in renamed]
        np.testing.assert_allclose(model.log_joint(path), wanted, rtol=1e-9, atol=1e-9)


@examples(60)
@given(st.data(), st.sampled_from(CODES))
def test_labels_are_as_many_as_there_are_texts(data, codes):
    """01 and 1 are two classes, and so are 1e5 and 100000."""
    _, dialect, names, rows = data.draw(files(codes))
    folder, path = in_folder(dialect, names, rows)
    with folder:
        found = collect(path, "y", kinds={name: "ignore" for name in names[1:] if name != "y"})
    assert sorted(map(str, found.classes)) == sorted({row[-2] for row in rows})


@examples(60)
@given(st.data())
def test_rows_come_out_as_they_went_in(data):
    """What stands beside the model's columns, and those too, cell by cell."""
    _, dialect, names, rows = data.draw(files(CLASSES))
    folder, path = in_folder(dialect, names, rows)
    with folder:
        x = np.array([0.5, 1, 2.25, 4, 3, 1, 2, 0, 5, 1, 3, 2])
        model = NaiveBayes().fit({names[0]: x}, ["a", "b"] * 6)
        goal = path.with_name("out.csv")
        before = path.read_bytes()
        model.predict_file(path, goal)
        assert path.read_bytes() == before
        found = list(csv.reader(io.StringIO(goal.read_text("utf-8-sig"), newline="")))
        assert found[0][: len(names)] == names
        assert [row[: len(names)] for row in found[1:]] == rows
