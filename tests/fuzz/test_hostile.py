"""Arguments of any type, anywhere: an answer, or an error of ours that says what was expected. Never a raw traceback.

Each call is one that works; the fuzzer then puts something odd in the place of one argument.
"""

import contextlib
import datetime
import sys
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

import suffice
from fuzz.budget import examples, quiet
from suffice.errors import SufficeError

pytestmark = [*quiet, pytest.mark.filterwarnings("ignore:A column-vector y was passed")]

RNG = np.random.default_rng(0)
Y = np.arange(24) % 2
TABLE = {"a": RNG.normal(size=24) + Y, "b": RNG.normal(size=24), "c": RNG.choice(["u", "v"], 24)}
NUMBERS = np.column_stack([TABLE["a"], TABLE["b"]])
BAYES = suffice.NaiveBayes().fit(TABLE, Y)
AVERAGED = suffice.AveragedOneDependence().fit(TABLE, Y)
TREE = suffice.TreeAugmentedBayes().fit(TABLE, Y)
LINEAR = suffice.LinearDiscriminant(estimate="unbiased").fit(NUMBERS, Y)
MIXTURE = suffice.Mixture(2, restarts=1).fit(NUMBERS)
SURE = suffice.Mixture(2, restarts=1, intervals="information").fit(NUMBERS)
LOSS = {0: {0: 0.0, 1: 5.0}, 1: {0: 1.0, 1: 0.0}}
SUMMARY = suffice.collect(NUMBERS, Y)
COIN = suffice.Beta(2, 3)
PENGUINS = str(files("suffice.examples").joinpath("penguins.csv"))


@dataclass(frozen=True)
class Call:
    """A call that works, by the names of its arguments."""

    name: str
    function: Any
    arguments: dict[str, Any] = field(default_factory=dict)

    def __call__(self, **odd: Any) -> Any:
        return self.function(**self.arguments | odd)

    def __repr__(self) -> str:
        return self.name


def learned(model: Any) -> Any:
    """A constructor whose parameters are looked at when it learns."""

    def fit(**parameters: Any) -> Any:
        return model(**parameters).fit(NUMBERS if model is not suffice.LatentClass else TABLE["c"][:, None], Y)

    return fit


def of(what: Any, method: str, **arguments: Any) -> Call:
    return Call(f"{type(what).__name__}.{method}", getattr(what, method), arguments)


MODELS = [
    suffice.NaiveBayes,
    suffice.AveragedOneDependence,
    suffice.TreeAugmentedBayes,
    suffice.GaussianDiscriminant,
    suffice.LinearDiscriminant,
    suffice.QuadraticDiscriminant,
    suffice.NearestMean,
    suffice.Mixture,
    suffice.LatentClass,
]
SOME = [None if i % 4 == 3 else label for i, label in enumerate(Y.tolist())]
WORDS = np.arange(72).reshape(24, 3) % 5
ROWS = {"model": BAYES, "X": TABLE, "y": Y}
PAIR = {"model": BAYES, "X": TABLE, "between": (0, 1)}
CALLS = [
    *(Call(model.__name__, learned(model), model().get_params(deep=False)) for model in MODELS),
    *(Call(f"{m.__name__}.fit", m().fit, {"X": NUMBERS, "y": Y, "sample_weight": np.ones(24)}) for m in MODELS[:7]),
    Call(
        "NaiveBayes.partial_fit",
        lambda **given: suffice.NaiveBayes().partial_fit(**given),
        {"X": TABLE, "y": Y, "classes": [0, 1], "sample_weight": np.ones(24)},
    ),
    Call(
        "EM",
        lambda **given: suffice.NaiveBayes(em=suffice.EM(**given)).fit(NUMBERS, SOME),
        suffice.EM().get_params(),
    ),
    Call("from_summary", suffice.NaiveBayes.from_summary, {"summary": SUMMARY}),
    *(
        of(model, method, X=X)
        for model, X in ((BAYES, TABLE), (LINEAR, NUMBERS))
        for method in ("predict", "predict_proba", "predict_log_proba", "log_joint", "score_samples")
    ),
    *(of(MIXTURE, method, X=NUMBERS) for method in ("predict", "predict_proba", "score_samples", "bic", "aic")),
    *(of(TREE, method, X=TABLE) for method in ("predict_proba", "log_density", "impute")),
    *(of(AVERAGED, method, X=TABLE) for method in ("predict", "predict_proba", "log_joint")),
    of(BAYES, "score", X=TABLE, y=Y, sample_weight=np.ones(24)),
    of(BAYES, "impute", X=TABLE, draw=False, random_state=0),
    of(BAYES, "predict_interval", X=TABLE, level=0.9, draws=20, random_state=0),
    of(BAYES, "tables", level=0.9),
    of(LINEAR, "transform", X=NUMBERS),
    of(LINEAR, "decision_function", X=NUMBERS),
    of(MIXTURE, "sample", n=3, random_state=0),
    of(BAYES, "sample", n=3, random_state=0),
    of(BAYES, "log_density", X=TABLE),
    of(BAYES, "decision_function", X=TABLE),
    *(of(BAYES, method, X=TABLE, y=Y, sample_weight=None) for method in ("log_likelihood", "bic", "aic")),
    Call(
        "ComplementNaiveBayes",
        lambda X, y, **given: suffice.ComplementNaiveBayes(**given).fit(X, y).predict(WORDS),
        {"X": WORDS, "y": Y, "smoothing": 1.0, "normalised": False},
    ),
    Call(
        "LogisticClassifier",
        lambda X, y, sample_weight, **given: (
            suffice.LogisticClassifier(**given).fit(X, y, sample_weight).predict_proba(X)
        ),
        {"X": TABLE, "y": Y, "sample_weight": np.ones(24), "C": 1.0, "kinds": None, "scale": True, "unseen": "ignore"},
    ),
    Call(
        "MarginClassifier",
        lambda X, y, **given: suffice.MarginClassifier(**given).fit(X, y).decision_function(X),
        {"X": NUMBERS, "y": Y, "C": 1.0, "tol": 1e-6, "scale": True, "probabilities": False},
    ),
    Call(
        "Calibrated",
        lambda X, y, **given: suffice.Calibrated(**given).fit(X, y).predict_proba(X),
        {"X": TABLE, "y": Y, "estimator": suffice.NaiveBayes(), "method": "temperature"},
    ),
    Call(
        "from_parameters",
        suffice.GaussianDiscriminant.from_parameters,
        {"means": [[0, 0], [1, 2]], "covariances": [[1, 0], [0, 2]], "priors": [0.5, 0.5], "columns": ["a", "b"]},
    ),
    Call(
        "Mixture.from_parameters", suffice.Mixture.from_parameters, {"means": [0, 1], "covariances": 1, "weights": None}
    ),
    Call("from_tables", suffice.NaiveBayes.from_tables, {"tables": BAYES.tables(), "kinds": None, "joint": None}),
    Call("worked", suffice.worked, {"model": BAYES, "row": {n: c[0] for n, c in TABLE.items()}, "in_turn": False}),
    Call("posterior", suffice.posterior, {"likelihoods": {"a": 0.2, "b": 0.5}, "priors": {"a": 0.4, "b": 0.6}}),
    Call("discriminants", suffice.discriminants, {"model": LINEAR}),
    Call("divergence", suffice.divergence, {"model": LINEAR, "a": 0, "b": 1}),
    Call("ratio_test of a model", suffice.ratio_test, {"loss": LOSS, "priors": LINEAR}),
    of(SUMMARY, "moments", ddof=1),
    Call(
        "collect",
        suffice.collect,
        {
            "table": TABLE,
            "labels": Y,
            "joint": True,
            "sample_weight": np.ones(24),
            "kinds": {"c": "categorical"},
            "counts": (),
            "classes": [0, 1],
        },
    ),
    of(SUMMARY, "__add__", other=SUMMARY),
    of(SUMMARY, "__eq__", other=SUMMARY),
    Call("Loss", suffice.Loss, {"table": LOSS}),
    Call("Loss of a matrix", suffice.Loss, {"table": [[0, 1], [1, 0]], "actions": ["x", "y"], "classes": [0, 1]}),
    Call("decide", suffice.decide, {"posterior": [[0.2, 0.8]], "loss": LOSS, "classes": [0, 1]}),
    Call("error_probability", suffice.error_probability, {"posterior": [[0.2, 0.8]]}),
    Call("ratio_test", suffice.ratio_test, {"loss": LOSS, "priors": {0: 0.5, 1: 0.5}}),
    Call(
        "BayesDecision",
        lambda **given: suffice.BayesDecision(**given).fit(TABLE, Y).predict(TABLE),
        {"estimator": suffice.NaiveBayes(), "loss": LOSS, "reject": None, "priors": None},
    ),
    Call(
        "BayesDecision(reject)",
        lambda reject: suffice.BayesDecision(BAYES, reject=reject).fit(TABLE, Y),
        {"reject": 0.1},
    ),
    Call("estimate_priors", suffice.estimate_priors, {"model": BAYES, "X": TABLE}),
    Call("explain", suffice.explain, {**PAIR, "in_turn": False}),
    Call("nomogram", suffice.nomogram, PAIR),
    Call("boundary", suffice.boundary, {"model": LINEAR, "a": 0, "b": 1, "loss": None}),
    Call("bayes_error", suffice.bayes_error, {"model": BAYES, "loss": LOSS, "draws": 50, "random_state": 0}),
    Call("error_bound", suffice.error_bound, {"model": LINEAR, "share": 0.5}),
    Call(
        "leave_one_out",
        suffice.leave_one_out,
        {"model": BAYES, "X": TABLE, "y": Y, "sample_weight": None, "loss": LOSS},
    ),
    Call(
        "cross_validate",
        suffice.cross_validate,
        {**ROWS, "folds": 3, "sample_weight": None, "loss": LOSS, "random_state": 0},
    ),
    Call("evaluate", suffice.evaluate, {**ROWS, "sample_weight": None, "loss": None, "left_out": None}),
    Call("report", suffice.report, {**ROWS, "rows": 1, "hide_below": 2.0}),
    Call("disclosed", suffice.disclosed, {"summary": SUMMARY}),
    Call("suppressed", suffice.suppressed, {"summary": SUMMARY, "below": 3}),
    Call("batches", lambda **given: list(suffice.batches(**given)), {"source": PENGUINS, "columns": ["year"]}),
    Call("auto", suffice.auto, {"X": TABLE, "y": Y}),
    Call("compare", suffice.compare, {"models": [BAYES], "X": TABLE, "y": Y}),
    Call("tune", suffice.tune, {**ROWS, "over": ["smoothing"]}),
    Call("evidence_of_columns", suffice.evidence_of_columns, ROWS),
    Call(
        "choose",
        suffice.choose,
        {"model": suffice.Mixture(restarts=1), "X": NUMBERS, "components": [1, 2], "criterion": "bic"},
    ),
    Call(
        "em_steps",
        lambda **given: next(iter(suffice.em_steps(**given))),
        {"model": suffice.Mixture(2), "X": NUMBERS, "start": MIXTURE},
    ),
    Call(
        "em_steps (labels)",
        lambda **given: next(iter(suffice.em_steps(**given))),
        {
            "model": suffice.NaiveBayes(em=suffice.EM(unlabelled_weight=1)),
            "X": NUMBERS,
            "y": [0, 1, None] * 8,
            "start": suffice.NaiveBayes().fit(NUMBERS, Y),
        },
    ),
    Call("bound", suffice.bound, {"model": MIXTURE, "X": NUMBERS, "memberships": Y, "sample_weight": np.ones(24)}),
    Call(
        "components_test",
        suffice.components_test,
        {
            "model": suffice.Mixture(1, restarts=1),
            "X": NUMBERS,
            "sample_weight": np.ones(24),
            "draws": 1,
            "more": 1,
            "random_state": 0,
        },
    ),
    of(MIXTURE, "relabelled", order=[1, 0]),
    of(MIXTURE, "matched", X=NUMBERS, to=Y),
    of(SURE, "tables", level=0.9),
    of(SURE, "predict_interval", X=NUMBERS, level=0.9, draws=2, random_state=0),
    Call(
        "compare_unlabelled",
        suffice.compare_unlabelled,
        {
            "model": suffice.NaiveBayes(em=suffice.EM(max_iter=3)),
            "X": NUMBERS,
            "y": SOME,
            "folds": 3,
            "loss": LOSS,
            "random_state": 0,
        },
    ),
    Call("example", suffice.example, {"name": "penguins"}),
    Call("load", suffice.load, {"path": "no such file"}),
    Call("Beta", suffice.Beta, {"a": 1, "b": 2}),
    Call("Dirichlet", suffice.Dirichlet, {"concentration": {"a": 1, "b": 2}, "unseen": 1.0}),
    Call("Gamma", suffice.Gamma, {"shape": 1, "rate": 2}),
    Call("NormalMean", suffice.NormalMean, {"location": 0, "variance": 1, "known": 1}),
    Call("InverseGamma", suffice.InverseGamma, {"a": 1, "b": 2, "mean": 0}),
    Call("NormalInverseGamma", suffice.NormalInverseGamma, {"location": 0, "kappa": 1, "a": 1, "b": 2}),
    Call(
        "NormalInverseWishart",
        suffice.NormalInverseWishart,
        {"location": [0, 0], "kappa": 1, "degrees": 4, "scatter": [[1, 0], [0, 1]]},
    ),
    of(COIN, "after", heads=3, tails=2),
    of(COIN, "log_likelihood", theta=0.5),
    Call("after a sequence", suffice.Beta(1, 1).after, {"rows": ["H", "T"], "success": "H", "weights": None}),
    of(COIN, "interval", level=0.9),
    of(COIN, "hdi", level=0.9),
]
NOT_CALLED = {"register_kind", "Number", "Range", "language"}  # which change the library itself, for every call after


class Odd:
    """Something that nobody foresaw."""

    def __repr__(self) -> str:
        return "Odd()"


itself: list[Any] = []
itself.append(itself)
ODD = [
    None,
    True,
    0,
    -1,
    2.5,
    10**400,
    float("nan"),
    float("inf"),
    1 + 2j,
    Decimal("sNaN"),
    Fraction(1, 3),
    "",
    "自动",
    "a\ud800",
    b"bytes",
    (),
    [],
    {},
    set(),
    {1, "a"},
    [[1, 2], [3]],
    [None],
    ["a", 1, None],
    {"a": 1},
    {"a": [1, 2], "b": [1]},
    {0: {0: 1}},
    {None: None},
    {(1, 2): [3]},
    itself,
    Odd(),
    Odd,
    len,
    lambda *given: given,
    range(3),
    slice(None),
    Ellipsis,
    NotImplemented,
    sys,
    datetime.date(2024, 1, 1),
    datetime.timedelta(1),
    np.array(3.0),
    np.array([]),
    np.zeros((2, 2, 2)),
    np.full((24, 2), np.nan),
    np.full((24, 2), np.inf),
    np.array(["a", "b"] * 12),
    np.array([object()] * 24),
    np.array([1 + 1j] * 24),
    np.array(["2024-01-01"] * 24, "M8[D]"),
    np.zeros(24, [("f", float), ("g", int)]),
    np.float64("nan"),
    np.int8(-3),
    np.str_("a"),
    np.datetime64("NaT", "s"),
    pd.NA,
    pd.NaT,
    pd.DataFrame(),
    pd.DataFrame({"a": [1, 2]}),
    pd.DataFrame([[1, 2]], columns=["a", "a"]),
    pd.Series([1.0, None]),
    pd.Series(pd.to_datetime(["2024-01-01"] * 24)),
    pd.Index([1, 2]),
    pl.DataFrame(),
    pl.DataFrame({"a": [[1], [2]]}),
    pl.LazyFrame({"a": [1]}),
    pl.Series([{"x": 1}]),
    pl.col("a"),
    pa.table({}),
    pa.array([None, None]),
    pa.scalar(3),
    sparse.csr_array(np.eye(24)),
    sparse.coo_array(np.ones(24)),
    suffice.NaiveBayes,
    suffice.NaiveBayes(),
    suffice.Beta(1, 1),
    suffice.Loss({"x": 1.0}),
]


@pytest.mark.parametrize("call", CALLS, ids=repr)
def test_the_calls_work(call):
    if call.name != "load":
        call()


def test_every_public_callable_is_called():
    called = {call.name.split("(")[0].split(" ")[0] for call in CALLS}
    assert {name for name in suffice.__all__ if callable(getattr(suffice, name))} - NOT_CALLED <= called


places = st.sampled_from([(call, name) for call in CALLS for name in call.arguments])


@examples(600)
@given(places, st.sampled_from(ODD), st.sampled_from(["itself", "list", "dict", "tuple", "array"]))
def test_any_argument_may_be_odd(place, odd, wrapped):
    call, name = place
    wrap = {
        "itself": lambda value: value,
        "list": lambda value: [value] * 2,
        "dict": lambda value: {0: value, "a": value},
        "tuple": lambda value: (value,),
        "array": _in_array,
    }
    with contextlib.suppress(SufficeError, NotFittedError, FileNotFoundError):
        call(**{name: wrap[wrapped](odd)})


def _in_array(value: Any) -> Any:
    out = np.empty(24, dtype=object)
    for i in range(len(out)):  # one by one, or NumPy would look into the values
        out[i] = value
    return out
