"""What must hold for any mixed table with missing cells, weights and classes: how the rows come in does not matter,
and neither do order, names, types or the size of the blocks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from suffice import NaiveBayes

ESTIMATES = ["map", "predictive"]  # these are determined by any rows at all
CELLS = {
    "gaussian": st.integers(-80, 80).map(lambda eighths: eighths / 8),
    "categorical": st.sampled_from(["青绿", "乌黑", "b", "🍉"]),
    "binary": st.integers(0, 1),
    "poisson": st.integers(0, 20),
    "exponential": st.integers(0, 80).map(lambda eighths: eighths / 8),
}
KINDS = {kind: kind for kind in CELLS}  # a column of each kind, named after it
NUMERIC = [kind for kind in CELLS if kind != "categorical"]
WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)  # which takes a minute
examples = settings(max_examples=50, deadline=None, phases=WITHOUT_EXPLAINING, derandomize=True)
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")


def cases(least=1):
    """A table as a dict of columns, and labels."""
    return st.integers(least, 12).flatmap(lambda rows: st.tuples(tables(rows), lists(st.sampled_from("abc"), rows)))


def tables(rows):
    return st.fixed_dictionaries({kind: lists(st.none() | cell, rows) for kind, cell in CELLS.items()})


def lists(cells, rows):
    return st.lists(cells, min_size=rows, max_size=rows).map(lambda drawn: np.array(drawn, dtype=object))


@st.composite
def weighted_cases(draw, weights, least=1):
    table, labels = draw(cases(least))
    return table, labels, draw(lists(weights, len(labels))).astype(float)


@st.composite
def batches(draw, rows):
    """The rows, shuffled and dealt out."""
    order = draw(st.permutations(range(rows)))
    cuts = draw(st.lists(st.integers(1, rows - 1), unique=True, max_size=4)) if rows > 1 else []
    return np.split(np.array(order), sorted(cuts))


def taken(table, rows):
    return {name: cells[rows] for name, cells in table.items()}


def model(estimate="map", smoothing=1.0, **options):
    return NaiveBayes(**{"kinds": KINDS, "estimate": estimate, "smoothing": smoothing} | options)


def assert_same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


fractions = st.integers(1, 12).map(lambda quarters: quarters / 4)
estimates = st.sampled_from(ESTIMATES)
amounts = st.sampled_from([0.0, 0.5, 1.0])


@examples
@given(st.data(), weighted_cases(fractions), estimates, amounts)
def test_batches_in_any_order_are_one_fit(data, case, estimate, smoothing):
    table, labels, weights = case
    parts = model(estimate, smoothing)
    for rows in data.draw(batches(len(labels))):
        parts.partial_fit(taken(table, rows), labels[rows], sample_weight=weights[rows])
    whole = model(estimate, smoothing).fit(table, labels, sample_weight=weights)
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert_same(parts.log_joint(table), whole.log_joint(table))


@examples
@given(st.data(), cases(), estimates, amounts)
def test_rows_in_any_order(data, case, estimate, smoothing):
    table, labels = case
    order = np.array(data.draw(st.permutations(range(len(labels)))))
    shuffled = model(estimate, smoothing).fit(taken(table, order), labels[order])
    assert_same(shuffled.log_joint(table), model(estimate, smoothing).fit(table, labels).log_joint(table))


@examples
@given(cases(), estimates, st.permutations(list(CELLS)), st.permutations(list(CELLS)))
def test_columns_in_any_order(case, estimate, first, second):
    table, labels = case
    shuffled = model(estimate).fit({name: table[name] for name in first}, labels)
    found = shuffled.log_joint({name: table[name] for name in second})
    assert_same(found, model(estimate).fit(table, labels).log_joint(table))


@examples
@given(weighted_cases(st.integers(0, 3)).filter(lambda case: case[2].any()), estimates, amounts)
def test_whole_weights_are_repetition(case, estimate, smoothing):
    table, labels, weights = case
    again = np.repeat(np.arange(len(labels)), weights.astype(int))
    ours = model(estimate, smoothing, unseen="ignore").fit(table, labels, sample_weight=weights)
    theirs = model(estimate, smoothing, unseen="ignore").fit(taken(table, again), labels[again])
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert_same(ours.log_joint(table), theirs.log_joint(table))


@examples
@given(cases(), estimates, st.permutations([3, 7, 11]))
def test_classes_by_other_names(case, estimate, numbers):
    table, labels = case
    other = np.array([numbers["abc".index(label)] for label in labels])
    ours, theirs = model(estimate).fit(table, labels), model(estimate).fit(table, other)
    moved = [theirs.classes_.tolist().index(numbers["abc".index(label)]) for label in ours.classes_]
    assert_same(ours.predict_proba(table), theirs.predict_proba(table)[:, moved])


@examples
@given(cases(), estimates, st.sampled_from([0.5, 1.0]), st.sampled_from([None, "uniform", "smoothed"]))
def test_posteriors_are_probabilities(case, estimate, smoothing, priors):
    table, labels = case
    fitted = model(estimate, smoothing, priors=priors).fit(table, labels)
    posterior = fitted.predict_proba(table)
    assert np.isfinite(fitted.log_joint(table)).all()
    assert (posterior >= 0).all()
    assert_same(posterior.sum(axis=1), 1.0)


LAYOUTS = [
    lambda x: x.astype(np.float32),
    lambda x: np.asfortranarray(x.astype(np.float32)),
    np.asfortranarray,
    lambda x: np.repeat(x, 2, axis=0)[::2],
    lambda x: x[:, ::-1].copy()[:, ::-1],
    lambda x: {f"x{j}": x[:, j] for j in range(x.shape[1])},
    lambda x: pd.DataFrame(x.astype(np.float32), columns=[f"x{j}" for j in range(x.shape[1])]),
]


@examples
@given(cases(), estimates, st.sampled_from(LAYOUTS))
def test_types_and_layout_do_not_matter(case, estimate, laid_out):
    table, labels = case
    X = np.stack([table[kind] for kind in NUMERIC], axis=1).astype(float)
    kinds = {f"x{j}": kind for j, kind in enumerate(NUMERIC)}
    ours = model(estimate, kinds=kinds).fit(laid_out(X), labels)
    assert_same(ours.log_joint(laid_out(X)), model(estimate, kinds=kinds).fit(X, labels).log_joint(X), 1e-12)


@examples
@given(weighted_cases(fractions), estimates, amounts, st.sampled_from([1, 7, 13]))
def test_blocks_of_any_size(case, estimate, smoothing, cells):
    table, labels, weights = case
    expected = model(estimate, smoothing).fit(table, labels, sample_weight=weights).log_joint(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("suffice.arrays.BLOCK_CELLS", cells)
        found = model(estimate, smoothing).fit(table, labels, sample_weight=weights).log_joint(table)
    assert_same(found, expected)


@examples
@given(st.data(), weighted_cases(fractions, least=2), estimates, amounts)
def test_rows_taken_away(data, case, estimate, smoothing):
    """As if never seen: their classes and categories are gone too, where no other row has them."""
    table, labels, weights = case
    some, *rest = data.draw(batches(len(labels)).filter(lambda parts: len(parts) > 1))
    learned = model(estimate, smoothing, unseen="ignore").fit(table, labels, sample_weight=weights)
    gone, left = (summary(case, rows) for rows in (some, np.concatenate(rest)))
    found, expected = (type(learned).from_summary(rows, **own(learned)) for rows in (learned.summary_ - gone, left))
    assert_same(found.log_joint(table), expected.log_joint(table), 1e-8)


def own(model):
    return model.get_params(deep=False)


def summary(case, rows):
    table, labels, weights = case
    return model().fit(taken(table, rows), labels[rows], sample_weight=weights[rows]).summary_


@pytest.mark.filterwarnings("ignore::suffice.errors.LostDigitsWarning")  # a row that was collected with others
@pytest.mark.parametrize("far, left", [(0.125, 0.0), (1e6, 0.3), (1e6, 0.0), (-7.3, 0.1)])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_what_is_left_may_be_constant(far, left, estimate):
    """Rounding that a row leaves behind when it goes is no variance."""
    table, labels, weights = {"gaussian": np.array([far, left, left])}, np.array(["a", "a", "b"]), np.array([1, 2, 1.0])
    options = {"kinds": {"gaussian": "gaussian"}, "estimate": estimate}
    learned = NaiveBayes(**options).fit(table, labels, sample_weight=weights)
    gone = NaiveBayes(**options).fit(taken(table, [0]), labels[:1]).summary_
    expected = np.log([[2 / 3, 1 / 3]] * 3)
    rest = NaiveBayes.from_summary(learned.summary_ - gone, **options)
    assert_same(rest.log_joint(table), expected)
