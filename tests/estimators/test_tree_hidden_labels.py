"""Trees learned from rows of which some have no label: EM against plain loops, and its laws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize
from scipy.special import logsumexp
from scipy.stats import dirichlet, norm

from estimators.tree_cases import KINDS, mixed
from suffice import EM, TreeAugmentedBayes, compare_unlabelled, cross_validate, explain, load
from suffice.data.labels import read_labels
from suffice.data.table import read_table
from suffice.errors import (
    CollapsedError,
    ConstantColumnWarning,
    FileError,
    HiddenCellsError,
    HiddenLabelsError,
    NoDensityError,
    ParameterError,
)
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import FULL
from suffice.families.memberships import memberships
from suffice.families.pairs import pair_moments
from suffice.families.tree import lines
from suffice.families.tree.nodes import Regression
from suffice.model.averaged import Averaged
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.run import run, set_up
from suffice.model.rules import Control

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def partly(rows=150, seed=0, hidden=0.6):
    """Rows, their classes, and those of them that are known."""
    table, y = mixed(rows, seed)
    return table, y, np.where(np.random.default_rng(seed).random(rows) < hidden, None, y)


def fitted(table, y, **options):
    """With every row counted fully, nearly to the end."""
    model = TreeAugmentedBayes(em=EM(unlabelled_weight=1.0, tol=1e-10))
    return model.set_params(**options).fit(table, y)


# against EM written plainly


def after_labels(log_joint, y, classes):
    """P(class | row, label), and ln p of all rows and labels."""
    for k, name in enumerate(classes):
        log_joint[[label is not None and label != name for label in y], k] = -np.inf
    whole = logsumexp(log_joint, axis=1)
    return np.exp(log_joint - whole[:, None]), whole.sum()


def certain(y, classes):
    """Memberships of the labelled rows alone, from which EM begins."""
    return np.array([[float(label is not None and label == name) for name in classes] for label in y])


@pytest.mark.parametrize("smoothing", [0.5, 1.0])
def test_a_tree_of_categories_is_that_of_a_plain_loop(smoothing):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 90)
    first = (rng.random(90) < 0.3 + 0.5 * y).astype(int)
    second = (first + (rng.random(90) < 0.3)) % 3
    third = (second + y + (rng.random(90) < 0.2)) % 3
    table, parents = {"first": first, "second": second, "third": third}, {"second": "first", "third": "second"}
    known = [None if hidden else int(label) for hidden, label in zip(rng.random(90) < 0.5, y, strict=True)]
    options = {"kinds": "categorical", "tree": parents, "smoothing": smoothing}
    model = TreeAugmentedBayes(em=EM(unlabelled_weight=1.0), **options).fit(table, known)
    share = certain(known, (0, 1))
    for objective in model.trace_.objective:
        log_joint = np.log(share.sum(axis=0) / share.sum()) * np.ones((90, 1))
        log_prior = 0.0
        for child in table:
            above = table[parents[child]] if child in parents else np.zeros(90, dtype=int)
            size = table[child].max() + 1
            for k, level in np.ndindex(2, above.max() + 1):
                counts = np.array([share[(above == level) & (table[child] == s), k].sum() for s in range(size)])
                p = (counts + smoothing) / (counts + smoothing).sum()
                log_joint[above == level, k] += np.log(p)[table[child][above == level]]
                log_prior += dirichlet.logpdf(p, np.full(size, smoothing + 1))
        share, log_likelihood = after_labels(log_joint, known, (0, 1))
        np.testing.assert_allclose(objective, log_likelihood + log_prior, rtol=1e-10)
    unknown = [label is None for label in known]
    np.testing.assert_allclose(model.predict_proba(table)[unknown], share[unknown], rtol=1e-10)
    assert len(model.trace_.objective) > 4


def test_a_line_is_that_of_a_plain_loop():
    table, _, known = partly()
    a, b = (table[name].to_numpy() for name in "ab")
    model = TreeAugmentedBayes(estimate="ml", tree={"b": "a"}, em=EM(unlabelled_weight=1.0)).fit(
        table[["a", "b"]], known
    )
    share = certain(known, ("no", "yes"))
    for objective in model.trace_.objective:
        log_joint = np.log(share.sum(axis=0) / share.sum()) * np.ones((len(a), 1))
        for k in (0, 1):
            mass, root = share[:, k].sum(), np.sqrt(share[:, k])
            mean = share[:, k] @ a / mass
            line = np.linalg.lstsq(root[:, None] * np.stack([np.ones_like(a), a], axis=1), root * b, rcond=None)[0]
            off = b - line[0] - line[1] * a
            log_joint[:, k] += norm.logpdf(a, mean, np.sqrt(share[:, k] @ (a - mean) ** 2 / mass))
            log_joint[:, k] += norm.logpdf(off, 0, np.sqrt(share[:, k] @ off**2 / mass))
        share, log_likelihood = after_labels(log_joint, known, ("no", "yes"))
        np.testing.assert_allclose(objective, log_likelihood, rtol=1e-10)
    unknown = [label is None for label in known]
    np.testing.assert_allclose(model.predict_proba(table)[unknown], share[unknown], rtol=1e-9, atol=1e-12)


# the belief about a line


def two_numbers(seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, 2)) @ [[1.0, 0.4], [0.0, 0.8]] + [3.0, -1.0]
    moments = pair_moments(x, memberships(np.zeros(12, dtype=int), 1))
    return x, moments, Gaussian(2, FULL).weak(moments)


def line_at(height, slope, variance):
    """Lines, each of a class; height is where the parent is 0."""
    height, slope, variance = np.atleast_1d(height, slope, variance)
    mean = np.stack([height, np.zeros_like(height)], axis=1)
    return Regression((0, 0), (0, 1), mean, slope, variance, np.ones_like(slope))


def test_rows_around_a_line_are_normal():
    x, moments, _ = two_numbers()
    expected = norm.logpdf(x[:, 0], 0.3 - 0.7 * x[:, 1], np.sqrt(0.6)).sum()
    np.testing.assert_allclose(lines.log_likelihood(line_at(0.3, -0.7, 0.6), moments), expected, rtol=1e-12)


def test_the_belief_about_a_line_is_a_density():
    belief = two_numbers()[2].after(two_numbers(2)[1])  # after some rows, narrow enough for a grid
    at = belief.mode()
    slope = at.covariance[0, 0, 1] / at.covariance[0, 1, 1]
    height = at.mean[0, 0] - slope * at.mean[0, 1]
    grids = [np.linspace(place - wide, place + wide, 81) for place, wide in ((slope, 4), (height, 6), (0, 4))]
    slopes, heights, logs = (part.ravel() for part in np.meshgrid(*grids, indexing="ij"))
    values = np.exp(lines.log_prior(line_at(heights, slopes, np.exp(logs)), belief) + logs).reshape(81, 81, 81)
    for grid in reversed(grids):
        values = integrate.simpson(values, x=grid, axis=-1)
    assert values == pytest.approx(1, abs=1e-3)


def test_the_line_of_the_joint_mode_is_the_mode_of_the_line():
    _, moments, belief = two_numbers()

    def worth(place):
        line = line_at(place[0], place[1], np.exp(place[2]))
        return -lines.log_likelihood(line, moments) - lines.log_prior(line, belief)[0]

    found = optimize.minimize(worth, [0.0, 0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13})
    joint = belief.after(moments).mode()
    slope = joint.covariance[0, 0, 1] / joint.covariance[0, 1, 1]
    height = joint.mean[0, 0] - slope * joint.mean[0, 1]
    variance = joint.covariance[0, 0, 0] - slope * joint.covariance[0, 0, 1]
    np.testing.assert_allclose(found.x, [height, slope, np.log(variance)], rtol=1e-5)


# laws


def drawn(rng):
    """Complete rows of categories, numbers and counts in any unit, and classes of which some are not known."""
    rows = int(rng.integers(12, 40))
    y = np.append(rng.integers(0, 3, rows - 6), [0, 1, 2] * 2)
    table, kinds, before = {}, {}, rng.integers(0, 4, rows)
    for j in range(rng.integers(0, 4)):
        size = int(rng.integers(2, 5))
        before = (before + y * rng.integers(0, 2) + rng.integers(0, size, rows) * (rng.random(rows) < 0.5)) % size
        table[f"c{j}"], kinds[f"c{j}"] = before, ("categorical", list(range(size)))
    for j in range(rng.integers(0 if table else 1, 4)):
        table[f"n{j}"] = 10.0 ** rng.integers(-3, 4) * (rng.normal(size=rows) + before + rng.integers(0, 2) * y)
    if rng.random() < 0.3:
        table["visits"], kinds["visits"] = rng.poisson(1 + before).astype(float), "poisson"
    hidden = np.append(rng.random(rows - 3) < rng.choice([0.2, 0.5, 0.8]), [False] * 3)
    weights = rng.choice([0.5, 1.0, 2.0], rows)
    return pd.DataFrame(table), [None if gone else int(k) for gone, k in zip(hidden, y, strict=True)], kinds, weights


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_the_objective_never_falls(seed):
    rng = np.random.default_rng(seed)
    table, known, kinds, weights = drawn(rng)
    options = {
        "criterion": str(rng.choice(["information", "evidence"])),
        "em": EM(unlabelled_weight=float(rng.choice([0.3, 1]))),
    }
    options |= {"priors": [None, "uniform", "smoothed"][rng.integers(3)], "smoothing": float(rng.choice([0.5, 1, 3]))}
    model = TreeAugmentedBayes(kinds=kinds, **options).fit(table, known, sample_weight=weights)
    assert model.trace_ is None or check(model.trace_)
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1)


def check(trace):
    """The objective rises, the bound is below the log likelihood and no further than the KL divergence."""
    size = np.abs(trace.objective).max()
    return (np.diff(trace.objective) >= -1e-9 * size).all() and (trace.kl >= -1e-9 * size).all()


def test_the_tree_is_that_of_the_labelled_rows():
    table, _, known = partly()
    some = [label is not None for label in known]
    alone = TreeAugmentedBayes(kinds=KINDS).fit(table[some], known[some])
    model = fitted(table, known, kinds=KINDS)
    assert model.tree_.parents == alone.tree_.parents
    assert model.tree_.gains == pytest.approx(alone.tree_.gains)
    assert (model.estimate_, alone.estimate_) == ("map", "predictive")
    np.testing.assert_allclose(
        fitted(table, known, kinds=KINDS, em__unlabelled_weight=0.0).predict_proba(table), alone.predict_proba(table)
    )


@pytest.mark.parametrize("estimate", ["ml", "map"])
def test_with_all_labels_known_a_pass_is_the_closed_form(estimate):
    table, y, _ = partly()
    model = TreeAugmentedBayes(kinds=KINDS, estimate=estimate).fit(table, y)
    read, labels = read_table(table), read_labels(y, len(y))
    evidence = LabelEvidence(labels, np.arange(2))
    recipe = model.recipe()
    problem = set_up(read, recipe.plan(read), evidence, np.ones(len(y)), recipe.design, recipe.rules())
    found = run(problem, "kmeans", Control(restarts=1))
    np.testing.assert_allclose(found.joint.log_joint(read, "error"), model.log_joint(table), rtol=1e-10)
    np.testing.assert_allclose(np.diff(found.trace.objective), 0, atol=1e-8)
    assert found.joint.parameters == model.model_.counted.parameters


@pytest.mark.parametrize("rows", [400, 1600])
def test_a_label_more_or_less_changes_posteriors_by_its_share_of_the_rows(rows):
    table, y, _ = partly(rows)
    parents = TreeAugmentedBayes(kinds=KINDS).fit(table, y).tree_.parents
    model = TreeAugmentedBayes(kinds=KINDS, estimate="map", tree=dict(parents))
    known = model.fit(table, y).predict_proba(table)
    for row in range(0, rows, rows // 8):
        hidden = model.fit(table, np.where(np.arange(rows) == row, None, y)).predict_proba(table)
        assert np.abs(known - hidden).max() < 16 / rows


def test_weights_are_rows():
    table, _, known = partly(80)
    weights = np.arange(80) % 3.0
    weighted = TreeAugmentedBayes(kinds=KINDS, em=EM(unlabelled_weight=1.0)).fit(table, known, sample_weight=weights)
    rows = np.repeat(np.arange(80), weights.astype(int))
    repeated = TreeAugmentedBayes(kinds=KINDS, em=EM(unlabelled_weight=1.0)).fit(table.iloc[rows], known[rows])
    np.testing.assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), rtol=1e-7)
    assert weighted.tree_.parents == repeated.tree_.parents


# all that a model does


def test_what_em_has_found_does_what_other_trees_do(tmp_path):
    table, y, known = partly()
    model = fitted(table, known, kinds=KINDS, em__tol=1e-8)
    assert model.score(table, y) > 0.8
    assert model.n_iter_ == len(model.trace_.objective) > 1
    assert model.summary_.n == pytest.approx(len(y))
    model.save(tmp_path / "tree")
    again = load(tmp_path / "tree")
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert again.tree_ == model.tree_
    assert again.summary_ == model.summary_
    assert str(again) == str(model)
    terms, logs = explain(model, table, between=("yes", "no")), model.log_joint(table)
    np.testing.assert_allclose(terms.log_odds, logs[:, 1] - logs[:, 0], atol=1e-9)
    rows, _ = model.sample(2000, random_state=0)
    assert abs(rows["a"].mean() - table["a"].mean()) < 0.3
    assert set(model.tables()) == {"class", *table.columns}
    holed = model.impute(table.assign(b=table["b"].where(np.arange(len(table)) % 3 > 0)))
    assert np.corrcoef(holed["b"], table["b"])[0, 1] > 0.8
    assert model.bic(table, y) > model.aic(table, y)
    assert "refitted" in str(cross_validate(model, table, known))
    with pytest.raises(HiddenLabelsError, match="all rows"):
        model.partial_fit(table, y)


WRONG = [("variance", np.negative), ("slope", np.atleast_2d), ("mean", np.ravel)]


@pytest.mark.parametrize(("ending", "change"), WRONG)
def test_a_file_with_a_line_that_cannot_be_is_refused(ending, change):
    table, _, known = partly()
    joint = fitted(table, known, kinds=KINDS).joint_
    header, arrays = joint.packed()
    assert joint.unpacked(header, arrays, joint.schema).tree == joint.tree
    line = next(name for name in arrays if name.endswith("/slope")).removesuffix("slope")
    with pytest.raises(FileError, match=r"impossible|do not fit"):
        joint.unpacked(header, arrays | {line + ending: change(arrays[line + ending])}, joint.schema)


def test_rows_without_labels_are_weighed_and_compared():
    table, _, known = partly(rows=100, hidden=0.5)
    model = TreeAugmentedBayes(kinds=KINDS).fit(table, known)
    assert model.unlabelled_weight_ in (0.0, 0.1, 1.0)
    found = compare_unlabelled(TreeAugmentedBayes(kinds=KINDS, em=EM(unlabelled_weight=1.0)), table, known, folds=5)
    assert [trial.error for trial in found.trials] == [None, None]


def test_labels_that_leave_some_classes_open():
    table, y, _ = partly()
    possible = {name: np.where(np.arange(len(y)) % 2 == 0, 1, y == name).astype(int) for name in ("no", "yes")}
    apart = np.where(np.arange(len(y)) % 2 == 0, None, y)
    mine, theirs = (fitted(table, some, kinds=KINDS, em__tol=1e-8) for some in (possible, apart))
    np.testing.assert_allclose(mine.predict_proba(table), theirs.predict_proba(table))


def test_a_class_without_a_label_is_found():
    table, y, _ = partly(hidden=0.0)
    some = np.where((y == "no") & (np.arange(len(y)) % 2 == 0), y, None)
    model = TreeAugmentedBayes(kinds=KINDS, em=EM(unlabelled_weight=1.0)).fit(table, some, classes=["no", "yes"])
    assert check(model.trace_)
    assert model.priors_.min() > 0.05


def test_a_table_without_a_column_that_varies(tmp_path):
    table, known = {"same": [1.0] * 40}, ["no", "yes", None, "no"] * 10
    with pytest.warns(ConstantColumnWarning):
        model = fitted(table, known)
    model.save(tmp_path / "none")
    for each in (model, load(tmp_path / "none")):
        np.testing.assert_allclose(each.predict_proba({"same": [1.0]}), [[2 / 3, 1 / 3]])
        assert each.tree_.parents == {}


# refusals


def test_missing_cells_beside_hidden_labels_are_refused():
    table, _, known = partly()
    table["a"] = table["a"].where(np.arange(len(table)) != 7)
    table["shape"] = table["shape"].where(np.arange(len(table)) != 9)
    with pytest.raises(HiddenCellsError, match=r"cells of 'a', 'shape' are missing.*use NaiveBayes") as refused:
        fitted(table, known, kinds=KINDS)
    assert "Leave out rows with missing cells" in str(refused.value)
    whole = [label is not None for label in known]
    assert fitted(table[whole], known[whole], kinds=KINDS).trace_ is None


def test_what_em_of_trees_cannot_do_is_said():
    table, y, known = partly()
    with pytest.raises(HiddenLabelsError, match="but no row has a label"):
        fitted(table, {"no": np.ones(len(y)), "yes": np.ones(len(y))}, kinds=KINDS)
    with pytest.raises(HiddenLabelsError, match="EM may not converge"):
        fitted(table, known, kinds=KINDS, estimate="predictive")
    with pytest.raises(HiddenLabelsError, match="no mode where a class has no row of a level"):
        fitted(table, known, kinds=KINDS, estimate="map", parameter_prior="reference")
    with pytest.raises(ParameterError, match="Intervals"):
        fitted(table, known, kinds=KINDS, em__tol=1e-6).predict_interval(table)
    with pytest.raises(TypeError, match="components"):
        TreeAugmentedBayes(components=2)
    few = [label if row < 6 else None for row, label in enumerate(y)]
    with pytest.raises(CollapsedError, match=r"a level in it, has shrunk .* Use estimate='map', which adds"):
        fitted(table, few, kinds=KINDS, estimate="ml")
    with pytest.raises(NoDensityError, match="no EM"):
        Averaged(1.0, given=False).hidden_columns(None, [], None, None)
