"""Mixtures and latent classes against mclust, poLCA and one step worked out by hand, from the starts they state."""

import csv
from pathlib import Path

import numpy as np
import pytest

from estimators.hidden_cases import moments, steps, unsettled
from suffice import LatentClass, Mixture, em_steps

SHARED = Path(__file__).parents[3] / "shared" / "reference" / "data"
MODELS = {
    "EII": ("spherical", True),
    "VII": ("spherical", False),
    "EEI": ("diagonal", True),
    "VVI": ("diagonal", False),
    "EEE": ("full", True),
    "VVV": ("full", False),
    "E": ("full", True),
    "V": ("full", False),
}
FILES = {"mclust_faithful": ["eruptions", "waiting"], "mclust_faithful_waiting_1d": ["waiting"]}
CASES = [
    (file, model, components)
    for file, columns in FILES.items()
    for model in MODELS
    for components in (1, 2, 3, 4)
    if (len(model) == 1) == (len(columns) == 1)
]
each_case = pytest.mark.parametrize(
    "file, model, components", CASES, ids=lambda value: str(value).removeprefix("mclust_")
)
CREEPING = 700  # steps


@pytest.fixture
def faithful(data):
    columns = data("faithful")
    return lambda names: np.stack([columns[name] for name in names], axis=1)


def runs_of_rank(X, components):
    """Rows in the order of their first column, cut into runs."""
    rank = np.empty(len(X), dtype=int)
    rank[np.argsort(X[:, 0], kind="stable")] = np.arange(len(X))
    return rank * components // len(X)


def by_mclust(reference, faithful, file, model, components):
    X, (shape, shared) = faithful(FILES[file]), MODELS[model]
    settings = {"components": components, "shape": shape, "shared": shared, "start": runs_of_rank(X, components)}
    return X, settings, reference(file)[f"{model}_G{components}"]


@each_case
def test_mclust_step_by_step(reference, faithful, file, model, components):
    X, settings, theirs = by_mclust(reference, faithful, file, model, components)
    trace = theirs["EM_loglik_trace_first25"] or [theirs["loglik"]]
    found = steps(X, len(trace), **settings).trace_.log_likelihood
    np.testing.assert_allclose(found, trace, rtol=1e-12)


@each_case
def test_mclust_where_it_stopped(reference, faithful, file, model, components):
    X, settings, theirs = by_mclust(reference, faithful, file, model, components)
    found = steps(X, max(theirs["iterations"], 1), **settings)
    likelihood = found.trace_.log_likelihood[-1]
    assert likelihood == pytest.approx(theirs["loglik"], rel=1e-12)
    assert found.bic(X) == pytest.approx(-theirs["BIC_mclust_2ll_minus_df_logn"], rel=1e-12)
    assert found.aic(X) == pytest.approx(2 * theirs["n_parameters"] - 2 * theirs["loglik"], rel=1e-12)
    mean, covariance = moments(found)
    sigma = np.reshape(theirs["sigma_by_component"], (-1, X.shape[1], X.shape[1]))
    np.testing.assert_allclose(found.weights_, theirs["pro"], rtol=1e-8)
    np.testing.assert_allclose(mean, np.reshape(theirs["mean_by_component"], mean.shape), rtol=1e-8)
    np.testing.assert_allclose(covariance, np.broadcast_to(sigma, covariance.shape), rtol=1e-8)
    np.testing.assert_allclose(found.predict_proba(X[:20]), theirs["responsibilities_first20"], rtol=1e-7, atol=1e-12)


@each_case
def test_mclust_at_the_limit(reference, faithful, file, model, components):
    """Theirs may be short of the limit by what the steps that it did not take would have gained."""
    X, settings, theirs = by_mclust(reference, faithful, file, model, components)
    if theirs["iterations"] > CREEPING:
        pytest.skip("EM creeps here: the limit is far beyond where mclust stopped, which is tested by itself")
    found = Mixture(**settings, parameter_prior="flat", tol=1e-15, max_iter=2 * CREEPING).fit(X)
    assert found.converged_
    assert -1e-9 < found.trace_.log_likelihood[-1] - theirs["loglik"] < 2e-8


def test_the_best_of_our_starts_is_no_worse_than_mclust_s_own(reference, faithful):
    theirs = reference("mclust_faithful")["Mclust_default"]
    X, (shape, shared) = faithful(FILES["mclust_faithful"]), MODELS[theirs["chosen_model"]]
    found = Mixture(theirs["chosen_G"], shape, shared, parameter_prior="flat", tol=1e-9, max_iter=2000).fit(X)
    assert found.trace_.log_likelihood[-1] >= theirs["loglik"] - 1e-5 * abs(theirs["loglik"])


# one step


@pytest.fixture
def one_step(reference, faithful):
    """Memberships under the stated parameters, as a start, and what one step makes of them."""
    theirs, x = reference("em_one_step_faithful_waiting"), faithful(["waiting"])
    begin = theirs["start"]
    logs = np.log(begin["alpha"]) - 0.5 * ((x - begin["mu"]) / begin["sigma"]) ** 2 - np.log(begin["sigma"])
    joint = np.exp(logs)
    return x, joint / joint.sum(axis=1, keepdims=True), theirs


def test_one_step(one_step):
    x, memberships, theirs = one_step
    found = steps(x, 1, components=2, start=memberships)
    mean, covariance = moments(found)
    np.testing.assert_allclose(memberships[:10, 0], theirs["responsibility_comp1_first10"], rtol=1e-12)
    np.testing.assert_allclose(found.weights_, theirs["alpha"], rtol=1e-12)
    np.testing.assert_allclose(mean.ravel(), theirs["mu"], rtol=1e-12)
    np.testing.assert_allclose(covariance.ravel(), theirs["sigma2"], rtol=1e-12)
    assert found.trace_.log_likelihood[0] == pytest.approx(theirs["loglik_after"], rel=1e-13)


def test_expected_log_likelihood_and_entropy_make_the_bound(one_step):
    """From the parameters of the start: log likelihood = Q + entropy, and after the step Q + entropy is the bound."""
    x, memberships, theirs = one_step
    entropy = -(memberships * np.log(memberships)).sum()
    assert entropy == pytest.approx(theirs["entropy_minus_sum_q_log_q"], rel=1e-10)
    assert theirs["Q_at_start"] + entropy == pytest.approx(theirs["loglik_start"], rel=1e-12)
    (part,) = steps(x, 1, components=2, start=memberships).joint_.density.parts
    expected = (memberships * (part.log_density(x) + np.log(theirs["alpha"]))).sum()
    assert expected == pytest.approx(theirs["Q_after"], rel=1e-12)
    assert expected + entropy < theirs["loglik_after"]


def test_a_state_has_the_bound_of_the_step_that_led_to_it(one_step):
    x, memberships, _ = one_step
    first, second, *_ = em_steps(Mixture(2, start=memberships, parameter_prior="flat"), x)
    logs = second.joint.density.log_density((x,)) + np.log(second.joint.prevalence)
    q = first.memberships
    by_hand = (q * (logs - np.log(q))).sum()
    assert second.bound == pytest.approx(by_hand, rel=1e-12)
    gap = (q * (np.log(q) - np.log(second.memberships))).sum()
    assert second.kl == pytest.approx(gap, rel=1e-8)


# latent classes


def answers(name, variables):
    """The data of poLCA, which are not ours to pass on: they lie beside the repository, or nowhere."""
    path = SHARED / f"{name}.csv"
    if not path.exists():
        pytest.skip(
            f"{name}.csv is not ours to redistribute, and there is no shared/reference/data beside this checkout"
        )
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {variable: [row[variable] or None for row in rows] for variable in variables}


def coded(columns):
    """Codes (N, D) of the categories in their order, −1 where missing."""
    levels = [sorted({cell for cell in cells if cell is not None}) for cells in columns.values()]
    pairs = zip(columns.values(), levels, strict=True)
    return np.array([[-1 if cell is None else names.index(cell) for cell in cells] for cells, names in pairs]).T


def posterior(codes, probabilities, class_shares):
    """P(class | row), from tables (class, category) for each variable; missing cells say nothing."""
    joint = np.tile(np.asarray(class_shares, dtype=float), (len(codes), 1))
    for column, table in zip(codes.T, probabilities, strict=True):
        joint *= np.where(column[:, None] < 0, 1.0, np.asarray(table).T[column])
    return joint / joint.sum(axis=1, keepdims=True)


LATENT = [("carcinoma", "lca_carcinoma", k) for k in (1, 2, 3, 4)] + [
    ("election", "lca_election_na", k) for k in (1, 2, 3)
]


SETTLED = 1e-7  # what the last step of poLCA still changed in the parameters


@pytest.mark.parametrize("name, file, classes", LATENT)
def test_latent_classes_of_polca(reference, name, file, classes):
    theirs = reference(file)[f"K{classes}"]
    tables = theirs["class_conditional_probs"]
    columns = answers(name, list(tables))
    codes = coded(columns)
    begin = posterior(codes, theirs["start_probs_of_best_run"], np.full(classes, 1 / classes))
    model = unsettled(
        LatentClass(
            classes, parameter_prior="flat", smoothing=0, start=begin, tol=1e-300, max_iter=theirs["iterations"]
        ),
        columns,
    )
    assert model.trace_.log_likelihood[-1] == pytest.approx(theirs["loglik"], rel=1e-13)
    assert model.bic(columns) == pytest.approx(theirs["bic"], rel=1e-12)
    assert model.aic(columns) == pytest.approx(theirs["aic"], rel=1e-12)
    np.testing.assert_allclose(model.weights_, theirs["class_shares_P"], atol=SETTLED)  # the start keeps its order
    for name_of, table in tables.items():
        found = model.tables()[name_of]
        ours = np.array([cells for heading, cells in found.items() if heading != "component"]).T
        np.testing.assert_allclose(ours, table, atol=SETTLED)
    rows = theirs["posterior_rows"]
    stated = posterior(codes[:rows], [tables[variable] for variable in tables], theirs["class_shares_P"])
    np.testing.assert_allclose(stated, theirs["posterior_from_stated_parameters"], atol=1e-12)
    first = {variable: cells[:rows] for variable, cells in columns.items()}
    np.testing.assert_allclose(model.predict_proba(first), stated, atol=SETTLED)
