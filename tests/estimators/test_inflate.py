"""Covariances multiplied by a number: what that changes, exactly left out, chosen by the rows, and when refused."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    QuadraticDiscriminant,
    collect,
    compare,
    explain,
    leave_one_out,
    load,
    tune,
)
from suffice.errors import HiddenLabelsError, ParameterError
from suffice.learn.discriminants import WIDER

ESTIMATES = ["ml", "unbiased", "map", "mean", "predictive"]


def rows(n=60, columns=3, seed=0, astray=0.0):
    """Two classes; some rows lie among those of the other, which one covariance for both makes too little of."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    centre = np.where(rng.random(n) < astray, 1 - y, y)
    return rng.normal(size=(n, columns)) + (2.5 if astray else 1.5) * centre[:, None], np.where(y == 1, "b", "a")


def odds(model, X):
    """Ln p(row | b) / p(row | a)."""
    logs = model.log_density(X)
    return logs[:, 1] - logs[:, 0]


def test_with_one_covariance_log_odds_are_divided_by_it():
    X, y = rows()
    plain, wide = (LinearDiscriminant(estimate="unbiased", inflate=times).fit(X, y) for times in (1.0, 4.0))
    np.testing.assert_allclose(odds(wide, X), odds(plain, X) / 4, rtol=1e-10)
    np.testing.assert_allclose(wide.covariance_, 4 * plain.covariance_, rtol=1e-12)
    np.testing.assert_array_equal(wide.means_, plain.means_)
    np.testing.assert_allclose(wide.coef_, plain.coef_ / 4, rtol=1e-10)


@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_it_is_a_density_of_the_rows(shape, shared, estimate):
    """Wider by √c in every direction: p(mean + √c z) = p₁(mean + z) / √cᴰ."""
    X, y = rows()
    plain, wide = (
        GaussianDiscriminant(shape, shared, estimate=estimate, inflate=times).fit(X, y) for times in (None, 2.25)
    )
    for k, mean in enumerate(plain.means_):
        further = mean + 1.5 * (X - mean)
        expected = plain.log_density(X)[:, k] - X.shape[1] * np.log(1.5)
        np.testing.assert_allclose(wide.log_density(further)[:, k], expected, rtol=1e-10)
    parts = explain(wide, X[:1], between=("a", "b"))
    found = wide.predict_log_proba(X[:1])[0]
    assert float(np.ravel(parts.log_odds)[0]) == pytest.approx(found[0] - found[1], rel=1e-9)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize(
    ("shape", "shared", "estimate"), [*product(["full", "diagonal", "spherical"], [True, False], [*ESTIMATES, "auto"])]
)
def test_leaving_one_out_is_refitting(shape, shared, estimate):
    X, y = rows(36)
    model = GaussianDiscriminant(shape, shared, estimate=estimate, inflate=2.5)
    found = leave_one_out(model, X, y).posterior
    for row in range(0, 36, 5):
        rest = np.arange(36) != row
        expected = clone(model).fit(X[rest], y[rest]).predict_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("to", [{"shrink_shared": 0.3}, {"shrink_spherical": 0.2}, {"shrink_shared": 1.0}], ids=repr)
def test_shrunken_covariances_are_inflated_too(to):
    X, y = rows(40)
    model = QuadraticDiscriminant(estimate="unbiased", inflate=3.0, **to)
    plain = QuadraticDiscriminant(estimate="unbiased", **to).fit(X, y)
    np.testing.assert_allclose(clone(model).fit(X, y).covariance_, 3 * plain.covariance_, rtol=1e-12)
    found = leave_one_out(model, X, y).posterior
    rest = np.arange(40) != 7
    np.testing.assert_allclose(found[7], clone(model).fit(X[rest], y[rest]).predict_proba(X[7:8])[0], rtol=1e-8)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("estimate", ["auto", "ml", "map", "mean", "predictive"])
@pytest.mark.parametrize("shared", [True, False])
def test_cells_are_filled_in_before_it(shared, estimate):
    """EM over missing cells comes to the same means and covariances; what answers is wider."""
    X, y = rows(50)
    X[::4, 1] = np.nan
    plain, wide = (
        GaussianDiscriminant("full", shared, estimate=estimate, inflate=times).fit(X, y) for times in (None, 2.0)
    )
    np.testing.assert_allclose(wide.means_, plain.means_, rtol=1e-12)
    np.testing.assert_allclose(wide.covariance_, 2 * plain.covariance_, rtol=1e-12)


def test_from_a_summary_in_batches_and_out_of_a_file(tmp_path):
    X, y = rows()
    model = GaussianDiscriminant(inflate=2.0, estimate="unbiased").fit(X, y)
    batches = GaussianDiscriminant(inflate=2.0, estimate="unbiased")
    batches.partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    model.save(tmp_path / "wide.suffice")
    summed = GaussianDiscriminant.from_summary(collect(X, y, joint=True), inflate=2.0, estimate="unbiased")
    for other in (batches, load(tmp_path / "wide.suffice"), summed):
        np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-10)
    assert "covariances times 2" in str(model)


@pytest.mark.filterwarnings("ignore::suffice.errors.UndeterminedWarning")
@pytest.mark.parametrize("shape", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_intervals_belong_to_it(shape, shared, estimate):
    X, y = rows()
    plain, wide = (
        GaussianDiscriminant(shape, shared, estimate=estimate, inflate=times).fit(X, y) for times in (None, 4.0)
    )
    low, high = wide.predict_interval(X, draws=50)
    posterior = wide.predict_proba(X)
    assert ((low <= posterior) & (posterior <= high)).all()
    told, as_before = (model.tables(level=0.9) for model in (wide, plain))
    for title, table in as_before.items():
        for end in ("low", "high"):
            for heading in (name for name in table if name.endswith(end)):
                wider = {"sd": 2.0, "variance": 4.0}.get(heading.split()[0], 1.0)
                np.testing.assert_allclose(told[title][heading], wider * np.asarray(table[heading]), rtol=1e-10)


# chosen by the rows


def test_it_is_chosen_where_another_setting_is():
    astray, normal = rows(400, 4, astray=0.05), rows(400, 4)
    for settings in ({"shrink_spherical": "auto"}, {"inflate": "auto"}):
        chosen = LinearDiscriminant(**settings).fit(*astray)
        assert chosen.settings_["inflate"] > 1
        tried = {trial.model.inflate for trial in chosen.tuned_.trials}
        assert tried == set(WIDER[: WIDER.index(chosen.tuned_.best.model.inflate) + 2])  # one further, to see it turn
        assert float(chosen.tuned_.best.validation.log_loss) < float(
            leave_one_out(LinearDiscriminant(), *astray).log_loss
        )
        assert LinearDiscriminant(**settings).fit(*normal).settings_["inflate"] == 1


def test_it_is_left_alone_where_nothing_is_automatic_or_it_is_given():
    astray = rows(400, 4, astray=0.05)
    assert LinearDiscriminant().fit(*astray).settings_ == {"shape": "full", "shrink_spherical": 0.0, "inflate": 1.0}
    given = LinearDiscriminant(shrink_spherical="auto", inflate=1.0).fit(*astray)
    assert given.settings_["inflate"] == 1
    assert not any("inflate" in trial.name for trial in given.tuned_.trials)


def test_the_rows_left_out_gain_what_tuning_says():
    X, y = rows(200, 4, astray=0.05)
    found = tune(GaussianDiscriminant(shared=True), X, y, over=["shape", "inflate"])
    assert "inflate=1.5" in {trial.name for trial in found.trials}
    assert not any("None" in trial.name for trial in tune(LinearDiscriminant(), X, y).trials)
    losses = {trial.name: float(trial.validation.log_loss) for trial in found.trials}
    assert min(losses, key=losses.get) == found.best.name
    for trial in found.trials[:3]:
        assert losses[trial.name] == pytest.approx(float(leave_one_out(trial.model, X, y).log_loss), rel=1e-9)


# refused


@pytest.mark.parametrize("times", [0, -1.0, 1e-300, 1e-7, 2e6, 1e300, np.nan, np.inf, "much", True, [2.0]], ids=repr)
@pytest.mark.parametrize("face", [GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant])
def test_it_is_a_number_that_leaves_something_of_the_covariances(face, times):
    with pytest.raises(ParameterError, match="inflate must be a number from 1e-06 to 1e\\+06, 'auto' or None; found"):
        face(inflate=times).fit(*rows())


@pytest.mark.filterwarnings("ignore:There are few rows")
@pytest.mark.parametrize("times", [1e-6, 1e6])
def test_at_either_end_columns_that_vary_are_not_said_to_be_constant(times):
    X, y = rows()
    model = GaussianDiscriminant(inflate=times, estimate="auto").fit(X, y)
    plain = GaussianDiscriminant(estimate=model.estimate_).fit(X, y)
    np.testing.assert_allclose(model.covariance_, times * plain.covariance_, rtol=1e-12)


def test_there_is_no_evidence_of_it():
    X, y = rows()
    model = LinearDiscriminant(inflate=2.0)
    assert np.isnan(compare([model], X, y).trials[0].log_evidence)
    with pytest.raises(HiddenLabelsError, match=r"with shrinkage or inflate EM may not converge\. Leave both out"):
        model.fit(X, [None, *y[1:]])
    X[0, 0] = np.nan
    with pytest.raises(ParameterError, match="of inflated covariances where cells are missing"):
        model.fit(X, y).predict_interval(X)
