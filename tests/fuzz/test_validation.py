"""Validation of any rows: labels hidden or known, weights of any size, is what refitting says, or an error of ours."""

import contextlib
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fuzz.budget import examples, quiet
from suffice import (
    Calibrated,
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    TreeAugmentedBayes,
    collect,
    compare,
    cross_validate,
    evaluate,
    leave_one_out,
    tune,
)
from suffice.errors import HiddenLabelsError, LostDigitsWarning, SufficeError

pytestmark = quiet

MODELS = [
    NaiveBayes(),
    NaiveBayes(estimate="map", smoothing=0.5, priors="uniform"),
    NaiveBayes(kinds={"n": "poisson", "g": "categorical"}),
    LinearDiscriminant(estimate="map"),
    GaussianDiscriminant(estimate="map", shape="diagonal"),
    TreeAugmentedBayes(estimate="map"),
]
NUMERIC = (LinearDiscriminant, GaussianDiscriminant)
EXPONENTS = st.integers(-3, 9)


@st.composite
def tables(draw, hidden=True):
    """Three numbers, a count and a category; a class for each row, some of them hidden; weights of any size."""
    seed, rows = draw(st.integers(0, 2**32 - 1)), draw(st.integers(12, 40))
    rng = np.random.default_rng(seed)
    y = rng.integers(0, draw(st.integers(2, 3)), rows)
    table = {
        "a": rng.normal(size=rows) + y,
        "b": rng.normal(size=rows) * 10.0 ** draw(st.integers(-6, 6)),
        "n": rng.poisson(2 + y).astype(float),
        "g": rng.choice(list("uvw"), rows),
    }
    if draw(st.booleans()):
        table["a"][rng.random(rows) < 0.1] = np.nan
    labels = [f"k{k}" for k in y]
    if hidden:
        labels = [None if unknown else name for name, unknown in zip(labels, rng.random(rows) < 0.3, strict=True)]
    return table, labels, rng


@st.composite
def weights_of_any_size(draw, rows):
    """From a thousandth to a thousand million, whole or not, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = sorted((draw(EXPONENTS), draw(EXPONENTS)))
    found = 10.0 ** rng.uniform(low, high, rows)
    if draw(st.booleans()):
        found = np.ceil(found)
    found[rng.random(rows) < 0.1] = 0.0
    return found


def columns_for(model, table):
    """Whole numbers only of a kind that is declared: by itself it is that of all rows, whatever rows are left out."""
    own = {name: cells for name, cells in table.items() if name in ("a", "b") or not isinstance(model, NUMERIC)}
    return own if model.kinds else {name: cells for name, cells in own.items() if name != "n"}


def without(table, rows):
    return {name: cells[rows] for name, cells in table.items()}


@examples(40)
@given(st.data(), st.sampled_from(MODELS))
def test_folds_over_hidden_labels_are_refits(data, model):
    """Each row by the model of the other folds, rows without a label among them."""
    table, labels, rng = data.draw(tables())
    table, labels = columns_for(model, table), np.array(labels, dtype=object)
    folds = rng.integers(0, 3, len(labels))
    known = {label for label in labels if label}
    enough = all((folds == f).any() and {label for label in labels[folds != f] if label} == known for f in range(3))
    assume(enough and len(known) > 1 and None in labels)
    try:
        found = cross_validate(model, table, labels.tolist(), folds=folds)
    except SufficeError:
        return
    for f in range(3):
        fitted = type(model)(**model.get_params()).fit(without(table, folds != f), labels[folds != f].tolist())
        expected = fitted.predict_proba(without(table, folds == f))
        np.testing.assert_allclose(found.posterior[folds == f], expected, rtol=1e-6, atol=1e-6)


@examples(40)
@given(st.data(), st.sampled_from(MODELS))
def test_every_validation_takes_hidden_labels_or_says_why_not(data, model):
    table, labels, _ = data.draw(tables())
    table = columns_for(model, table)
    assume(None in labels and len({label for label in labels if label}) > 1)
    with pytest.raises((HiddenLabelsError, SufficeError)):
        leave_one_out(model, table, labels)
    calls = (
        lambda: compare([model], table, labels, folds=3),
        lambda: tune(model, table, labels, over=["smoothing"], folds=3),
        lambda: Calibrated(model).fit(table, labels).predict_proba(table),
        lambda: evaluate(type(model)(**model.get_params()).fit(table, labels), table, labels),
    )
    for judged in calls:
        with contextlib.suppress(SufficeError):  # an error of ours, which says something, is an answer
            judged()


@examples(60)
@given(st.data(), st.sampled_from(MODELS))
def test_rows_of_any_weight_left_out_are_refits(data, model):
    table, labels, _ = data.draw(tables(hidden=False))
    table = columns_for(model, table)
    weights = data.draw(weights_of_any_size(len(labels)))
    there = np.flatnonzero(weights)
    counts = {name: sum(labels[i] == name for i in there) for name in set(labels)}
    assume(min(counts.values()) > 4)
    try:
        found = leave_one_out(model, table, labels, sample_weight=weights)
    except SufficeError:
        return
    for row in there[:6].tolist():
        rest = np.array([i for i in there if i != row])
        fresh = type(model)(**model.get_params())
        try:
            fitted = fresh.fit(without(table, rest), [labels[i] for i in rest], weights[rest])
        except SufficeError:
            continue
        if isinstance(model, TreeAugmentedBayes) or any(
            name in table and set(table[name][rest]) < set(table[name][there]) for name in ("g", "n")
        ):
            continue  # the tree, and the levels, are those of all rows
        expected = fitted.predict_proba(without(table, [row]))[0]
        np.testing.assert_allclose(found.posterior[row], expected, rtol=1e-5, atol=1e-6)


@examples(60)
@given(st.data(), st.booleans())
def test_summaries_of_any_weights_come_off_again(data, whole):
    """What was added can be taken away; where floats have no digits left for that, a warning says so."""
    table, labels, rng = data.draw(tables(hidden=False))
    weights = data.draw(weights_of_any_size(len(labels)))
    weights = np.ceil(weights) if whole else weights
    mine = rng.random(len(labels)) < 0.5
    assume(weights[mine].any() and weights[~mine].any())
    names = list(labels)

    def summary(rows):
        return collect(without(table, rows), [names[i] for i in np.flatnonzero(rows)], sample_weight=weights[rows])

    a, b = summary(mine), summary(~mine)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rest = (a + b) - b
        lost = any(issubclass(w.category, LostDigitsWarning) for w in told)
    assert rest.classes == a.classes or set(a.classes) <= set(rest.classes)
    if not lost:
        mass = dict(zip(rest.classes, rest.statistics.weight, strict=True))
        for name, weight in zip(a.classes, a.statistics.weight, strict=True):
            np.testing.assert_allclose(mass[name], weight, rtol=1e-9)
