"""Any rows, in the clothes of any library, give what the textbook says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from fuzz import oracle
from fuzz.budget import examples, quiet
from fuzz.oracle import Settings, UndeterminedError
from fuzz.tables import NATURAL, cases, dressed, labels_in, weights_in
from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    leave_one_out,
)
from suffice.errors import SufficeError

pytestmark = quiet

estimates = st.sampled_from(["ml", "unbiased"])
amounts = st.sampled_from([0.0, 0.5, 1.0, 3.0])
priors = st.sampled_from([None, "uniform", "smoothed"])


@st.composite
def settings_for(draw, case, declared):
    columns = tuple(c.modelled(declared.get(c.name, ())) for c in case.columns)
    return Settings(columns, draw(estimates), draw(amounts), draw(priors), draw(st.sampled_from(["prior", "ignore"])))


def kinds_of(case, table, data):
    """Kinds by the names that the table has; those that types say may be left out of it."""
    leave_out = data.draw(st.booleans()) and table.names == tuple(c.name for c in case.columns)
    return {
        name: c.declaration
        for c, name in zip(case.columns, table.names, strict=True)
        if not (leave_out and (c.kind, c.type) in NATURAL and not of_few_values(c, case))
    }


def of_few_values(column, case):
    """Whether numbers may be taken for categories."""
    cells = {cell for cell, _ in case.rows.observed(column.name)}
    return column.kind == "gaussian" and len(cells) <= 10 and all(cell % 1 == 0 for cell in cells)


def model_of(settings, kinds):
    options = {"estimate": settings.estimate, "smoothing": settings.smoothing, "priors": settings.priors}
    return NaiveBayes(kinds=kinds, unseen=settings.unseen, **options)


def assert_same(found, expected):
    expected = np.array(expected, dtype=float)
    np.testing.assert_array_equal(np.isneginf(found), np.isneginf(expected))
    there = ~np.isneginf(expected)
    np.testing.assert_allclose(np.asarray(found)[there], expected[there], rtol=1e-9, atol=1e-9)


@examples(300)
@given(st.data(), cases())
def test_naive_bayes_of_any_table(data, case):
    table = data.draw(dressed(case.columns))
    settings = data.draw(settings_for(case, table.declared))
    model = model_of(settings, kinds_of(case, table, data))
    y, weights = data.draw(labels_in(case.labels)), data.draw(weights_in(case.weights))
    try:
        expected = oracle.fit(case.rows, settings)
    except UndeterminedError:
        with pytest.raises(SufficeError, match="not determined"):
            model.fit(table.X, y, weights)
        return
    model.fit(table.X, y, weights)
    assert model.classes_.tolist() == list(expected.classes)
    assert list(map(type, model.classes_.tolist())) == list(map(type, expected.classes))
    again = data.draw(dressed(case.columns))
    assert_same(model.log_joint(again.X), [expected.log_joint(cells) for cells in case.cells])
    assert_same(model.predict_proba(again.X), [expected.posterior(cells) for cells in case.cells])


@examples(100)
@given(st.data(), cases())
def test_a_row_left_out_is_a_fit_without_it(data, case):
    """Classes, levels and the columns that vary stay as they are; a class that loses its last row is impossible."""
    table = data.draw(dressed(case.columns))
    settings = replace(data.draw(settings_for(case, table.declared)), unseen="prior")
    alone = {label for label in case.rows.labels if case.rows.labels.count(label) == 1}
    settings = replace(settings, priors=None) if alone else settings  # declared priors would need a prior predictive
    model = model_of(settings, kinds_of(case, table, data))
    y, weights = data.draw(labels_in(case.labels)), data.draw(weights_in(case.weights))
    if len(set(case.rows.labels)) == 1:  # whatever the columns say, or cannot say, of one class
        return
    try:
        expected = oracle.leave_one_out(case.rows, settings)
    except UndeterminedError:
        with pytest.raises(SufficeError, match="not determined"):
            leave_one_out(model, table.X, y, sample_weight=weights)
        return
    found = leave_one_out(model, table.X, y, sample_weight=weights)
    there = [i for i, weight in enumerate(case.weights) if weight]
    assert_same(found.posterior[there], [posterior for posterior, _ in expected])


NUMBERS = [("gaussian", "number"), ("gaussian", "whole")]
DISCRIMINANTS = {
    "full": lambda shared: LinearDiscriminant if shared else QuadraticDiscriminant,
    "diagonal": lambda shared: LinearDiscriminant if shared else QuadraticDiscriminant,
    "spherical": lambda shared: NearestMean if shared else QuadraticDiscriminant,
}


@examples(100)
@given(st.data(), st.sampled_from(list(DISCRIMINANTS)), st.booleans(), st.booleans())
def test_discriminants_of_any_table(data, shape, shared, general):
    case = data.draw(cases(NUMBERS, most=3, holes=shape != "full", least=4))
    table = data.draw(dressed(case.columns))
    together = oracle.Column("joint", tuple(c.name for c in case.columns))
    settings = Settings((together,), data.draw(estimates), 1.0, data.draw(priors), shape=shape, shared=shared)
    options = {"estimate": settings.estimate, "priors": settings.priors}
    model = DISCRIMINANTS[shape](shared)(**options)
    if general or "shape" not in model.get_params():
        model = GaussianDiscriminant(shape, shared, **options)
    else:
        model.set_params(shape=shape)
    y, weights = data.draw(labels_in(case.labels)), data.draw(weights_in(case.weights))
    try:
        expected = oracle.fit(case.rows, settings)
    except UndeterminedError:
        with pytest.raises(SufficeError, match="not determined"):
            model.fit(table.X, y, weights)
        return
    model.fit(table.X, y, weights)
    again = data.draw(dressed(case.columns))
    assert_same(model.log_joint(again.X), [expected.log_joint(cells) for cells in case.cells])
    assert_same(model.predict_proba(again.X), [expected.posterior(cells) for cells in case.cells])
    if len(case.rows.labels) > len(set(case.rows.labels)) * 3 and settings.priors is None:
        _left_out(model, case, settings, table, y, weights)


def _left_out(model, case, settings, table, y, weights):
    try:
        expected = oracle.leave_one_out(case.rows, settings)
    except UndeterminedError:
        with pytest.raises(SufficeError, match="not determined"):
            leave_one_out(model, table.X, y, sample_weight=weights)
        return
    found = leave_one_out(model, table.X, y, sample_weight=weights)
    there = [i for i, weight in enumerate(case.weights) if weight]
    assert_same(found.posterior[there], [posterior for posterior, _ in expected])


WORDS = [("poisson", "whole")]
SPARSE = [
    *(
        lambda x, kind=kind: kind(x)
        for kind in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array)
    ),
    *(
        lambda x, kind=kind: kind(x)
        for kind in (sparse.csr_matrix, sparse.dok_array, sparse.dia_array, sparse.bsr_array)
    ),
    lambda x: sparse.csr_array(x.astype(np.int32)),
    lambda x: _twice(x),
]


def _twice(x):
    """Every entry in two halves, and every zero said aloud."""
    rows, columns = np.indices(x.shape)
    entries = np.concatenate([x.ravel() / 2, x.ravel() / 2])
    return sparse.coo_array((entries, (np.tile(rows.ravel(), 2), np.tile(columns.ravel(), 2))), x.shape)


@examples(60)
@given(st.data(), cases(WORDS, holes=False))
def test_counts_dense_or_sparse(data, case):
    names = tuple(c.name for c in case.columns)
    settings = Settings((oracle.Column("counts", names),), data.draw(estimates), data.draw(amounts), data.draw(priors))
    X = np.array([c.cells for c in case.columns], dtype=float).T
    given = data.draw(st.sampled_from(SPARSE))(X) if data.draw(st.booleans()) else data.draw(dressed(case.columns)).X
    y, weights = data.draw(labels_in(case.labels)), data.draw(weights_in(case.weights))
    model = model_of(settings, "counts").fit(given, y, weights)
    expected = oracle.fit(case.rows, settings)
    assert_same(model.log_joint(given), [expected.log_joint(cells) for cells in case.cells])
