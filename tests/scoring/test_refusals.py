"""What SQL cannot say is refused, with the reason; and engines' own ways of reading cells."""

import datetime
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import suffice
from databases import DuckDb, Sqlite
from scoring_agreement import answers, close
from suffice import BayesDecision, LogisticClassifier, MarginClassifier, NaiveBayes
from suffice.errors import LossError, NoDensityError, NoFormulaError, ParameterError

COLUMNS = {"a": [0.1, 0.4, 1.2, 1.9, 2.2, 0.3], "b": ["x", "y", "x", "y", "y", "x"]}
LABELS = ["no", "no", "yes", "yes", "yes", "no"]


@pytest.fixture(scope="module")
def model():
    return NaiveBayes().fit(COLUMNS, LABELS)


def test_odd_arguments(model):
    for wrong, message in [
        ({"dialect": "oracle"}, "dialect='oracle' is not known; use one of duckdb, postgres, sqlite"),
        ({"output": "odds"}, "output='odds' is not known; use one of proba, log_joint, class, action"),
        ({"table": 3}, "table must be the name of a table, or .*; found 3"),
        ({"table": ""}, "A name in SQL must not be empty"),
        ({"key": []}, "key must be the name of the column that identifies rows.*; found \\[\\]"),
        ({"key": "a\0b"}, "or contain NUL; found 'a\\\\x00b'"),
    ]:
        with pytest.raises(ParameterError, match=message):
            model.to_sql(**{"dialect": "duckdb", "table": "t", "key": "id", **wrong})
    with pytest.raises(LossError, match="are only for output='action'; found output='proba'"):
        model.to_sql("duckdb", "t", "id", reject=0.1)
    with pytest.raises(LossError, match="not both"):
        model.to_sql("duckdb", "t", "id", "action", loss={"go": 1}, reject=0.1)
    with pytest.raises(LossError, match="The loss has the classes"):
        model.to_sql("duckdb", "t", "id", "action", loss={"go": {"maybe": 1}})


def test_a_model_that_has_not_learned_says_so():
    for unfitted in (NaiveBayes(), LogisticClassifier(), BayesDecision(NaiveBayes())):
        with pytest.raises(Exception, match="not fitted"):
            unfitted.to_sql("duckdb", "t", "id")


def test_values_that_sql_has_no_literal_for(model):
    with pytest.raises(NoFormulaError, match=r"found datetime.date\(2020, 1, 1\) of type date. Turn the column"):
        model.to_sql("duckdb", "t", "id", "action", loss={datetime.date(2020, 1, 1): 1})
    with pytest.raises(NoFormulaError, match="that contains NUL cannot be written"):
        NaiveBayes().fit({"b": ["x\0", "y"] * 3}, LABELS).to_sql("sqlite", "t", "id")


def test_outputs_that_a_model_has_not():
    numbers = {"a": COLUMNS["a"]}
    for model in (LogisticClassifier().fit(numbers, LABELS), BayesDecision(NaiveBayes()).fit(numbers, LABELS)):
        with pytest.raises(NoDensityError):
            model.to_sql("duckdb", "t", "id", "log_joint")
    with pytest.raises(ParameterError, match="A margin is not a probability"):
        MarginClassifier().fit(numbers, LABELS).to_sql("duckdb", "t", "id")
    stranger = BayesDecision(LogisticRegression()).fit(np.array([COLUMNS["a"]]).T, LABELS)
    with pytest.raises(NoFormulaError, match="classifiers of suffice; found LogisticRegression"):
        stranger.to_sql("duckdb", "t", "id")


def test_angles_that_are_too_many_waves():
    angles = {"w": [0.0, 0.01, 0.02, np.pi, 3.13, 0.03]}  # which nearly cancel
    sharp = NaiveBayes(kinds={"w": ("von-mises", 500.0)}, estimate="predictive").fit(angles, LABELS)
    with pytest.raises(NoFormulaError, match="as a sum of 64 waves"):
        sharp.to_sql("duckdb", "t", "id")
    NaiveBayes(kinds={"w": ("von-mises", 500.0)}, estimate="map").fit(angles, LABELS).to_sql("duckdb", "t", "id")


def test_a_parent_that_is_missing_in_a_tree_leaves_no_answer_only_in_trees_with_too_many_levels(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    first = np.array(["u", "v"])[(y + rng.integers(0, 2, 60)) % 2].tolist()
    columns = {"first": first, "second": [{"u": "p", "v": "q"}[value] for value in first]}
    model = suffice.TreeAugmentedBayes(root="first").fit(columns, y)
    rows = {"first": [None, "u", None], "second": ["p", None, None]}
    with closing(Sqlite()) as engine:
        close(answers(engine, model, rows), model.predict_proba(rows))
        monkeypatch.setattr("suffice.families.tree.formula.MOST", 1)
        found = answers(engine, model, rows)
    assert found[0] == [None, None]
    close(found[1:], model.predict_proba(rows)[1:])


def test_files_are_scored_as_the_model_they_hold(model, tmp_path):
    model.save(tmp_path / "m.suffice")
    assert suffice.load(tmp_path / "m.suffice").to_sql("postgres", "t", "id") == model.to_sql("postgres", "t", "id")


def test_a_text_among_numbers_of_sqlite_leaves_no_answer(model):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (id INTEGER, a, b)")
    database.executemany(
        "INSERT INTO t VALUES (?, ?, ?)", [(0, 0.5, "x"), (1, "half", "x"), (2, b"0.5", "x"), (3, 1, "x")]
    )
    found = {key: share for key, share, _ in database.execute(model.to_sql("sqlite", "t", "id"))}
    database.close()
    assert found[1] is found[2] is None
    close([found[0], found[3]], model.predict_proba({"a": [0.5, 1.0], "b": ["x", "x"]})[:, 0])


def test_a_column_that_is_not_there_is_an_error_and_no_text(model):
    """SQLite takes a quoted name of no column for a text, unless it is that of a table's column."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (id INTEGER, a REAL)")
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: t\.b"):
        database.execute(model.to_sql("sqlite", "t", "id"))
    database.close()


def test_letters_count_also_where_a_column_ignores_case(model):
    """'X' is a level never seen, whatever the collation of the column."""
    wanted = model.predict_proba({"a": [0.5, 0.5], "b": ["x", "X"]})
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (id INTEGER, a REAL, b TEXT COLLATE NOCASE)")
    database.executemany("INSERT INTO t VALUES (?, ?, ?)", [(0, 0.5, "x"), (1, 0.5, "X")])
    close([row[1:] for row in sorted(database.execute(model.to_sql("sqlite", "t", "id")))], wanted)
    database.close()
    engine = DuckDb()
    engine.rows("CREATE TABLE t (id INTEGER, a DOUBLE, b VARCHAR COLLATE NOCASE)")
    engine.rows("INSERT INTO t VALUES (0, 0.5, 'x'), (1, 0.5, 'X')")
    close([row[1:] for row in sorted(engine.rows(model.to_sql("duckdb", "t", "id")))], wanted)
    engine.close()


def test_columns_of_other_types_that_duckdb_has(model):
    engine = DuckDb()
    engine.rows("CREATE TYPE letter AS ENUM ('x', 'y', 'z')")
    engine.rows("CREATE TABLE t (id INTEGER, a DECIMAL(6, 3), b letter)")
    engine.rows("INSERT INTO t VALUES (0, 0.5, 'x'), (1, 1.25, 'z'), (2, NULL, NULL)")
    wanted = model.predict_proba({"a": [0.5, 1.25, None], "b": ["x", "z", None]})
    close([row[1:] for row in sorted(engine.rows(model.to_sql("duckdb", "t", "id")))], wanted)
    engine.close()
