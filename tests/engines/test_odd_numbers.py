"""Tiny and huge numbers, and weights that are none: an engine says what memory says, or refuses what memory refuses."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from engines.lazy import LAZY, OF_ARROW, arrow
from suffice import NaiveBayes, collect
from suffice.errors import KindError, ParameterError, SufficeError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
SCALES = [1e-312, 1e-200, 1e-160, 1e-120, 1e-80, 1e80, 1e120, 1e148, 1e151, 1e154, 1e200, 1e307]


def said(rows, **options):
    """The summary, or the type of the error."""
    try:
        return collect(rows, "y", **options)
    except SufficeError as error:
        return type(error)


def scaled(by, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.integers(1, 9, 40) * by, "z": rng.normal(size=40), "y": ["p", "q"] * 20})


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("kind", ["gaussian", "exponential", "log-gaussian"])
def test_numbers_of_any_size_are_those_of_memory(engine, kind):
    for by in SCALES:
        for joint in (True, False):
            frame = scaled(by)
            here = said(frame, kinds={"x": kind}, joint=joint)
            assert said(LAZY[engine](frame), kinds={"x": kind}, joint=joint) == here, by


@pytest.mark.parametrize("engine", LAZY)
def test_numbers_too_small_for_squares_do_not_seem_constant(engine):
    frame = scaled(1e-180)
    for rows in (frame, LAZY[engine](frame)):
        with pytest.raises(KindError, match=r"Column 'x' holds numbers of at most 8e-180.* multiply it by a power of"):
            NaiveBayes().fit(rows, "y")
    still = frame.assign(x=3e-180)  # a column that does not vary is another matter
    assert collect(LAZY[engine](still), "y") == collect(still, "y")


def test_a_query_of_tiny_numbers_is_refused_as_its_rows_are():
    query = duckdb.sql("SELECT -i * 1e-170 AS x, cos(i) AS z, (i % 3)::VARCHAR AS y FROM range(60) r(i)")
    with pytest.raises(KindError, match="too small for a float"):
        collect(query, "y")


@pytest.mark.parametrize("columns", [["x"], ["x", "z", "t"]], ids=["one", "several"])
@pytest.mark.parametrize("weight", [float("nan"), -0.5, float("inf"), -float("inf"), None])
@pytest.mark.parametrize("engine", LAZY)
def test_a_weight_that_is_none_is_refused(engine, weight, columns):
    frame = scaled(1.0).assign(t=["a", "b", "c", "d"] * 10)[[*columns, "y"]]
    weights = pa.array([*[1.0] * 25, weight, *[1.0] * 14], from_pandas=False)  # where NaN is not NULL
    held = arrow(frame).append_column("w", weights)
    for where in ("engine", "here"):
        with pytest.raises(ParameterError, match="sample_weight must be"):
            collect(OF_ARROW[engine](held), "y", sample_weight="w", where=where)


@pytest.mark.parametrize("engine", LAZY)
def test_weights_that_are_no_numbers_are_refused(engine):
    frame = scaled(1.0).assign(w=["1"] * 40)
    with pytest.raises(ParameterError, match="sample_weight must be one number for each row; column 'w' holds String"):
        collect(LAZY[engine](frame), "y", sample_weight="w")


@pytest.mark.parametrize("engine", LAZY)
def test_labels_of_minus_zero_are_those_of_zero(engine):
    frame = pd.DataFrame({"x": np.arange(12.0) ** 1.5, "y": [0.0, -0.0, -1.0] * 4})
    assert collect(LAZY[engine](frame), "y") == collect(frame, "y")
