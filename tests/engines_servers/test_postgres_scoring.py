"""PostgreSQL answers what Python answers, and stands what is odd."""

import numpy as np
import pytest

from scoring_agreement import agree, close
from scoring_cases import CASES
from scoring_checks import CHECKS, check_nothing_is_ever_read_as_sql
from suffice import NaiveBayes
from suffice.errors import NoFormulaError


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_model_says_the_same_in_postgres(case, postgres):
    assert agree(case, postgres) == list(case.outputs)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sql_in_postgres(check, postgres):
    check(postgres)


def test_backslashes_are_safe_however_the_server_reads_them(postgres):
    """With standard_conforming_strings off, a backslash in a plain text escapes the quote that should end it."""
    postgres.connection.execute("SET standard_conforming_strings = off")
    postgres.connection.execute("SET escape_string_warning = off")
    check_nothing_is_ever_read_as_sql(postgres)


def test_columns_of_other_types_that_postgres_has(postgres):
    """Text padded to its length, enumerations, exact numbers, single precision."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    columns = {
        "padded": np.array(["a", "bc"])[(y + rng.integers(0, 2, 60)) % 2].tolist(),
        "mood": np.array(["sad", "glad"])[(y + rng.integers(0, 2, 60)) % 2].tolist(),
        "exact": rng.normal(y, 1.0).round(2).tolist(),
        "single": rng.normal(y, 1.0).astype(np.float32).astype(float).tolist(),
        "whole": rng.integers(0, 100, 60).astype(float).tolist(),
    }
    model = NaiveBayes().fit(columns, y)
    postgres.rows("CREATE TYPE mood AS ENUM ('sad', 'glad', 'unheard of')")
    postgres.rows("CREATE TABLE t (id int, padded char(4), mood mood, exact numeric, single real, whole smallint)")
    for i, row in enumerate(zip(*columns.values(), strict=True)):
        postgres.connection.execute("INSERT INTO t VALUES (%s, %s, %s, %s, %s, %s)", [i, *row])
    close([row[1:] for row in sorted(postgres.rows(model.to_sql("postgres", "t", "id")))], model.predict_proba(columns))
    postgres.rows("DROP TABLE t")
    postgres.rows("DROP TYPE mood")


def test_more_columns_than_a_query_has_are_refused():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=20).tolist() for j in range(1700)}
    model = NaiveBayes().fit(columns, np.arange(20) % 2)
    with pytest.raises(NoFormulaError, match="has at most 1664 columns; this model needs 170"):
        model.to_sql("postgres", "t", "id")
