"""Averages of one-dependence models: against Weka, against a loop over parents, and exactly left out."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.base import clone

import suffice
from suffice import (
    AveragedOneDependence,
    BayesDecision,
    NaiveBayes,
    collect,
    compare,
    cross_validate,
    explain,
    leave_one_out,
    load,
    plots,
    tune,
)
from suffice.errors import ParameterError, SufficeError, UnseenCategoryError
from suffice.families.gaussian.family import Gaussian
from suffice.families.memberships import memberships

LEVELS = {"a": ["x", "y", "z"], "b": ["u", "v"], "c": ["p", "q", "r", "s"]}
KINDS = {name: ("categorical", levels) for name, levels in LEVELS.items()}
CLASSES = ["I", "II", "III"]


@pytest.mark.parametrize(
    ("name", "table"), [("watermelon_discrete", "watermelon3_english"), ("zoo", "Zoo_categorical")]
)
@pytest.mark.parametrize("least", [1, 30])
def test_weka(reference, data, name, table, least):
    found, columns = reference(f"tan_aode_{name}")["aode"], data(table)
    label, order = {
        "zoo": ("type", ["mammal", "bird", "reptile", "fish", "amphibian", "insect", "mollusc.et.al"]),
        "watermelon_discrete": ("melon", ["good", "bad"]),
    }[name]
    y = columns.pop(label)
    X = {
        column: [str(cell) for cell in cells] for column, cells in columns.items() if column not in ("density", "sugar")
    }
    model = AveragedOneDependence(min_count=least, kinds="categorical").fit(X, y)
    places = [model.classes_.tolist().index(name) for name in order]
    np.testing.assert_allclose(
        model.predict_proba(X)[:, places], found[f"m{least}_posterior_weka"], rtol=1e-9, atol=1e-12
    )
    own = np.asarray(found[f"m{least}_joint_own"], dtype=float)
    if not np.isnan(own).all():
        np.testing.assert_allclose(np.exp(model.log_joint(X))[:, places], own, rtol=1e-9)


# a loop over parents


def random_table(seed, rows=40, numbers=2, holes=0.15):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    table = {}
    for j, (name, levels) in enumerate(LEVELS.items()):
        codes = (rng.integers(0, len(levels), rows) * (rng.random(rows) < 0.6) + y + j) % len(levels)
        cells = np.array(levels, dtype=object)[codes]
        table[name] = np.where(rng.random(rows) < holes, None, cells)
    for j in range(numbers):
        cells = rng.normal(size=rows) + y * (j + 1) + (table["a"] == "x")
        table[f"n{j}"] = np.where(rng.random(rows) < holes, np.nan, cells)
    return table, np.array(CLASSES)[y], rng.integers(0, 3, rows) * 0.5 + 0.5


def in_a_loop(table, y, weights, rows, smoothing, least, priors):
    """Ln P(class, row) by the printed formulas, of tables as dicts of columns."""
    learned = len(y)
    numbers = [name for name in table if name.startswith("n")]
    shares = np.array([weights[y == c].sum() + smoothing for c in CLASSES])
    smoothed = np.log(shares / shares.sum()) if priors is None else np.log(priors)

    def mass(label, cells):
        """Of the rows of a class that have these cells; None is any that is there."""
        here = y == label
        for name, cell in cells.items():
            here = here & np.array([held is not None and cell in (None, held) for held in table[name]])
        return weights[here].sum()

    def categories(c, row, given):
        """Σ ln P of the categories of a row, given the class and cells."""
        total = 0.0
        for name in LEVELS:
            if name not in given and row[name] is not None:
                size = len(LEVELS[name]) + (row[name] not in LEVELS[name])
                hits, among = mass(c, given | {name: row[name]}), mass(c, given | {name: None})
                total += np.log((hits + smoothing) / (among + smoothing * size))
        return total

    def gaussians(row, parent):
        """(K,) of the numbers, by the family itself, from the rows of each class and level."""
        total = np.zeros(len(CLASSES))
        levels = LEVELS[parent] if parent else [None]
        codes = (
            np.array([levels.index(v) if v is not None else -1 for v in table[parent]])
            if parent
            else np.zeros(learned, int)
        )
        labels = np.array([CLASSES.index(c) for c in y])
        for name in numbers:
            if not np.isnan(row[name]):
                family = Gaussian(1)
                who = memberships(
                    np.where(codes >= 0, labels * len(levels) + codes, -1), len(CLASSES) * len(levels), weights
                )
                statistics = family.statistics(np.asarray(table[name], dtype=float)[:, None], who)
                prior = family.weak_given(statistics, len(levels)) if parent else family.weak(statistics)
                logs = prior.after(statistics).predictive().log_density(np.array([[row[name]]]))[0]
                total += logs.reshape(len(CLASSES), len(levels))[:, levels.index(row[parent]) if parent else 0]
        return total

    out = []
    for n in range(len(next(iter(rows.values())))):
        row = {name: cells[n] for name, cells in rows.items()}
        votes = []
        for parent, levels in LEVELS.items():
            level = row[parent]
            if level not in levels or sum(mass(c, {parent: level}) for c in CLASSES) < least - 1e-9:
                continue
            whole = sum(mass(c, {parent: None}) for c in CLASSES)
            first = []
            for k, c in enumerate(CLASSES):
                hits, among = mass(c, {parent: level}) + smoothing, whole + smoothing * len(CLASSES) * len(levels)
                if priors is not None:
                    among *= (shares / shares.sum())[k] / priors[k]
                first.append(np.log(hits / among))
            children = np.array([categories(c, row, {parent: level}) for c in CLASSES])
            votes.append(np.array(first) + children + gaussians(row, parent))
        if votes:
            out.append(logsumexp(votes, axis=0) - np.log(len(votes)))
        else:
            out.append(smoothed + [categories(c, row, {}) for c in CLASSES] + gaussians(row, None))
    return np.array(out)


PRIORS = [None, "uniform", [0.2, 0.3, 0.5]]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.5, 1.0]), st.sampled_from([1, 4, 100]), st.sampled_from(PRIORS))
def test_it_is_a_loop_over_parents(seed, smoothing, least, priors):
    table, y, weights = random_table(seed)
    new, _, _ = random_table(seed + 1, 12, holes=0.3)
    new["a"][0] = "never seen"
    model = AveragedOneDependence(smoothing, least, kinds=KINDS, priors=priors)
    model.fit(table, y, sample_weight=weights, classes=CLASSES)
    shares = np.full(3, 1 / 3) if priors == "uniform" else None if priors is None else np.array(priors)
    expected = in_a_loop(table, y, weights, new, smoothing, least, shares)
    np.testing.assert_allclose(model.log_joint(new), expected, rtol=1e-9, atol=1e-9)
    posterior = np.exp(expected - logsumexp(expected, axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(new), posterior, rtol=1e-9, atol=1e-12)


# rows that are left out


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from([0, 1, 3, 100]),
    st.sampled_from([*PRIORS, "smoothed"]),
)
def test_a_row_left_out_is_a_row_not_learned_from(seed, smoothing, least, priors):
    table, y, weights = random_table(seed, 26)
    model = AveragedOneDependence(smoothing, least, kinds=KINDS, priors=priors)
    found = leave_one_out(model, table, y, sample_weight=weights, classes=CLASSES).posterior
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        again = clone(model).fit(only(table, others), y[others], sample_weight=weights[others], classes=CLASSES)
        np.testing.assert_allclose(found[row], again.predict_proba(only(table, ~others))[0], rtol=1e-7, atol=1e-9)


def only(table, rows):
    return {name: cells[rows] for name, cells in table.items()}


@pytest.mark.parametrize("estimate", ["map", "predictive"])
@pytest.mark.parametrize("kind", ["gaussian", "log-gaussian", "poisson", ("binomial", 40), "exponential"])
def test_other_kinds_are_left_out_too(kind, estimate):
    table, y, weights = random_table(3, 30, numbers=0)
    rng = np.random.default_rng(0)
    table["n"] = rng.poisson(3 + np.array([CLASSES.index(c) for c in y])) + 1.0
    model = AveragedOneDependence(kinds={**KINDS, "n": kind}, estimate=estimate)
    found = leave_one_out(model, table, y, sample_weight=weights, classes=CLASSES).posterior
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        again = clone(model).fit(only(table, others), y[others], sample_weight=weights[others], classes=CLASSES)
        np.testing.assert_allclose(found[row], again.predict_proba(only(table, ~others))[0], rtol=1e-6, atol=1e-9)


def test_folds_are_models_of_the_other_folds():
    table, y, weights = random_table(5)
    fold = np.arange(len(y)) % 4
    model = AveragedOneDependence(kinds=KINDS)
    found = cross_validate(model, table, y, folds=fold, sample_weight=weights, classes=CLASSES).posterior
    for number in range(4):
        some, others = fold == number, fold != number
        again = clone(model).fit(only(table, others), y[others], sample_weight=weights[others], classes=CLASSES)
        np.testing.assert_allclose(found[some], again.predict_proba(only(table, some)), rtol=1e-8, atol=1e-10)


def test_it_is_compared_with_other_models_on_the_same_rows():
    table, y, _ = random_table(6, 60)
    found = compare([NaiveBayes(kinds=KINDS), AveragedOneDependence(kinds=KINDS)], table, y)
    assert [trial.name for trial in found.trials] == ["NaiveBayes", "AveragedOneDependence"]
    assert np.isnan(found["AveragedOneDependence"].log_evidence)
    assert "no density" in found["AveragedOneDependence"].note
    tuned = tune(AveragedOneDependence(kinds=KINDS), table, y, over="smoothing")
    assert len(tuned.trials) > 5
    assert AveragedOneDependence("auto", kinds=KINDS).fit(table, y).tuned_.best is not None


# laws


def test_statistics_add_and_come_off_again(tmp_path):
    table, y, weights = random_table(8, 60)
    halves = [only(table, np.arange(60) < 25), only(table, np.arange(60) >= 25)]
    model = AveragedOneDependence(kinds=KINDS).fit(table, y, sample_weight=weights)
    parts = AveragedOneDependence(kinds=KINDS).partial_fit(halves[0], y[:25], CLASSES, weights[:25])
    parts.partial_fit(halves[1], y[25:], sample_weight=weights[25:])
    sums = [
        collect(t, c, kinds=KINDS, sample_weight=w, pairs=True)
        for t, c, w in zip(halves, (y[:25], y[25:]), (weights[:25], weights[25:]), strict=True)
    ]
    whole = AveragedOneDependence.from_summary(sums[0] + sums[1], kinds=KINDS)
    expected = model.predict_proba(table)
    for other in (parts, whole, pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(other.predict_proba(table), expected, rtol=1e-9, atol=1e-12)
    first = AveragedOneDependence.from_summary(sums[0] + sums[1] - sums[1], kinds=KINDS)
    alone = AveragedOneDependence(kinds=KINDS).fit(halves[0], y[:25], sample_weight=weights[:25], classes=CLASSES)
    np.testing.assert_allclose(first.predict_proba(table), alone.predict_proba(table), rtol=1e-7, atol=1e-9)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(table), expected)
    assert again.get_params() == model.get_params()


def any_table(rng):
    """Columns of every kind, integers of few values among them, not all of whose levels are in every half."""
    n = int(rng.integers(12, 40))
    y, table, kinds = rng.integers(0, 3, n), {}, {}
    for j in range(rng.integers(0, 4)):
        size = int(rng.integers(2, 5))
        cells = np.array(list("abcde"), dtype=object)[(rng.integers(0, size, n) * (rng.random(n) < 0.6) + y) % size]
        table[f"c{j}"] = np.where(rng.random(n) < 0.15, None, cells)
    table |= {f"i{j}": rng.integers(0, 3, n) + y for j in range(rng.integers(0, 3))}
    table |= {f"n{j}": np.where(rng.random(n) < 0.15, np.nan, rng.normal(y)) for j in range(rng.integers(0, 3))}
    if rng.random() < 0.4:
        table["p"], kinds["p"] = rng.poisson(2 + y).astype(float), "poisson"
    if rng.random() < 0.3:
        table["b"], kinds["b"] = (rng.random(n) < 0.4 + 0.1 * y).astype(float), "binary"
    table["w"], kinds["w"] = rng.exponential(1 + y), str(rng.choice(["exponential", "log-gaussian"]))
    return table, y, kinds, rng.choice([1.0, 0.5, 2.0, 0.0], n, p=[0.6, 0.2, 0.15, 0.05])


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from([0, 1, 2.5, 30]), st.sampled_from([None, "uniform", "smoothed"]))
def test_any_table_in_batches_from_its_summary_and_in_any_order(seed, least, priors):
    rng = np.random.default_rng(seed)
    table, y, kinds, weights = any_table(rng)
    model = AveragedOneDependence(0.5, least, kinds=kinds, priors=priors)
    model.fit(table, y, sample_weight=weights, classes=[0, 1, 2])
    expected, first = model.predict_proba(table), np.arange(len(y)) < len(y) // 2
    np.testing.assert_allclose(expected.sum(axis=1), 1.0)
    parts = clone(model).partial_fit(only(table, first), y[first], [0, 1, 2], weights[first])
    parts.partial_fit(only(table, ~first), y[~first], sample_weight=weights[~first])
    again = AveragedOneDependence.from_summary(model.summary_, **model.get_params())
    order = rng.permutation(len(y))
    shuffled = clone(model).fit(only(table, order), y[order], sample_weight=weights[order], classes=[0, 1, 2])
    for other in (parts, again, shuffled):
        np.testing.assert_allclose(other.predict_proba(table), expected, rtol=1e-7, atol=1e-9)


def test_weights_and_the_order_of_rows_and_columns():
    table, y, _ = random_table(9, 50)
    times = np.arange(50) % 3
    weighted = AveragedOneDependence(kinds=KINDS).fit(table, y, sample_weight=times, classes=CLASSES)
    rows = np.repeat(np.arange(50), times)
    repeated = AveragedOneDependence(kinds=KINDS).fit(only(table, rows), y[rows], classes=CLASSES)
    expected = weighted.predict_proba(table)
    np.testing.assert_allclose(repeated.predict_proba(table), expected, rtol=1e-9, atol=1e-12)
    backwards = {name: table[name] for name in reversed(table)}
    turned = AveragedOneDependence(kinds=KINDS).fit(only(backwards, rows[::-1]), y[rows[::-1]], classes=CLASSES)
    np.testing.assert_allclose(turned.predict_proba(backwards), expected, rtol=1e-9, atol=1e-12)


def test_given_priors_shift_the_odds_of_every_parent():
    table, y, _ = random_table(10, 80)
    even, other = (AveragedOneDependence(kinds=KINDS, priors=p).fit(table, y) for p in ("uniform", [0.1, 0.2, 0.7]))
    np.testing.assert_allclose(
        other.log_joint(table) - even.log_joint(table), np.tile(np.log([0.3, 0.6, 2.1]), (80, 1)), rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(other.priors_, [0.1, 0.2, 0.7])


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("given", ["uniform", {"I": 0.2, "II": 0.3, "III": 0.5}, [0.6, 0.1, 0.3]], ids=str)
def test_priors_given_are_those_of_a_decision_on_top(given, smoothing):
    """Cells are missing in one class more than in others, and some rows have no parent at all."""
    table, y, weights = random_table(12, 60)
    new, _, _ = random_table(13, 20, holes=0.4)
    new["a"][0] = new["b"][0] = new["c"][0] = None
    fitted = {"sample_weight": weights}
    model = AveragedOneDependence(smoothing, kinds=KINDS, priors=given).fit(table, y, **fitted)
    decided = BayesDecision(AveragedOneDependence(smoothing, kinds=KINDS), priors=given).fit(table, y, **fitted)
    for rows in (table, new):
        np.testing.assert_allclose(model.predict_proba(rows), decided.predict_proba(rows), rtol=1e-10, atol=1e-14)


def test_given_the_priors_that_it_learns_it_is_the_same_model():
    table, y, weights = random_table(14, 60)
    learned = AveragedOneDependence(kinds=KINDS).fit(table, y, sample_weight=weights)
    given = AveragedOneDependence(kinds=KINDS, priors=learned.priors_).fit(table, y, sample_weight=weights)
    np.testing.assert_allclose(given.log_joint(table), learned.log_joint(table), rtol=1e-12)
    smoothed = AveragedOneDependence(kinds=KINDS, priors="smoothed")
    found, plain = (leave_one_out(m, table, y, sample_weight=weights) for m in (smoothed, learned))
    np.testing.assert_allclose(found.posterior, plain.posterior, rtol=1e-10)


def test_without_categories_it_is_naive_bayes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[y == 1] += 1
    model, naive = AveragedOneDependence().fit(X, y), NaiveBayes(priors="smoothed").fit(X, y)
    assert model.parents_ == []
    words = np.random.default_rng(1).poisson(2, (60, 3))
    text, plain = (
        m.fit(words, y) for m in (AveragedOneDependence(kinds="counts"), NaiveBayes("counts", priors="smoothed"))
    )
    np.testing.assert_allclose(text.predict_proba(words), plain.predict_proba(words), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), naive.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(
        leave_one_out(model, X, y).posterior, leave_one_out(naive, X, y).posterior, rtol=1e-9, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
def test_without_any_column_that_varies_the_priors_answer():
    model = AveragedOneDependence(priors=[0.2, 0.8]).fit({"a": ["x", "x", "x"]}, [0, 1, 1])
    np.testing.assert_allclose(model.predict_proba({"a": ["x", "y"]}), [[0.2, 0.8]] * 2)


def test_rows_of_counts_depend_on_the_class_only():
    table, y, _ = random_table(11, 60, numbers=0)
    words = {"w1": np.random.default_rng(1).poisson(2, 60), "w2": np.random.default_rng(2).poisson(1, 60)}
    kinds = {**KINDS, "w1": "counts", "w2": "counts"}
    both = AveragedOneDependence(kinds=kinds, priors="uniform").fit({**table, **words}, y)
    alone = AveragedOneDependence(kinds=KINDS, priors="uniform").fit(table, y)
    text = NaiveBayes(kinds="counts", priors="uniform").fit(words, y)
    logs = alone.log_joint(table) + text.log_density(words)
    np.testing.assert_allclose(both.log_joint({**table, **words}), logs, rtol=1e-9)
    found = leave_one_out(both, {**table, **words}, y).posterior
    rest = np.arange(60) != 7
    again = clone(both).fit(only({**table, **words}, rest), y[rest])
    np.testing.assert_allclose(found[7], again.predict_proba(only({**table, **words}, ~rest))[0], rtol=1e-7)


def test_a_category_never_seen():
    table, y, _ = random_table(12)
    row = {"a": ["new"], "b": ["u"], "c": ["p"], "n0": [0.0], "n1": [1.0]}
    kinds = dict.fromkeys(LEVELS, "categorical")
    ignoring = AveragedOneDependence(kinds=kinds, unseen="ignore").fit(table, y)
    np.testing.assert_allclose(ignoring.predict_proba(row), ignoring.predict_proba({**row, "a": [None]}))
    with pytest.raises(UnseenCategoryError, match="'new'"):
        AveragedOneDependence(kinds=kinds, unseen="error").fit(table, y).predict_proba(row)


# reasons


def test_the_posterior_is_the_mean_of_what_parents_say_by_their_shares():
    table, y, _ = random_table(13, 60)
    model = AveragedOneDependence(kinds=KINDS, min_count=2).fit(table, y)
    found = explain(model, table, between=("II", "I"))
    joint = model.log_joint(table)
    np.testing.assert_allclose(found.log_odds, joint[:, 1] - joint[:, 0], rtol=1e-9)
    np.testing.assert_allclose(sum(found.shares.values()), 1.0)
    two = AveragedOneDependence(kinds=KINDS).fit(table, np.where(y == "III", "I", y))
    voted = explain(two, table)
    shares = {
        name: np.where(np.isnan(odds), 0.0, voted.shares[name] / (1 + np.exp(-odds)))
        for name, odds in voted.log_odds_by.items()
    }
    np.testing.assert_allclose(sum(shares.values()), two.predict_proba(table)[:, 1], rtol=1e-9)


@pytest.mark.parametrize("priors", [None, "uniform"])
def test_what_a_parent_says_is_a_sum_over_columns(priors):
    table, y, _ = random_table(14, 60)
    found = explain(AveragedOneDependence(kinds=KINDS, priors=priors).fit(table, y), table, between=("II", "I"))
    for parent in LEVELS:
        there = ~np.isnan(found.log_odds_by[parent])
        one = found.of(parent)
        np.testing.assert_allclose(one.log_odds[there], found.log_odds_by[parent][there], rtol=1e-9, atol=1e-9)
        assert set(one.terms) == set(table)
        missing = np.array([cell is None for cell in table["b"]])
        assert (one.terms["b"][missing] == 0).all()
    assert "parent" in repr(found)
    with pytest.raises(ParameterError, match="no parent 'n0'"):
        found.of("n0")
    pytest.importorskip("matplotlib")
    plots.explanation(found.of("a"), row=3)
    with pytest.raises(ParameterError, match="Votes are drawn one parent at a time"):
        plots.explanation(found)


def test_a_row_without_any_parent_is_answered_by_naive_bayes():
    table, y, _ = random_table(15)
    model = AveragedOneDependence(kinds=KINDS, min_count=1000).fit(table, y)
    naive = NaiveBayes(kinds=KINDS, priors="smoothed").fit(table, y)
    np.testing.assert_allclose(model.predict_proba(table), naive.predict_proba(table), rtol=1e-9)
    assert "naive Bayes" in repr(explain(model, table, between=("I", "II")))


# what there is not


TABLE, Y, _ = random_table(16, 60)
FITTED = AveragedOneDependence(kinds=KINDS).fit(TABLE, Y)
PAIR = {"a": TABLE["n0"], "b": TABLE["n1"]}
ASKED = {
    "sample": lambda: FITTED.sample(3),
    "impute": lambda: FITTED.impute(TABLE),
    "log_density": lambda: FITTED.log_density(TABLE),
    "score_samples": lambda: FITTED.score_samples(TABLE),
    "log_likelihood": lambda: FITTED.log_likelihood(TABLE, Y),
    "bic": lambda: FITTED.bic(TABLE, Y),
    "aic": lambda: FITTED.aic(TABLE, Y),
    "intervals of tables": lambda: FITTED.tables(0.9),
    "predict_interval": lambda: FITTED.predict_interval(TABLE),
    "standard_errors": lambda: FITTED.standard_errors(),
    "worked": lambda: suffice.worked(FITTED, only(TABLE, slice(0, 1))),
    "boundary": lambda: suffice.boundary(FITTED, "I", "II"),
    "discriminants": lambda: suffice.discriminants(FITTED),
    "divergence": lambda: suffice.divergence(FITTED, "I", "II"),
    "bayes_error": lambda: suffice.bayes_error(FITTED),
    "nomogram": lambda: suffice.nomogram(FITTED, TABLE, ("I", "II")),
    "evidence": lambda: suffice.evidence_of_columns(FITTED, TABLE, Y),
    "compare by evidence": lambda: (
        compare([FITTED], FITTED.summary_)[0].evidence or compare([FITTED], FITTED.summary_).posterior()
    ),
    "em_steps": lambda: list(suffice.em_steps(FITTED, TABLE, Y)),
    "means_": lambda: FITTED.means_,
    "hidden labels": lambda: clone(FITTED).fit(TABLE, np.where(np.arange(60) < 5, None, Y)),
    "no pairs": lambda: AveragedOneDependence.from_summary(collect(TABLE, Y, kinds=KINDS)),
}


@pytest.mark.parametrize("what", ASKED)
def test_what_it_cannot_do_is_said(what):
    with pytest.raises(SufficeError, match=r"no density|not known|EM|independent given the class|pairs=True|evidence"):
        ASKED[what]()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"min_count": -1}, "min_count must be a number of rows"),
        ({"estimate": "ml"}, "estimate"),
        ({"components": 2}, "no parameter"),
    ],
)
def test_parameters_that_make_no_sense(given, text):
    with pytest.raises((ParameterError, TypeError), match=text):
        AveragedOneDependence(**given).fit(TABLE, Y)


def test_what_it_says_of_itself():
    text = str(FITTED)
    assert "AveragedOneDependence · 60 rows · 3 classes · 5 columns" in text
    assert "P(class, a)" in text
    tables = FITTED.tables()
    assert sum(
        np.sum([cells for name, cells in tables["a"].items() if name != "class"]) for _ in (0,)
    ) == pytest.approx(1)
    assert FITTED.parents_ == ["a", "b", "c"]
    careful = BayesDecision(AveragedOneDependence(kinds=KINDS), reject=0.2).fit(TABLE, Y)
    assert set(careful.predict(TABLE)) <= {*CLASSES, "reject"}
