"""Kinds with known numbers and kinds that are transforms, in whole models: against scipy, quadrature and refitting."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln, expit, i0e, logit, logsumexp

import suffice
from suffice import (
    Beta,
    Gamma,
    Mixture,
    NaiveBayes,
    NormalInverseGamma,
    NormalMean,
    collect,
    compare,
    evidence_of_columns,
    explain,
    leave_one_out,
    nomogram,
    plots,
    tune,
)
from suffice.errors import KindError, ParameterError, SingularError

N = 120
R, SHAPE, KAPPA = 2.5, 1.7, 3.0


@dataclass(frozen=True)
class Spec:
    """A kind: how its cells come about, their density by scipy, and a belief about its one unknown number θ."""

    declared: Any
    draw: Callable[..., Any]  # (rng, classes) → cells
    log_density: Callable[..., Any]  # (x, θ): elementwise
    start: tuple[float, ...]  # somewhere for the maximiser, in θ
    belief: Any  # as a parameter prior
    believed: Callable[..., Any]  # ln p(θ)
    grid: Any  # of θ, evenly spaced


def logit_normal(x, mean, sd=1.0):
    return stats.norm.logpdf(logit(x), mean, sd) - np.log(x) - np.log1p(-x)


def degrees(x, mean, kappa=KAPPA):
    return stats.vonmises.logpdf(np.deg2rad(x), kappa, loc=mean) - np.log(180 / np.pi)


SPECS = {
    "failures": Spec(
        ("negative-binomial", R),
        lambda rng, y: rng.negative_binomial(R, 0.3 + 0.3 * y).astype(float),
        lambda x, p: stats.nbinom.logpmf(x, R, p),
        (0.5,),
        Beta(2, 3),
        lambda p: stats.beta.logpdf(p, 2, 3),
        np.linspace(0, 1, 4001)[1:-1],
    ),
    "wait": Spec(
        ("gamma", SHAPE),
        lambda rng, y: rng.gamma(SHAPE, 1.0 + y),
        lambda x, rate: stats.gamma.logpdf(x, SHAPE, scale=1 / rate),
        (1.0,),
        Gamma(2, 1.5),
        lambda rate: stats.gamma.logpdf(rate, 2, scale=1 / 1.5),
        np.linspace(0, 6, 6001)[1:],
    ),
    "angle": Spec(
        ("von-mises", KAPPA),
        lambda rng, y: rng.vonmises(2.5 + 1.5 * y, KAPPA),
        lambda x, mean: stats.vonmises.logpdf(x, KAPPA, loc=mean),
        (3.0,),
        None,
        lambda mean: np.full(mean.shape, -np.log(2 * np.pi)),
        np.linspace(-np.pi, np.pi, 2001)[1:],
    ),
    "bearing": Spec(
        ("von-mises-degrees", KAPPA),
        lambda rng, y: np.rad2deg(rng.vonmises(2.5 + 1.5 * y, KAPPA)) % 360,
        degrees,
        (3.0,),
        None,
        lambda mean: np.full(mean.shape, -np.log(2 * np.pi)),
        np.linspace(-np.pi, np.pi, 2001)[1:],
    ),
    "share": Spec(
        "logit-gaussian",
        lambda rng, y: expit(rng.normal(1.5 * y - 1, 1.3)),
        lambda x, mean, sd=1.3: logit_normal(x, mean, sd),
        (0.0, 1.0),
        NormalMean(0.5, 1.0, 1.69),
        lambda mean: stats.norm.logpdf(mean, 0.5, 1.0),
        np.linspace(-7, 8, 6001),
    ),
}
DECLARED = {name: spec.declared for name, spec in SPECS.items()}
EACH = pytest.mark.parametrize("name", SPECS)


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(1).integers(0, 2, N)


@pytest.fixture(scope="module")
def table(y):
    rng = np.random.default_rng(2)
    return {name: spec.draw(rng, y) for name, spec in SPECS.items()}


@pytest.fixture(scope="module")
def holes(table):
    """Every column with some of its cells missing."""
    rng = np.random.default_rng(3)
    return {name: np.where(rng.random(N) < 0.15, np.nan, cells) for name, cells in table.items()}


def taken(table, rows):
    return {name: cells[rows] for name, cells in table.items()}


def of_classes(model, X, y):
    """ln p(x | class) of each row under each class."""
    return model.log_joint(X) - np.log(np.bincount(y) / len(y))


def one_column(name, X, **settings):
    spec = SPECS[name]
    believed = "flat" if spec.belief is None else {name: spec.belief}
    return NaiveBayes(kinds={name: spec.declared}, parameter_prior=believed, **settings), {name: X[name]}


def posterior(spec, x):
    """ln of the mass of each θ of the grid after these cells, and ln of the evidence: quadrature over θ."""
    step = spec.grid[1] - spec.grid[0]
    logs = spec.believed(spec.grid) + spec.log_density(x[:, None], spec.grid).sum(axis=0) + np.log(step)
    return logs - logsumexp(logs), logsumexp(logs)


# estimates


@EACH
def test_maximum_likelihood_is_that_of_an_independent_maximiser(name, table, y):
    spec, X = SPECS[name], {name: table[name]}
    model = NaiveBayes(kinds={name: spec.declared}, estimate="ml", smoothing=0).fit(X, y)
    for k in range(2):
        mine = table[name][y == k]

        def loss(theta, mine=mine):
            found = spec.log_density(mine, *theta)
            return -found.sum() if np.isfinite(found).all() else np.inf

        best = minimize(loss, spec.start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11})
        found = of_classes(model, X, y)[:, k]
        assert found[y == k].sum() == pytest.approx(-best.fun, rel=1e-11)
        np.testing.assert_allclose(found, spec.log_density(table[name], *best.x), atol=1e-5)


@EACH
def test_predictive_is_the_density_averaged_over_the_posterior(name, table, y):
    spec = SPECS[name]
    model, X = one_column(name, table, estimate="predictive")
    found = of_classes(model.fit(X, y), X, y)
    for k in range(2):
        masses, _ = posterior(spec, table[name][y == k])
        expected = logsumexp(masses + spec.log_density(table[name][:, None], spec.grid), axis=1)
        np.testing.assert_allclose(found[:, k], expected, atol=1e-6)


def test_predictives_have_the_names_of_the_books(table, y):
    """Beta-negative-binomial, beta prime, and I₀(|κe^(ix) + Re^(im)|) / (2π I₀(κ) I₀(R))."""
    names = ("failures", "wait", "angle")
    models = [one_column(name, table, estimate="predictive") for name in names]
    failures, waits, angles = (of_classes(model.fit(X, y), X, y)[:, 0] for model, X in models)
    x = table["failures"]
    first, n = y == 0, (y == 0).sum()
    a, b = 2 + R * n, 3 + x[first].sum()
    expected = -np.log(x + R) - betaln(x + 1, R) + betaln(a + R, b + x) - betaln(a, b)
    np.testing.assert_allclose(failures, expected, rtol=1e-10)
    shape, rate = 2 + SHAPE * n, 1.5 + table["wait"][first].sum()
    np.testing.assert_allclose(waits, stats.betaprime.logpdf(table["wait"], SHAPE, shape, scale=rate), rtol=1e-9)
    pull = KAPPA * np.exp(1j * table["angle"][first]).sum()
    sizes = np.abs(KAPPA * np.exp(1j * table["angle"]) + pull), abs(pull), KAPPA
    both, alone, kappa = (np.log(i0e(size)) + size for size in sizes)
    np.testing.assert_allclose(angles, both - alone - kappa - np.log(2 * np.pi), rtol=1e-9)


@EACH
def test_log_evidence_by_quadrature(name, table, y):
    spec = SPECS[name]
    model, X = one_column(name, table)
    [trial] = compare([model], X, y).trials
    expected = sum(posterior(spec, table[name][y == k])[1] for k in range(2))
    assert trial.log_evidence == pytest.approx(expected, rel=1e-8)
    [column] = evidence_of_columns(model, X, y)
    assert column.log_bayes_factor == pytest.approx(expected - posterior(spec, table[name])[1], rel=1e-6)


# rows that come and go


@pytest.mark.parametrize("estimate", ["ml", "map", "mean", "predictive"])
def test_leaving_rows_out_is_refitting(estimate, holes, y):
    weights = np.random.default_rng(4).uniform(0.2, 3, N)
    model = NaiveBayes(kinds=DECLARED, estimate=estimate)
    found = leave_one_out(model, holes, y, sample_weight=weights)
    for row in (0, 5, 77, N - 1):
        others = np.delete(np.arange(N), row)
        refitted = NaiveBayes(kinds=DECLARED, estimate=estimate)
        refitted.fit(taken(holes, others), y[others], sample_weight=weights[others])
        expected = refitted.predict_log_proba(taken(holes, [row]))[0]
        np.testing.assert_allclose(found.log_posterior[row], expected, rtol=1e-8, atol=1e-10)


def test_batches_and_rows_forgotten(holes, y):
    whole = NaiveBayes(kinds=DECLARED).fit(holes, y)
    batches = NaiveBayes(kinds=DECLARED)
    for rows in np.array_split(np.arange(N), 5):
        batches.partial_fit(taken(holes, rows), y[rows])
    np.testing.assert_allclose(batches.log_joint(holes), whole.log_joint(holes), rtol=1e-10)
    parts = [collect(taken(holes, rows), y[rows], kinds=DECLARED) for rows in np.array_split(np.arange(N), 3)]
    everything = collect(holes, y, kinds=DECLARED)
    assert sum(parts) == everything
    assert everything - parts[2] - parts[0] == parts[1]
    again = NaiveBayes.from_summary(everything - parts[2])
    first = np.arange(N - len(np.array_split(np.arange(N), 3)[2]))
    refitted = NaiveBayes(kinds=DECLARED).fit(taken(holes, first), y[first])
    np.testing.assert_allclose(again.log_joint(holes), refitted.log_joint(holes), rtol=1e-9)


@EACH
def test_weights_count_rows_and_missing_cells_are_not_used(name, holes, y):
    model, X = one_column(name, holes)
    times = np.random.default_rng(5).integers(0, 4, N)
    weighted = model.fit(X, y, sample_weight=times).log_joint(X)
    repeated = model.fit({name: np.repeat(X[name], times)}, np.repeat(y, times)).log_joint(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-10)
    there = ~np.isnan(X[name])
    model.fit(X, y)
    np.testing.assert_allclose(np.exp(model.log_joint(X)[~there]), [np.bincount(y) / N] * (~there).sum())
    known = one_column(name, holes, priors="uniform")[0]
    found = known.fit({name: X[name][there]}, y[there]).log_joint(X)
    np.testing.assert_allclose(found, known.fit(X, y).log_joint(X), rtol=1e-10)


# hidden components, cells filled in, rows drawn


def test_mixtures_climb_and_weigh_components(holes):
    model = Mixture(2, kinds=DECLARED, random_state=0).fit(holes)
    assert np.all(np.diff(model.trace_.objective) > -1e-8)
    assert model.trace_.converged
    logs = sum(_log_densities(model, name, holes[name]) for name in SPECS) + np.log(model.weights_)
    np.testing.assert_allclose(model.score_samples(holes), logsumexp(logs, axis=1), rtol=1e-9)


def _log_densities(model, name, x):
    """By scipy, from the parameters that the model shows."""
    titles = {"bearing": "bearing in radians", "share": "logit share"}
    shown = model.tables()[titles.get(name, name)]
    if name == "share":
        parameters = list(zip(shown["mean"], shown["sd"], strict=True))
    else:
        heading = {"failures": "success", "wait": "rate"}.get(name, "direction")
        parameters = [(value,) for value in shown[heading]]
    columns = [SPECS[name].log_density(x, *some) for some in parameters]
    return np.where(np.isnan(x)[:, None], 0.0, np.stack(columns, axis=1))


def test_cells_are_filled_in_as_expected_over_components(holes):
    """r(1 − p)/p, k/rate, circular means, and E x of a logit-normal x, which is not the inverse logit of a mean."""
    model = Mixture(2, kinds=DECLARED, random_state=0).fit(holes)
    full, shares, shown = model.impute(holes), model.predict_proba(holes), model.tables()
    p, angles = shown["failures"]["success"], shown["angle"]["direction"]
    z = np.linspace(-12, 12, 20001)[:, None]
    density = stats.norm.pdf(z, shown["logit share"]["mean"], shown["logit share"]["sd"])
    expected = {
        "failures": shares @ (R * (1 - p) / p),
        "wait": shares @ (SHAPE / shown["wait"]["rate"]),
        "angle": np.angle(shares @ np.exp(1j * angles)),
        "bearing": np.rad2deg(np.angle(shares @ np.exp(1j * shown["bearing in radians"]["direction"]))),
        "share": shares @ (expit(z) * density).sum(axis=0) * (z[1, 0] - z[0, 0]),
    }
    for name, cells in holes.items():
        there = ~np.isnan(cells)
        np.testing.assert_array_equal(full[name][there], cells[there])
        np.testing.assert_allclose(full[name][~there], expected[name][~there], rtol=1e-8)
    drawn = model.impute(holes, draw=True, random_state=0)
    assert all(np.isfinite(cells).all() for cells in drawn.values())


def test_failures_of_several_columns_are_expected_each_by_its_own():
    shown = {"class": {"class": ["u", "v"], "prior": [0.3, 0.7]}}
    p = {"a": np.array([0.2, 0.5]), "b": np.array([0.4, 0.8]), "c": np.array([0.3, 0.9])}
    r = {"a": 2.0, "b": 3.5, "c": 1.0}
    shown |= {name: {"success": p[name], "failure": 1 - p[name]} for name in p}
    model = NaiveBayes.from_tables(shown, kinds={name: ("negative-binomial", r[name]) for name in r})
    full = model.impute({name: [np.nan] for name in p})
    for name, cells in full.items():
        assert cells.item() == pytest.approx([0.3, 0.7] @ (r[name] * (1 - p[name]) / p[name]))


@pytest.mark.parametrize("sd", [0.1, 0.99, 1.01, 4.0, 30.0])
def test_the_mean_of_a_share_however_wide_its_logit(sd):
    x = {"x": expit([-12 - sd, -12 + sd, 0, 1])}
    model = NaiveBayes(kinds="logit-gaussian", estimate="ml", priors=[1, 0]).fit(x, [0, 0, 1, 1])
    z = np.linspace(-9, 9, 400_001)
    expected = (expit(-12 + sd * z) * stats.norm.pdf(z)).sum() * (z[1] - z[0])
    assert model.impute({"x": [np.nan]})["x"].item() == pytest.approx(expected, rel=1e-6)


@EACH
def test_rows_drawn_teach_the_same_model(name, table, y):
    model = Mixture(1, kinds={name: DECLARED[name]}).fit({name: table[name]})
    rows, _ = model.sample(40_000, random_state=6)
    again = Mixture(1, kinds={name: DECLARED[name]}).fit(rows)
    for found, expected in zip(_numbers(again), _numbers(model), strict=True):
        np.testing.assert_allclose(found, expected, atol=0.03)


def _numbers(model):
    [shown] = [some for title, some in model.tables().items() if title != "component"]
    return [column for heading, column in shown.items() if heading not in ("component", "sd", "mean")] or [
        shown["mean"]
    ]


# files, reasons, reports


@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_models_and_summaries_on_disk(estimate, holes, y, tmp_path):
    model = NaiveBayes(kinds=DECLARED, estimate=estimate).fit(holes, y)
    model.save(tmp_path / "模型")
    again = suffice.load(tmp_path / "模型")
    np.testing.assert_array_equal(again.predict_proba(holes), model.predict_proba(holes))
    more = again.partial_fit(holes, y)
    np.testing.assert_array_equal(more.predict_proba(holes), model.partial_fit(holes, y).predict_proba(holes))
    mixture = Mixture(2, kinds=DECLARED, random_state=0).fit(holes)
    mixture.save(tmp_path / "mixture")
    np.testing.assert_array_equal(
        suffice.load(tmp_path / "mixture").impute(holes)["angle"], mixture.impute(holes)["angle"]
    )


@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_explanations_and_nomograms_add_up(estimate, holes, y):
    model = NaiveBayes(kinds=DECLARED, estimate=estimate).fit(holes, y)
    found, logs = explain(model, holes, between=(1, 0)), model.predict_log_proba(holes)
    assert set(found.terms) == set(SPECS)
    np.testing.assert_allclose(found.prior + sum(found.terms.values()), logs[:, 1] - logs[:, 0], atol=1e-9)
    sheet = nomogram(model, holes, between=(1, 0))
    assert set(sheet.scales) == set(SPECS)
    middle = {name: np.array([scale.values[7]]) for name, scale in sheet.scales.items()}
    logs = model.predict_log_proba(middle)[0]
    points = sum(scale.points[7] for scale in sheet.scales.values())
    assert sheet.prior + points == pytest.approx(logs[1] - logs[0], abs=1e-9)
    plots.nomogram(sheet)
    plt.close("all")


def test_intervals_cover_what_the_quadrature_says(table, y):
    for name, title, heading in (
        ("failures", "failures", "success"),
        ("wait", "wait", "rate"),
        ("angle", "angle", "direction"),
        ("bearing", "bearing in radians", "direction"),
        ("share", "logit share", "mean"),
    ):
        model, X = one_column(name, table, estimate="predictive")
        shown = model.fit(X, y).tables(level=0.9)[title]
        masses, _ = posterior(SPECS[name], table[name][y == 0])
        ladder = np.cumsum(np.exp(masses))
        for end, share in (("low", 0.05), ("high", 0.95)):
            at = np.interp(share, ladder, SPECS[name].grid)
            assert shown[f"{heading} {end}"][0] == pytest.approx(at, abs=3e-3), name
    low, high = NaiveBayes(kinds=DECLARED).fit(table, y).predict_interval(taken(table, slice(0, 4)), draws=200)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))


def test_tuning_compares_and_leaves_declared_kinds_alone(table, y):
    found = NaiveBayes(kinds=DECLARED | {"wait": "auto"}, smoothing="auto").fit(table, y)
    assert found.tuned_.best.model.kinds["angle"] == ("von-mises", KAPPA)
    assert tune(NaiveBayes(kinds=DECLARED), table, y).best.model.kinds == DECLARED
    both = [NaiveBayes(kinds=DECLARED), NaiveBayes(kinds=DECLARED | {"wait": "log-gaussian"})]
    first, second = sorted(
        compare(both, table, y).trials, key=lambda trial: str(trial.model.kinds["wait"]), reverse=True
    )
    assert np.isfinite(first.log_evidence - second.log_evidence)


@pytest.mark.parametrize("pair", [("failures", "angle"), ("wait", "bearing"), ("share", "wait")], ids="-".join)
def test_regions_are_drawn(pair, table, y):
    X = {name: table[name] for name in pair}
    plots.regions(NaiveBayes(kinds={name: DECLARED[name] for name in pair}).fit(X, y), X, y)
    plt.close("all")


def test_densities_of_every_kind_are_drawn(table, y):
    drawn = plots.densities(NaiveBayes(kinds=DECLARED).fit(table, y), table, y)
    names = {panel.get_xlabel() for panel in drawn.figure.axes}
    assert set(DECLARED) <= names


# beliefs


@pytest.mark.parametrize(
    ("name", "belief"),
    [
        ("failures", Beta(1, 1).after(heads=4, tails=3)),
        ("wait", Gamma(2, 1).after(waits=[0.5, 2.0])),
        ("share", NormalInverseGamma(0, 1, 2, 1)),
    ],
)
def test_beliefs_of_a_person_are_priors(name, belief, table, y):
    X = {name: table[name]}
    for believed in (belief, {0: belief, 1: belief}):
        model = NaiveBayes(kinds={name: DECLARED[name]}, parameter_prior={name: believed}, estimate="mean")
        shown = next(some for title, some in model.fit(X, y).tables().items() if title != "class")
        if name == "failures":
            expected = (5 + R * (y == 0).sum()) / (9 + R * (y == 0).sum() + X[name][y == 0].sum())
            assert shown["success"][0] == pytest.approx(expected, rel=1e-12)
        if name == "wait":
            expected = (4 + SHAPE * (y == 0).sum()) / (3.5 + X[name][y == 0].sum())
            assert shown["rate"][0] == pytest.approx(expected, rel=1e-12)
        if name == "share":
            z = logit(X[name][y == 0])
            assert shown["mean"][0] == pytest.approx(z.sum() / (len(z) + 1), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "belief", "message"),
    [
        ("failures", Gamma(2, 1), "Gamma is a belief about rates, but one about probabilities of cells is needed here"),
        ("wait", Beta(2, 1), "Beta is a belief about probabilities of cells, but one about rates is needed here"),
        (
            "angle",
            NormalMean(0, 1, 1),
            "NormalMean is a belief about means and variances, but one about directions is needed here",
        ),
        ("bearing", Beta(2, 1), "but one about directions is needed here"),
        ("share", Gamma(2, 1), "but one about means and variances is needed here"),
    ],
)
def test_beliefs_about_something_else_are_refused(name, belief, message, table, y):
    with pytest.raises(ParameterError, match=message):
        NaiveBayes(kinds=DECLARED, parameter_prior={name: belief}).fit(table, y)


# what is the same, and what is refused


def test_exponential_is_a_gamma_of_shape_one_and_geometric_is_one_success(table, y):
    waits = {"x": np.where(np.arange(N) == 3, 0.0, table["wait"])}
    for estimate in ("ml", "map", "mean", "predictive"):
        found, expected = (
            NaiveBayes(kinds={"x": kind}, estimate=estimate).fit(waits, y) for kind in (("gamma", 1), "exponential")
        )
        np.testing.assert_array_equal(found.log_joint(waits), expected.log_joint(waits))
    failures = {"x": table["failures"]}
    model = NaiveBayes(kinds={"x": ("negative-binomial", 1)}, smoothing=0).fit(failures, y)
    p = 1 / (1 + failures["x"][y == 1].mean())
    expected = stats.geom.logpmf(failures["x"] + 1, p)
    np.testing.assert_allclose(of_classes(model, failures, y)[:, 1], expected, rtol=1e-10)
    assert "x (geometric)" in str(model)


@pytest.mark.parametrize("estimate", ["ml", "map", "predictive"])
def test_full_turns_and_units_of_angles_do_not_matter(estimate, table, y):
    def log_joint(kind, cells):
        model = NaiveBayes(kinds={"x": (kind, KAPPA)}, estimate=estimate)
        return model.fit({"x": cells}, y).log_joint({"x": cells})

    radians, turns = table["angle"], np.random.default_rng(7).integers(-5, 6, N)
    plain = log_joint("von-mises", radians)
    np.testing.assert_allclose(log_joint("von-mises", radians + 2 * np.pi * turns), plain, atol=1e-11)
    in_degrees = log_joint("von-mises-degrees", np.rad2deg(radians) + 360.0 * turns)
    np.testing.assert_allclose(in_degrees, plain - np.log(180 / np.pi), atol=1e-11)


@pytest.mark.parametrize("kappa", [1e-300, 1e300])
def test_any_concentration_is_finite(kappa, table, y):
    X = {"angle": table["angle"]}
    for estimate in ("ml", "map", "predictive"):
        model = NaiveBayes(kinds={"angle": ("von-mises", kappa)}, estimate=estimate).fit(X, y)
        assert np.isfinite(model.log_joint(X)).all()


@pytest.mark.parametrize("kappa", [1e4, 1e8, 1e12])
@pytest.mark.parametrize("estimate", ["ml", "predictive"])
def test_sharp_angles_are_as_good_as_gaussian(kappa, estimate):
    """κ is 1/σ² there; the predictive has 1/κ + 1/(κN). Nothing overflows, and no digits are lost to large numbers."""
    n, sd = 20_000, kappa**-0.5
    rng = np.random.default_rng(8)
    x = np.concatenate([1 + sd * rng.normal(size=n), 1 + sd * (5 + rng.normal(size=n))])
    y = np.repeat([0, 1], n)
    believed = {"parameter_prior": "flat"} if estimate == "predictive" else {}
    model = NaiveBayes(kinds={"x": ("von-mises", kappa)}, estimate=estimate, **believed).fit({"x": x}, y)
    width = sd * np.sqrt(1 + (estimate == "predictive") / n)
    expected = stats.norm.logpdf(x[:100], x[:n].mean(), width)
    np.testing.assert_allclose(of_classes(model, {"x": x[:100]}, y)[:, 0], expected, atol=1e-5 + 10 / kappa)
    assert np.isfinite(compare([model], {"x": x}, y).trials[0].log_evidence)
    assert leave_one_out(model, {"x": x}, y).accuracy > 0.98


def test_many_failures_and_long_waits_stay_finite():
    X = {"f": np.array([1e8, 3e8, 2.0, 5.0]), "w": np.array([1e-100, 3e-100, 1e100, 2e100])}
    kinds = {"f": ("negative-binomial", 0.5), "w": ("gamma", 40.0)}
    for estimate in ("ml", "map", "predictive"):
        model = NaiveBayes(kinds=kinds, estimate=estimate).fit(X, [0, 0, 1, 1])
        assert np.isfinite(model.log_joint(X)[[0, 1, 2, 3], [0, 0, 1, 1]]).all()
        assert model.predict(X).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("kind", ["poisson", ("negative-binomial", 4)])
def test_counts_beyond_all_whole_numbers_are_drawn(kind):
    X = {"x": np.array([1e22, 2e22, 3e22])}
    rows, _ = Mixture(1, kinds={"x": kind}, smoothing=0).fit(X).sample(4000, random_state=0)
    assert rows["x"].mean() == pytest.approx(2e22, rel=0.05)
    assert (rows["x"] % 1 == 0).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("failures", 0.5, "Fractions.*failures before 2.5 successes.*a whole number"),
        ("failures", -1.0, "Negative values.*0 or more"),
        ("wait", 0.0, r"Values of 0.*'wait' .gamma of shape 1.7. holds 0 in row 7; expected more than 0"),
        ("angle", np.inf, "Infinite cells"),
        ("share", 0.0, "Values of 0.*'share' .Gaussian after logit. holds 0 in row 7; expected more than 0"),
        ("share", 1.0, "holds 1 in row 7; expected less than 1"),
    ],
)
def test_cells_that_cannot_be_are_refused_in_fitting_and_in_prediction(name, value, message, table, y):
    odd = table | {name: np.where(np.arange(N) == 7, value, table[name])}
    with pytest.raises(KindError, match=message):
        NaiveBayes(kinds=DECLARED).fit(odd, y)
    with pytest.raises(KindError, match=message):
        NaiveBayes(kinds=DECLARED).fit(table, y).predict(odd)


@pytest.mark.parametrize("number", [0, -1, np.nan, np.inf, "two", None])
@pytest.mark.parametrize("kind", ["negative-binomial", "gamma", "von-mises", "von-mises-degrees"])
def test_numbers_that_cannot_be_are_refused(kind, number, table, y):
    with pytest.raises(ParameterError, match=f"Column 'wait': {kind} takes its .*found"):
        NaiveBayes(kinds={"wait": (kind, number)}).fit(table, y)


def test_summaries_of_other_numbers_do_not_add(table, y):
    X = {"wait": table["wait"]}
    with pytest.raises(KindError, match="these differ in wait"):
        collect(X, y, kinds={"wait": ("gamma", 2)}) + collect(X, y, kinds={"wait": ("gamma", 3)})


def test_opposite_angles_have_no_mean_direction():
    """Which rounding would otherwise make up."""
    X, y = {"x": np.array([0.0, 180, 540, -180, 720, 0, 90, 30])}, [0, 0, 0, 0, 0, 0, 1, 1]
    kinds = {"x": ("von-mises-degrees", 2)}
    with pytest.raises(SingularError, match="In class 0 there is no mean direction in 'x'"):
        NaiveBayes(kinds=kinds, estimate="ml").fit(X, y)
    model = NaiveBayes(kinds=kinds, estimate="predictive", parameter_prior="flat").fit(X, y)
    np.testing.assert_allclose(of_classes(model, X, np.array(y))[:, 0], -np.log(360), rtol=1e-12)


def test_a_class_without_a_direction(table, y):
    X = {"angle": np.where(y == 0, np.nan, table["angle"]), "wait": table["wait"]}
    kinds = {name: DECLARED[name] for name in X}
    with pytest.raises(SingularError, match="In class 0 there is no mean direction in 'angle'"):
        NaiveBayes(kinds=kinds, estimate="ml").fit(X, y)
    assert np.isfinite(NaiveBayes(kinds=kinds).fit(X, y).log_joint(X)).all()


@pytest.mark.parametrize("kind", [*DECLARED.values(), "log-gaussian", "exponential", "gaussian"], ids=str)
def test_models_can_be_pickled(kind, y):
    cells = {"x": np.random.default_rng(4).uniform(0.1, 0.9, N)}
    cells = {"x": np.round(9 * cells["x"])} if kind == DECLARED["failures"] else cells
    for model in (NaiveBayes(kinds={"x": kind}).fit(cells, y), Mixture(2, kinds={"x": kind}).fit(cells)):
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(cells), model.predict_proba(cells))


@pytest.mark.parametrize("face", [suffice.LinearDiscriminant, suffice.QuadraticDiscriminant])
@pytest.mark.parametrize("odd", [pd.NA, np.zeros((2, 2)), pd.DataFrame({"a": [1]})], ids=["NA", "array", "frame"])
def test_a_kind_that_is_none_is_refused_by_discriminants_too(face, odd):
    with pytest.raises(ParameterError, match="a kind is one of"):
        face(kinds={"a": odd}).fit({"a": [0.0, 1.0, 2.0, 3.5], "b": [1.0, 0.0, 2.0, 2.5]}, [0, 0, 1, 1])
