"""Models weighed against each other: evidence from summaries, validation and evidence in one table, settings by it."""

import warnings
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError

from suffice import (
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    LinearDiscriminant,
    Loss,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    collect,
    compare,
    cross_validate,
    evidence_of_columns,
    example,
    leave_one_out,
    load,
    tune,
)
from suffice.data.table import read_table
from suffice.errors import ConstantColumnWarning, IdleSettingWarning, ParameterError, SufficeError, UndeterminedWarning
from suffice.model import collect as collecting
from suffice.model import folds as folding

same = partial(np.testing.assert_allclose, rtol=1e-9)
FACES = [NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant(), NearestMean()]


@pytest.fixture(scope="module")
def irises():
    return load_iris(return_X_y=True)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def test_one_table_of_validation_and_evidence(irises):
    found = compare(FACES, *irises)
    assert [trial.name for trial in found.trials] == [type(model).__name__ for model in FACES]
    for trial, model in zip(found.trials, FACES, strict=True):
        same(trial.validation.posterior, leave_one_out(model, *irises).posterior)
    columns = found.table()
    assert list(columns)[:3] == ["model", "accuracy", "accuracy se"]
    same(columns["log loss"], [trial.validation.log_loss for trial in found.trials])
    assert found.best.name == "LinearDiscriminant"


def test_evidence_needs_no_rows(irises):
    found, from_summary = compare(FACES, *irises), compare(FACES, collect(*irises))
    same(from_summary.table()["log evidence"], found.table()["log evidence"])
    same(found.log_bayes_factor(0, 1), found.trials[0].log_evidence - found.trials[1].log_evidence)


@pytest.mark.parametrize(
    "truth, best", [("diagonal", "NaiveBayes"), ("shared", "LinearDiscriminant"), ("own", "QuadraticDiscriminant")]
)
def test_evidence_finds_the_model_that_made_the_rows(rng, truth, best):
    labels = np.repeat([0, 1], 300)
    mixing = {k: np.eye(3) for k in (0, 1)}
    if truth != "diagonal":
        mixing = dict.fromkeys((0, 1), np.linalg.cholesky([[1, 0.8, 0.3], [0.8, 1, 0.5], [0.3, 0.5, 1]]))
    if truth == "own":
        mixing[1] = mixing[0] @ np.diag([1, -1, 0.5])
    scales = np.array([[1, 2, 1], [2, 1, 1]]) if truth == "diagonal" else np.ones((2, 3))
    rows = np.stack([mixing[k] @ (scales[k] * rng.normal(size=3)) + k for k in labels])
    found = compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant()], collect(rows, labels))
    assert max(found.trials, key=lambda trial: trial.log_evidence).name == best


def test_evidence_is_the_chain_of_predictives(rng):
    """Ln p(rows | classes) of naive Bayes is the sum of each row's log predictive given the rows before it."""
    table = pd.DataFrame({"n": rng.poisson(3, 12).astype(float), "c": pd.Categorical(rng.choice(list("ab"), 12))})
    labels = np.arange(12) % 2
    priors = {"n": Gamma(2.0, 1.0), "c": Dirichlet({"a": 1.5, "b": 0.5})}
    model = NaiveBayes(kinds={"n": "poisson"}, estimate="predictive", parameter_prior=priors, priors="uniform")
    total = compare([model], table, labels).trials[0].log_evidence
    chain = 0.0
    for row in range(2, 12):
        before = clone(model).fit(table[:row], labels[:row])
        chain += before.log_joint(table[row : row + 1])[0, labels[row]] - np.log(0.5)
    first = compare([model], table[:2], labels[:2]).trials[0].log_evidence
    same(total, first + chain)


def test_evidence_of_a_logarithm_is_that_of_the_number_itself(rng):
    """Ln p(x) = ln p(ln x) − ln x, so that kinds of a column can be weighed against each other."""
    x, labels = rng.lognormal(1.0, 0.8, (200, 1)), np.arange(200) % 2
    kinds = {kind: NaiveBayes(kinds=kind) for kind in ("gaussian", "log-gaussian", "exponential")}
    found = compare(kinds, x, labels)
    of_logs = compare({"ln": NaiveBayes()}, np.log(x), labels)
    same(found["log-gaussian"].log_evidence, of_logs["ln"].log_evidence - np.log(x).sum())
    assert max(found.trials, key=lambda trial: trial.log_evidence).name == "log-gaussian"
    model = NaiveBayes(kinds="log-gaussian", estimate="ml").fit(x, labels)
    shares = [stats.lognorm(np.log(x[labels == k]).std(), 0, np.exp(np.log(x[labels == k]).mean())) for k in (0, 1)]
    same(np.exp(model.score_samples(x)), np.mean([share.pdf(x[:, 0]) for share in shares], axis=0))


def test_columns_that_matter_and_columns_that_do_not(rng):
    labels = np.arange(400) % 2
    table = {
        "matters": rng.normal(labels),
        "does not": rng.normal(size=400),
        "颜色": np.where(rng.random(400) < 0.2 + 0.5 * labels, "红", "绿"),
        "noise": rng.choice(["u", "v"], 400),
    }
    found = {e.columns[0]: e.log_bayes_factor for e in evidence_of_columns(NaiveBayes(), table, labels)}
    assert min(found["matters"], found["颜色"]) > 5
    assert max(found["does not"], found["noise"]) < -1
    summary = collect(table, labels)
    again = {e.columns[0]: e.log_bayes_factor for e in evidence_of_columns(NaiveBayes(), summary)}
    same([again[name] for name in found], list(found.values()))


def test_paired_difference(irises):
    found = compare(FACES, *irises)
    a, b = (found[name].validation.log_losses for name in ("NaiveBayes", "LinearDiscriminant"))
    difference = found.difference("NaiveBayes", "LinearDiscriminant")
    same([difference, difference.se], [np.mean(a - b), np.std(a - b, ddof=1) / np.sqrt(150)])


def test_what_fails_stays_in_the_table_with_its_reason(irises):
    table, labels = irises
    holed = table.copy()
    holed[3, 1] = np.nan
    found = compare([NaiveBayes(), LinearDiscriminant()], holed, labels)
    assert found.trials[1].validation is None
    assert "cross_validate" in found.trials[1].note
    assert "Cells are missing" in repr(found)
    assert found.best.name == "NaiveBayes"
    with pytest.raises(ParameterError, match="has not been validated: Cells are missing"):
        found.difference(0, 1)
    with pytest.raises(ParameterError, match="None of the models could be validated"):
        _ = compare([LinearDiscriminant()], holed, labels).best
    by_folds = compare([NaiveBayes(), LinearDiscriminant()], holed, labels, folds=5)
    assert by_folds.trials[1].validation is not None


def test_shrinkage_has_no_evidence(irises):
    assert np.isnan(compare([GaussianDiscriminant(shrink_shared=0.5)], *irises).trials[0].log_evidence)
    found = compare([GaussianDiscriminant(shrink_shared=0.5)], collect(*irises))
    assert "no evidence" in found.trials[0].note


def test_an_unknown_trial(irises):
    with pytest.raises(ParameterError, match="There is no trial 'svm'; the trials are"):
        compare(FACES, *irises)["svm"]


def test_tuning_tries_everything_and_takes_the_best(irises):
    found = tune(GaussianDiscriminant(), *irises)
    tried = Counter(trial.model.inflate for trial in found.trials)
    assert tried[1.0] == 72
    assert set(tried.values()) <= {72, 1, 2}  # all with what is best for the plainest too, a few with more or less
    assert found.best.criterion == min(trial.criterion for trial in found.trials)
    same(found.best.model.predict_proba(irises[0]), clone(found.best.model).fit(*irises).predict_proba(irises[0]))
    assert f"the best of {len(found.trials)}; table() has them all" in repr(found)


def test_tuning_by_a_loss_of_your_own(irises):
    loss = Loss({0: {0: 0, 1: 1, 2: 1}, 1: {0: 5, 1: 0, 2: 1}, 2: {0: 9, 1: 20, 2: 0}})
    found = tune(LinearDiscriminant(), *irises, loss=loss)
    assert found.best.validation.mean_loss == min(trial.validation.mean_loss for trial in found.trials)


def test_auto_is_tune(irises):
    model = GaussianDiscriminant(shape="auto", shared="auto", shrink_shared=0.1)
    found = tune(model, *irises, over=["shape", "shared", "inflate"])
    model.fit(*irises)
    assert [trial.name for trial in model.tuned_.trials] == [trial.name for trial in found.trials]
    plain = found.beyond_doubt("shape=full, shared=True, inflate=1.0").model.fit(*irises)
    same(model.predict_proba(irises[0]), plain.predict_proba(irises[0]))


def test_auto_keeps_what_is_plain_where_nothing_is_better_by_more_than_a_standard_error(rng):
    y = np.arange(400) % 2
    alike = rng.normal(size=(400, 2)) @ [[1.0, 0.9], [0.0, 0.5]] + y[:, None]
    other = rng.normal(size=(400, 2)) * (1 + 4 * y[:, None])
    for X, shared in ((alike, True), (other, False)):
        model = GaussianDiscriminant(shape="auto", shared="auto").fit(X, y)
        plain, best = model.tuned_["shape=full, shared=True, inflate=1.0"].validation, model.tuned_.best
        gain = plain.difference(best.validation)
        assert (gain <= gain.se) is shared
        used = model.tuned_["shape=full, shared=True, inflate=1.0"] if shared else best
        same(model.predict_proba(X), used.model.fit(X, y).predict_proba(X))


def test_a_plain_model_that_cannot_be_is_not_kept():
    table, y = {"a": ["x", "w"] * 6}, [0, 1] * 6
    found = tune(NaiveBayes(), table, y, over="smoothing")
    assert found.beyond_doubt("smoothing=of another").name == found.best.name


def test_auto_kinds_and_smoothing(tmp_path):
    penguins, species = example("penguins")
    model = NaiveBayes(kinds={"body_mass_g": "auto", "year": "ignore"}, smoothing="auto").fit(penguins, species)
    tried = [trial.name for trial in model.tuned_.trials]
    assert any("body_mass_g: log-gaussian" in name for name in tried)
    assert not any("bill_length_mm" in name for name in tried)
    model.save(tmp_path / "chosen.suffice")
    same(load(tmp_path / "chosen.suffice").predict_proba(penguins), model.predict_proba(penguins), rtol=0)


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
def test_counts_of_events_are_found_to_be_counts(rng):
    labels = np.arange(600) % 2
    table = {"n": rng.poisson(1 + 2 * labels).astype(float), "t": rng.lognormal(labels, 1.0)}
    model = NaiveBayes(kinds="auto").fit(table, labels)
    kinds = {column.name: column.kind for column in model.joint_.schema.columns}
    assert kinds["t"] == "log-gaussian"
    plain = leave_one_out(NaiveBayes(), table, labels).log_loss
    assert model.tuned_.best.validation.log_loss < plain


@pytest.mark.parametrize("model", [NaiveBayes(smoothing="auto"), QuadraticDiscriminant(shrink_shared="auto")])
def test_auto_needs_rows(irises, model):
    settings = {name: value for name, value in model.get_params().items() if value == "auto" and name != "estimate"}
    with pytest.raises(ParameterError, match="='auto' needs the rows one by one: use fit"):
        type(model).from_summary(collect(*irises), **settings)
    with pytest.raises(ParameterError, match="='auto' needs the rows one by one: use fit"):
        clone(model).partial_fit(*irises)
    with pytest.raises(ParameterError, match="='auto' needs the rows one by one: use fit"):
        leave_one_out(model, *irises)


def test_nothing_to_tune(irises):
    with pytest.raises(ParameterError, match=r"NearestMean has no settings to tune"):
        tune(NearestMean(), *irises)
    with pytest.raises(
        ParameterError, match=r"can tune \['shape', 'shrink_spherical', 'inflate'\]; found \['priors'\]"
    ):
        tune(LinearDiscriminant(), *irises, over=["priors"])


def test_auto_goes_by_folds_where_cells_are_missing_under_a_full_covariance(rng):
    labels = rng.integers(0, 2, 300)
    table = rng.multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]], 300)
    table[:, 0] += 0.8 * labels
    table[0, 1] = np.nan
    model = LinearDiscriminant(shape="auto").fit(table, labels)
    assert model.tuned_.best.name == "shape=full, inflate=1.0"
    assert {trial.validation.how for trial in model.tuned_.trials} == {"10-fold cross-validation"}


def test_auto_goes_by_folds_where_rows_left_out_one_by_one_would_take_long(rng):
    labels = np.arange(60) % 2
    table = rng.normal(size=(60, 130)) + 0.3 * labels[:, None]
    automatic = LinearDiscriminant(shrink_spherical="auto", estimate="mean")
    model = clone(automatic).fit(table, labels)
    assert {trial.validation.how for trial in model.tuned_.trials} == {"10-fold cross-validation"}
    few = automatic.fit(table[:, :20], labels)
    assert {trial.validation.how for trial in few.tuned_.trials} == {"leave-one-out"}


def test_shapes_of_no_column_are_not_tried(rng):
    words = {"kinds": "counts", "shape": "auto", "shared": "auto", "shrink_spherical": "auto"}
    model = GaussianDiscriminant(**words).fit(rng.poisson(1, (40, 5)), np.arange(40) % 2)
    assert len(model.tuned_.trials) == 1
    assert model.settings_["shape"] == "full"


def test_settings_in_use_are_told(irises, rng):
    chosen = GaussianDiscriminant("auto", "auto", shrink_spherical="auto").fit(*irises)
    best = chosen.tuned_.beyond_doubt("shape=full, shared=True, shrink_spherical=0.0, inflate=1.0")
    assert chosen.settings_ == {name: getattr(best.model, name) for name in GaussianDiscriminant.RECIPE.TUNABLE}
    assert chosen.set_params(shape="diagonal").settings_["shape"] == best.model.shape
    with pytest.raises(NotFittedError):
        _ = NaiveBayes().settings_


# evidences that cannot be compared

NUMBERS = {"kinds": dict.fromkeys("abc", "gaussian")}


@pytest.fixture
def counted(rng):
    """Whole numbers that may be modelled as many kinds, beside others."""
    table = {name: rng.poisson(3, 60).astype(float) + 1 for name in "abc"}
    return table, np.arange(60) % 2


@pytest.mark.parametrize(
    "one, other, why",
    [
        ({"kinds": "gaussian"}, {"kinds": "categorical"}, "column 'a' has a density in one and a probability"),
        ({"kinds": "poisson"}, {"kinds": "exponential"}, "column 'a' has a probability in one and a density"),
        (
            NUMBERS,
            {"kinds": NUMBERS["kinds"] | {"b": ("binomial", 30)}},
            "column 'b' has a density in one and a probability",
        ),
        ({"kinds": "poisson"}, {"kinds": "counts"}, "a probability given the sum of 'a', 'b', 'c' in the other"),
        (
            {"counts": [["a", "b"]], "kinds": {"c": "gaussian"}},
            {"counts": [["b", "c"]], "kinds": {"a": "gaussian"}},
            "column 'a' has a probability given the sum",
        ),
        (NUMBERS, {"kinds": NUMBERS["kinds"] | {"c": "ignore"}}, "only one of them models 'c'"),
        (
            {"kinds": NUMBERS["kinds"] | {"a": "ignore"}},
            {"kinds": NUMBERS["kinds"] | {"c": "ignore"}},
            "only one of them models 'a', 'c'",
        ),
    ],
)
def test_evidences_of_different_things_are_not_compared(counted, one, other, why):
    found = compare({"one": NaiveBayes(**one), "other": NaiveBayes(**other)}, *counted)
    for a, b in (("one", "other"), ("other", "one"), (0, 1)):
        with pytest.raises(ParameterError, match=r"There is no Bayes factor between .*difference\(a, b\)"):
            found.log_bayes_factor(a, b)
    cells = found.table()
    assert np.isnan(cells["log evidence"]).tolist() == [False, True]
    assert cells["note"][0] == ""
    assert why in cells["note"][1] or why in found.trials[0].evidence.apart(found.trials[1].evidence)
    assert "No log evidence beside that of one" in repr(found)
    assert np.isfinite(found.difference("one", "other"))


@pytest.mark.parametrize(
    "one, other",
    [
        ({"kinds": "gaussian"}, {"kinds": "log-gaussian"}),
        ({"kinds": "exponential"}, {"joint": [["a", "b"]], "kinds": {"c": "gaussian"}}),
        ({"kinds": "poisson"}, {"kinds": "categorical"}),
        ({"kinds": NUMBERS["kinds"] | {"a": ("binomial", 40)}}, {"kinds": NUMBERS["kinds"] | {"a": "poisson"}}),
        ({"kinds": "counts"}, {"kinds": "counts", "smoothing": 0.5}),
    ],
)
def test_evidences_of_the_same_are_compared(counted, one, other):
    found = compare({"one": NaiveBayes(**one), "other": NaiveBayes(**other)}, *counted)
    assert np.isfinite(found.log_bayes_factor("one", "other"))
    assert np.isfinite(found.table()["log evidence"]).all()
    assert "".join(found.table()["note"]) == ""


@pytest.mark.parametrize(
    "other",
    [{"kinds": "log-gaussian"}, {"kinds": "exponential"}, {"joint": [["a", "b"]], "kinds": {"c": "gaussian"}}],
)
def test_bayes_factors_do_not_depend_on_units(counted, other):
    factors = [
        compare([NaiveBayes(**NUMBERS), NaiveBayes(**other)], {name: unit * cells for name, cells in table.items()}, y)
        for unit, (table, y) in [(1.0, counted), (1e-3, counted), (1e6, counted)]
    ]
    same([found.log_bayes_factor(0, 1) for found in factors], factors[0].log_bayes_factor(0, 1), rtol=1e-6)


def test_no_evidence_no_bayes_factor(irises):
    found = compare([GaussianDiscriminant(shrink_shared=0.5), LinearDiscriminant()], *irises)
    with pytest.raises(
        ParameterError, match="has no evidence, so there is no Bayes factor: Shrinking or inflating covariances"
    ):
        found.log_bayes_factor(0, 1)


def test_models_alike_stay_apart(irises):
    found = compare([NaiveBayes(), NaiveBayes()], *irises)
    assert [trial.name for trial in found.trials] == ["NaiveBayes()", "NaiveBayes() (2)"]


# a summary and the numbers that kinds come with


@pytest.mark.parametrize(
    "collected, declared, fits",
    [
        (("binomial", 10), ("binomial", 10), True),
        (("binomial", 10), ("binomial", 12), False),
        (("binomial", 10), ("binomial", 9), False),
        (("binomial", 10), ("binomial", 1), False),
        (("binomial", 10), "binary", False),
        (("binomial", 10), "binomial", False),
        (("binomial", 10), ("binomial", 10.0), False),
        (("binomial", 10), ("binomial",), False),
        (("binomial", 10), 10, False),
        ("binary", ("binomial", 1), True),
        ("binary", ("binomial", 2), False),
        ("binary", "binary", True),
        ("categorical", "binary", True),
        ("categorical", ("binomial", 1), False),
        ("poisson", ("binomial", 1), False),
        ("gaussian", "gaussian", True),
        ("gaussian", "log-gaussian", False),
    ],
)
def test_a_summary_is_read_with_the_numbers_it_was_collected_with(collected, declared, fits):
    summary = collect({"x": [0.0, 1, 0, 1, 1, 0], "z": np.arange(6.0)}, [0, 1] * 3, kinds={"x": collected})
    for kinds in ({"x": declared}, {"x": declared, "z": "gaussian"}):
        if fits:
            NaiveBayes.from_summary(summary, kinds=kinds)
        else:
            with pytest.raises(
                ParameterError, match=r"Column 'x' (was collected as|is declared)|binomial takes its number of trials"
            ):
                NaiveBayes.from_summary(summary, kinds=kinds)


# reading once


class Counted(dict):
    """A table that knows how often its columns were asked for."""

    reads = 0

    def items(self):
        Counted.reads += 1
        return super().items()


@pytest.fixture
def reads(monkeypatch):
    """How often tables were read and rows summed up, from here on."""
    Counted.reads, seen = 0, []
    read_table(Counted(x=[1.0]))
    each, Counted.reads = Counted.reads, 0
    original = collecting.summarise
    monkeypatch.setattr(collecting, "summarise", lambda *given: seen.append(1) or original(*given))
    monkeypatch.setattr(folding, "summarise", lambda *given: seen.append(1) or original(*given))
    return lambda: (Counted.reads / each, len(seen))


@pytest.fixture
def colours(rng):
    labels = np.arange(80) % 3
    return Counted({"颜色": rng.choice([*"红绿蓝"], 80), "n": rng.poisson(2 + labels).astype(float)}), labels


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize(
    "use",
    [
        lambda table, labels: tune(NaiveBayes(), table, labels, over=["smoothing"]),
        lambda table, labels: NaiveBayes(smoothing="auto").fit(table, labels),
        lambda table, labels: compare([NaiveBayes(smoothing=s) for s in (0.5, 1, 2)], table, labels),
        lambda table, labels: leave_one_out(NaiveBayes(), table, labels),
        lambda table, labels: evidence_of_columns(NaiveBayes(), table, labels),
        lambda table, labels: NaiveBayes().fit(table, labels),
    ],
)
def test_one_read_of_the_table_and_one_pass_over_the_rows(colours, reads, use):
    use(*colours)
    assert reads() == (1, 1)


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
def test_tuning_by_folds_adds_one_pass_for_all_settings(colours, reads):
    tune(NaiveBayes(), *colours, over=["smoothing"], folds=5)
    assert reads() == (1, 2)  # the folds apart, and all rows


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
def test_kinds_are_summed_up_once_for_each_schema(colours, reads):
    found = tune(NaiveBayes(), *colours, over=["smoothing", "kinds"])
    schemas = {str(trial.model.kinds) for trial in found.trials}
    assert reads() == (1, len(schemas))


# settings that change nothing


@pytest.mark.parametrize("kinds", ["gaussian", "poisson", {"a": "exponential", "b": "ignore", "c": "gaussian"}])
def test_smoothing_where_nothing_is_counted(counted, kinds):
    with pytest.warns(IdleSettingWarning, match="none of these columns is counted"):
        model = NaiveBayes(smoothing="auto", kinds=kinds).fit(*counted)
    assert len(model.tuned_.trials) == 1
    with pytest.warns(IdleSettingWarning):
        assert len(tune(NaiveBayes(kinds=kinds), *counted, over="smoothing").trials) == 1
    same(model.predict_proba(counted[0]), NaiveBayes(kinds=kinds).fit(*counted).predict_proba(counted[0]))


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")
@pytest.mark.parametrize("settings", [{"priors": "smoothed"}, {}, {"kinds": {"a": "categorical"}}, {"kinds": "counts"}])
def test_smoothing_where_something_is_counted(counted, settings):
    assert len(NaiveBayes(smoothing="auto", **settings).fit(*counted).tuned_.trials) == 8


@pytest.mark.parametrize(
    "model", [LinearDiscriminant(shrink_spherical="auto"), QuadraticDiscriminant(shrink_spherical="auto")]
)
def test_rows_that_leave_no_room_do_not_overflow(model):
    """Columns of which one row of a class alone varies: without it nothing is left of a determinant."""
    table, labels = load_digits(n_class=4, return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)  # all others are errors here
        warnings.simplefilter("ignore", UndeterminedWarning)
        found = model.fit(table[:120], labels[:120]).tuned_
    assert np.isfinite(found.best.validation.log_loss)


# what cannot be, of every argument


WRONG = [object(), 3.5, "text", [1, 2, 3]]
CALLS = {
    "leave_one_out": (leave_one_out, ["model", "X", "y", "sample_weight", "loss"]),
    "cross_validate": (
        cross_validate,
        ["model", "X", "y", "folds", "groups", "sample_weight", "loss", "random_state"],
    ),
    "compare": (compare, ["models", "X", "y", "folds", "groups", "sample_weight", "loss"]),
    "tune": (tune, ["model", "X", "y", "over", "folds", "groups", "sample_weight", "loss"]),
    "evidence_of_columns": (evidence_of_columns, ["model", "X", "y", "sample_weight"]),
}


@pytest.mark.parametrize("call, name", [(call, name) for call, (_, names) in CALLS.items() for name in names])
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_an_argument_of_the_wrong_type_is_refused_in_words(colours, call, name, wrong):
    function, _ = CALLS[call]
    given = {"models" if call == "compare" else "model": [NaiveBayes()] if call == "compare" else NaiveBayes()}
    given |= {"X": colours[0], "y": colours[1], name: wrong}
    if name == "random_state" and isinstance(wrong, list):
        wrong = given["random_state"] = [0.5]  # of whole numbers it would be a seed
    with pytest.raises(SufficeError) as caught:
        function(**given)
    assert len(str(caught.value).split()) > 6


@pytest.mark.parametrize(
    "models, message",
    [
        (NaiveBayes(), r"a list of models, or \{name: model\}; found NaiveBayes\(\). Give \[model\]"),
        ([], "at least one model"),
        ([NaiveBayes], r"found the class NaiveBayes. Give NaiveBayes\(\)"),
        ({"a": None}, "takes classifiers of suffice"),
    ],
)
def test_models_that_cannot_be_compared(irises, models, message):
    with pytest.raises(ParameterError, match=message):
        compare(models, *irises)


@pytest.mark.parametrize("name", [7, -4, None, 1.5, "svm"])
def test_trials_that_are_not_there(irises, name):
    with pytest.raises(ParameterError, match="There is no trial"):
        compare([NaiveBayes(), LinearDiscriminant()], *irises).log_bayes_factor(0, name)


def test_a_summary_has_no_rows_to_leave_out(irises):
    with pytest.raises(ParameterError, match="no rows to leave out; found folds, loss beside it"):
        compare(FACES, collect(*irises), folds=3, loss={0: 1})
    with pytest.raises(ParameterError, match="found sample_weight beside it"):
        evidence_of_columns(NaiveBayes(), collect(*irises), sample_weight=np.ones(150))


@pytest.mark.parametrize("library", ["frame", "lazy", "array", "summary", "number", "text", "model", "nothing"])
def test_what_is_no_list_of_models_is_told_as_such(library):
    X, y = {"a": [0.0, 1.0, 2.0, 4.0]}, [0, 0, 1, 1]
    others = {"array": np.zeros((2, 2)), "summary": collect(X, y), "number": 3, "text": "NaiveBayes"}
    others |= {"model": NaiveBayes(), "nothing": None}
    others |= {"frame": pl.DataFrame(X), "lazy": pl.LazyFrame(X)}
    with pytest.raises(ParameterError, match=r"needs a list of models|takes classifiers of suffice"):
        compare(others[library], X, y)
