"""Every engine, with every kind of column, missing cells and weights: the same summary, and the same models."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from engines.lazy import LAZY, OF_ARROW, arrow
from engines.rows import KINDS, table
from suffice import GaussianDiscriminant, NaiveBayes, QuadraticDiscriminant, collect, disclosed, suppressed
from suffice.engines import lazy_rows
from suffice.errors import KindError, ParameterError, TableError, UnknownLabelsError

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


SOME = {  # columns, and what is declared of them
    "numbers": (["height", "身高 2"], {}),
    "tallied": (["height", "few"], {}),
    "categories": (["town", "open"], {}),
    "binary": (["smoker"], {"smoker": "binary"}),
    "binomial": (["wins"], {"wins": ("binomial", 6)}),
    "poisson": (["visits"], {"visits": "poisson"}),
    "exponential": (["wait"], {"wait": "exponential"}),
    "log-gaussian": (["income"], {"income": "log-gaussian"}),
    "all": (None, KINDS),
}


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("missing", [False, True], ids=["whole", "holes"])
@pytest.mark.parametrize("some", SOME)
@pytest.mark.parametrize("where", ["engine", "here"])
@pytest.mark.parametrize("engine", LAZY)
def test_an_engine_says_what_memory_says(engine, where, some, missing, weighted):
    names, kinds = SOME[some]
    frame = table(missing=missing)
    frame = frame.drop(columns="weight") if not weighted else frame
    frame = frame if names is None else frame[[*names, "label", *(["weight"] if weighted else [])]]
    weight = "weight" if weighted else None
    for joint in (True, False):
        here = collect(frame, "label", sample_weight=weight, kinds=kinds, joint=joint)
        there = collect(LAZY[engine](frame), "label", sample_weight=weight, kinds=kinds, joint=joint, where=where)
        assert there == here
        assert there.schema == here.schema
    rows = frame.drop(columns=["label", *([weight] if weight else [])])
    one, other = (NaiveBayes.from_summary(summary).predict_proba(rows) for summary in (here, there))
    np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize("some", SOME)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("engine", LAZY)
def test_an_engine_knows_how_many_rows_are_behind_each_record(engine, joint, some):
    names, kinds = SOME[some]
    frame = table(missing=True).drop(columns="weight")
    frame = frame if names is None else frame[[*names, "label"]]
    here, there = (collect(rows, "label", kinds=kinds, joint=joint) for rows in (frame, LAZY[engine](frame)))
    said = [[(one.label, one.what, one.rows) for one in disclosed(found).records] for found in (here, there)]
    assert said[0] == said[1]
    assert suppressed(there, 12) == suppressed(here, 12)


@pytest.mark.parametrize("engine", LAZY)
def test_models_of_lazy_frames_are_those_of_memory(engine):
    frame = table().drop(columns="weight")
    rows = frame.drop(columns="label")
    for model in (NaiveBayes(kinds=KINDS), GaussianDiscriminant(kinds=KINDS), QuadraticDiscriminant(kinds=KINDS)):
        here = model.fit(frame, "label").predict_proba(rows)
        there = type(model)(kinds=KINDS).fit(LAZY[engine](frame), "label")
        np.testing.assert_allclose(there.predict_proba(rows), here, atol=1e-9)
        np.testing.assert_allclose(there.predict_proba(LAZY[engine](rows)), here, atol=1e-9)


@pytest.mark.parametrize("engine", LAZY)
def test_sorted_rows_whose_classes_lie_far_apart_keep_their_digits(engine):
    """The first rows say nothing of the second class, 1e7 standard deviations away."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 12_000), rng.normal(1e7, 1, 500), np.full(100, 3e6)])
    y = 0.5 * x + rng.normal(size=len(x))
    frame = pd.DataFrame({"x": x, "y": y, "label": ["a"] * 12_000 + ["b"] * 500 + ["c"] * 100})
    for joint in (True, False):
        here, there = (collect(some, "label", joint=joint) for some in (frame, LAZY[engine](frame)))
        assert there == here
        assert there.moments().covariances[2, 0, 0] == 0.0  # a column that does not vary in a class


@pytest.mark.parametrize("engine", LAZY)
def test_types_that_engines_have(engine):
    """Integers whose products would overflow, floats of 32 bits, decimals, NaN beside NULL, and levels of an Enum."""
    rng = np.random.default_rng(1)
    large = pa.array(rng.integers(3_000_000_000, 4_000_000_000, 400))
    small = pa.array((1e4 + rng.normal(size=400)).astype(np.float32))
    cells = [float("nan") if i % 7 == 0 else None if i % 11 == 0 else i / 3 for i in range(400)]
    holes = pa.array(cells, from_pandas=False)
    label = pa.array([i % 3 for i in range(400)])
    rows = pa.table({"large": large, "small": small, "holes": holes, "label": label})
    assert collect(OF_ARROW[engine](rows), "label") == collect(rows, "label")


def test_questions_of_many_columns_are_asked_in_parts(monkeypatch):
    monkeypatch.setattr(lazy_rows, "MOST", 7)
    frame = table().drop(columns="weight")
    assert collect(pl.LazyFrame(arrow(frame)), "label", kinds=KINDS) == collect(frame, "label", kinds=KINDS)


def test_more_columns_than_a_number_has_bits():
    rng = np.random.default_rng(2)
    cells = rng.normal(size=(300, 65))
    cells[:5, [3, 40, 64]] = np.nan
    frame = pd.DataFrame(cells, columns=[f"x{j}" for j in range(65)]).assign(label=np.arange(300) % 2)
    assert collect(duckdb.from_arrow(arrow(frame)), "label") == collect(frame, "label")


def test_what_cannot_be_summed_there_comes_here():
    frame = table(missing=False)[["visits", "wins", "label"]]
    lazy = pl.LazyFrame(arrow(frame))
    assert collect(lazy, "label", kinds="counts") == collect(frame, "label", kinds="counts")
    assert collect(lazy, "label", pairs=True) == collect(frame, "label", pairs=True)
    with pytest.raises(ParameterError, match=r"does not sum columns of the kind counts\. Use where='here'"):
        collect(lazy, "label", kinds="counts", where="engine")
    with pytest.raises(ParameterError, match="does not count pairs of columns"):
        collect(lazy, "label", pairs=True, where="engine")
    with pytest.raises(ParameterError, match="where='engine' is only for lazy frames; found DataFrame"):
        collect(frame, "label", where="engine")
    with pytest.raises(ParameterError, match="where='there' is not known; use one of here, engine"):
        collect(lazy, "label", where="there")


@pytest.mark.parametrize("engine", LAZY)
def test_what_is_wrong_with_rows_elsewhere_is_said(engine):
    frame = table(missing=False)[["wait", "income", "label", "weight"]]
    lazy = LAZY[engine]
    with pytest.raises(TableError, match="There is no column 'nothing'"):
        collect(lazy(frame), "nothing")
    with pytest.raises(ParameterError, match="by the names of their columns"):
        collect(lazy(frame), frame["label"])
    with pytest.raises(TableError, match="no rows"):
        collect(lazy(frame[:0]), "label")
    odd = frame.assign(label=frame["label"].mask(frame.index == 3))
    with pytest.raises(UnknownLabelsError, match="here every row needs its class"):
        collect(lazy(odd), "label")
    for name, kind, value, said in (
        ("wait", "exponential", -1.0, r"Negative values in data: column 'wait' holds -1; expected 0 or more"),
        ("income", "log-gaussian", 0.0, r"column 'income' holds 0; expected more than 0"),
        ("wait", "gaussian", np.inf, r"Infinite or too large numbers in data: column 'wait' holds inf"),
    ):
        spoiled = frame.copy()
        spoiled.loc[5, name] = value
        with pytest.raises(KindError, match=said):
            collect(lazy(spoiled), "label", kinds={name: kind})
    for weight in (-1.0, np.inf, None):
        spoiled = frame.astype({"weight": object})
        spoiled.loc[5, "weight"] = weight
        with pytest.raises(ParameterError, match="sample_weight must be finite and 0 or more"):
            collect(lazy(spoiled.astype({"weight": float})), "label", sample_weight="weight")
    with pytest.raises(ParameterError, match="All rows have weight zero"):
        collect(lazy(frame.assign(weight=0.0)), "label", sample_weight="weight")
