"""Errors that docstrings name, and so the reference: there are such, and a call raises each."""

import builtins
import importlib
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn.exceptions
from sklearn.naive_bayes import GaussianNB

import suffice
from suffice import (
    AveragedOneDependence,
    BayesDecision,
    Beta,
    Calibrated,
    ComplementNaiveBayes,
    GaussianDiscriminant,
    LogisticClassifier,
    Loss,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    collect,
    plots,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "shared"))
import entries

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.repeat(["a", "b", "c"], 10)
FEW = {"c": list("uuvvuv"), "d": list("xyxyxx")}
TWO = list("aabbab")
HOLES = np.where(np.arange(60).reshape(30, 2) == 7, np.nan, X)
SOME = [None, *Y[1:]]
RIPE = Loss({"ripe": {"p": 0, "q": 1}, "raw": {"p": 1, "q": 0}})
LINE = [[1.0, 2], [2, 4], [3, 6], [1, 2], [3, 6], [5, 10]]

bayes, square, mixed, plain = (
    NaiveBayes().fit(X, Y),
    QuadraticDiscriminant(estimate="unbiased").fit(X, Y),
    Mixture(2).fit(X),
    NaiveBayes(unseen="error").fit(FEW, TWO),
)
given = GaussianDiscriminant.from_parameters({"a": 0.0, "b": 1.0}, {"a": 1.0, "b": 1.0})
averaged = AveragedOneDependence().fit(FEW, TWO)
CROSS = [[1, 2], [2, 1]]  # no covariance
RAGGED = [[1, 2], [3]]
NEW = {"c": ["w"], "d": ["x"]}

# where it is said and the error → a call that raises it; functions take their name, methods the class that has them
CALLS = {
    "Beta ParameterError": lambda: Beta(0, 1),
    "Dirichlet ParameterError": lambda: suffice.Dirichlet([1, -1]),
    "Gamma ParameterError": lambda: suffice.Gamma(1, 0),
    "NormalMean ParameterError": lambda: suffice.NormalMean(0, -1, 1),
    "InverseGamma ParameterError": lambda: suffice.InverseGamma(0, 1, 0),
    "NormalInverseGamma ParameterError": lambda: suffice.NormalInverseGamma(0, 0, 1, 1),
    "NormalInverseWishart ParameterError": lambda: suffice.NormalInverseWishart([0, 0], 1, 4, [[1, 2], [2, 1]]),
    "batches NoFileError": lambda: list(suffice.batches("no-such-file.csv")),
    "batches TableError": lambda: list(suffice.batches(X)),
    "decide ParameterError": lambda: suffice.decide([[0.5, 0.6]], classes=["a", "b"]),
    "decide LossError": lambda: suffice.decide([[0.5, 0.5]], RIPE, classes=["a", "b"]),
    "error_probability ParameterError": lambda: suffice.error_probability([[0.5, 0.6]]),
    "Loss LossError": lambda: Loss({"treat": {"ill": 0, "well": 5}, "wait": {"ill": 100}}),
    "Loss.on LossError": lambda: RIPE.on(["a", "b"]),
    "Loss.zero_one ParameterError": lambda: Loss.zero_one(["a", "b"], reject=-1),
    "collect TableError": lambda: collect(RAGGED, ["a", "b"]),
    "collect KindError": lambda: collect([[-1.0], [2.0]], ["a", "b"], kinds="poisson"),
    "collect UnknownLabelsError": lambda: collect(X, SOME),
    "collect ParameterError": lambda: collect(X, Y, kinds="no such kind"),
    "collect NoFileError": lambda: collect("no-such-file.csv", "y"),
    "auto TableError": lambda: suffice.auto(RAGGED, ["a", "b"]),
    "auto ParameterError": lambda: suffice.auto(X, Y, no_such_setting=1),
    "choose TableError": lambda: suffice.choose(Mixture(), RAGGED),
    "choose ParameterError": lambda: suffice.choose(Mixture(), X, criterion="x"),
    "compare TableError": lambda: suffice.compare([NaiveBayes()], RAGGED, ["a", "b"]),
    "compare ParameterError": lambda: suffice.compare([], X, Y),
    "evidence_of_columns TableError": lambda: suffice.evidence_of_columns(NaiveBayes(), RAGGED, ["a", "b"]),
    "evidence_of_columns UnknownLabelsError": lambda: suffice.evidence_of_columns(NaiveBayes(), X, SOME),
    "evidence_of_columns ImproperPriorError": lambda: suffice.evidence_of_columns(NaiveBayes(smoothing=0), FEW, TWO),
    "estimate_priors ParameterError": lambda: suffice.estimate_priors(bayes, X, training_priors=[0.1, 0.1, 0.1]),
    "estimate_priors NotFittedError": lambda: suffice.estimate_priors(NaiveBayes(), X),
    "explain TableError": lambda: suffice.explain(bayes, X[:, :1], between=("a", "b")),
    "explain ParameterError": lambda: suffice.explain(bayes, X),
    "explain NotFittedError": lambda: suffice.explain(NaiveBayes(), X),
    "worked TableError": lambda: suffice.worked(bayes, X[:1, :1]),
    "worked ParameterError": lambda: suffice.worked(bayes, X),
    "worked NotFittedError": lambda: suffice.worked(NaiveBayes(), X[:1]),
    "boundary ParameterError": lambda: suffice.boundary(square, "a", "q"),
    "boundary NotFittedError": lambda: suffice.boundary(QuadraticDiscriminant(), "a", "b"),
    "discriminants ParameterError": lambda: suffice.discriminants(plain),
    "discriminants NotFittedError": lambda: suffice.discriminants(QuadraticDiscriminant()),
    "divergence ParameterError": lambda: suffice.divergence(square, "a", "q"),
    "divergence NotFittedError": lambda: suffice.divergence(QuadraticDiscriminant(), "a", "b"),
    "ratio_test LossError": lambda: suffice.ratio_test(RIPE, {"a": 0.5, "b": 0.5}),
    "ratio_test ParameterError": lambda: suffice.ratio_test(RIPE, {"p": 0.5, "q": 0.6}),
    "bayes_error ParameterError": lambda: suffice.bayes_error(mixed),
    "bayes_error LossError": lambda: suffice.bayes_error(square, RIPE),
    "bayes_error NotFittedError": lambda: suffice.bayes_error(QuadraticDiscriminant()),
    "error_bound ParameterError": lambda: suffice.error_bound(square),
    "error_bound NotFittedError": lambda: suffice.error_bound(QuadraticDiscriminant()),
    "nomogram TableError": lambda: suffice.nomogram(bayes, X[:, :1], between=("a", "b")),
    "nomogram ParameterError": lambda: suffice.nomogram(bayes, X, between=("a",)),
    "nomogram NotFittedError": lambda: suffice.nomogram(NaiveBayes(), X),
    "evaluate UnknownLabelsError": lambda: suffice.evaluate(bayes, X, SOME),
    "evaluate ParameterError": lambda: suffice.evaluate(bayes, X, ["q", *Y[1:]]),
    "evaluate GivenParametersError": lambda: suffice.evaluate(given, [[0.0], [1.0]], ["a", "b"], left_out=True),
    "load NoFileError": lambda: suffice.load("no-such-file"),
    "load FileError": lambda: suffice.load(__file__),
    "components_test TableError": lambda: suffice.components_test(Mixture(2), RAGGED),
    "components_test ParameterError": lambda: suffice.components_test(Mixture(2), X, draws=0),
    "components_test TooManyComponentsError": lambda: suffice.components_test(Mixture(9), X[:3]),
    "em_steps TableError": lambda: list(suffice.em_steps(Mixture(2), RAGGED)),
    "em_steps ParameterError": lambda: list(suffice.em_steps(NaiveBayes(), X)),
    "em_steps HiddenLabelsError": lambda: list(suffice.em_steps(NaiveBayes(), X, Y)),
    "em_steps TooManyComponentsError": lambda: list(suffice.em_steps(Mixture(9), X[:3])),
    "bound ParameterError": lambda: suffice.bound(mixed, X, np.ones((30, 2))),
    "bound NotFittedError": lambda: suffice.bound(Mixture(2), X, np.full((30, 2), 0.5)),
    "tune TableError": lambda: suffice.tune(NaiveBayes(), RAGGED, ["a", "b"]),
    "tune ParameterError": lambda: suffice.tune(NaiveBayes(), X, Y, over={"no_such": [1]}),
    "tune LossError": lambda: suffice.tune(NaiveBayes(), FEW, TWO, loss=RIPE),
    "EM.control ParameterError": lambda: suffice.EM(restarts=0).control(),
    "compare_unlabelled TableError": lambda: suffice.compare_unlabelled(NaiveBayes(), RAGGED, ["a", None]),
    "compare_unlabelled ParameterError": lambda: suffice.compare_unlabelled(NaiveBayes(), X, Y),
    "leave_one_out TableError": lambda: suffice.leave_one_out(NaiveBayes(), RAGGED, ["a", "b"]),
    "leave_one_out HiddenLabelsError": lambda: suffice.leave_one_out(NaiveBayes(components=2), X, Y),
    "leave_one_out HiddenCellsError": lambda: suffice.leave_one_out(QuadraticDiscriminant(), HOLES, Y),
    "leave_one_out ParameterError": lambda: suffice.leave_one_out(NaiveBayes(), X, Y, sample_weight=[-1] * 30),
    "cross_validate TableError": lambda: suffice.cross_validate(NaiveBayes(), RAGGED, ["a", "b"], folds=2),
    "cross_validate ParameterError": lambda: suffice.cross_validate(NaiveBayes(), X, Y, folds=99),
    "cross_validate SingularError": lambda: suffice.cross_validate(
        QuadraticDiscriminant(estimate="unbiased"), LINE, list("aaabbb"), folds=3
    ),
    "example ParameterError": lambda: suffice.example("no such table"),
    "register_kind ParameterError": lambda: suffice.register_kind("gaussian", Beta),
    "disclosed ParameterError": lambda: suffice.disclosed(X),
    "disclosed KindError": lambda: suffice.disclosed(collect(FEW, TWO), collect({"other": [1.5, 2.5]}, TWO[:2])),
    "suppressed ParameterError": lambda: suffice.suppressed(collect(FEW, TWO), below=0),
    "report TableError": lambda: suffice.report(bayes, X[:, :1], Y),
    "report UnknownLabelsError": lambda: suffice.report(bayes, X, SOME),
    "report ParameterError": lambda: suffice.report(bayes, X, Y, rows=-1),
    "report NotFittedError": lambda: suffice.report(NaiveBayes(), X, Y),
    "language ParameterError": lambda: suffice.language("xx"),
    "posterior ParameterError": lambda: suffice.posterior({"a": 0.5, "b": 0.6}, {"a": 1, "b": 1}),
    "GenerativeClassifier.fit TableError": lambda: NaiveBayes().fit(X, Y[:3]),
    "GenerativeClassifier.fit KindError": lambda: NaiveBayes(kinds="poisson").fit([[-1.0], [2.0]], ["a", "b"]),
    "GenerativeClassifier.fit ParameterError": lambda: NaiveBayes(estimate="x").fit(X, Y),
    "GenerativeClassifier.fit SingularError": lambda: QuadraticDiscriminant(estimate="ml").fit(LINE, list("aaabbb")),
    "GenerativeClassifier.partial_fit HiddenLabelsError": lambda: NaiveBayes().partial_fit(X, SOME),
    "GenerativeClassifier.partial_fit GivenParametersError": lambda: given.partial_fit([[1.0]], ["a"]),
    "GenerativeClassifier.from_summary ParameterError": lambda: NaiveBayes.from_summary(X),
    "GenerativeClassifier.from_summary HiddenLabelsError": lambda: NaiveBayes.from_summary(
        collect(FEW, TWO), components=2
    ),
    "GenerativeClassifier.predict_proba TableError": lambda: bayes.predict_proba(X[:, :1]),
    "GenerativeClassifier.predict_proba UnseenCategoryError": lambda: plain.predict_proba(NEW),
    "GenerativeClassifier.predict_proba NotFittedError": lambda: NaiveBayes().predict_proba(X),
    "Scored.score UnknownLabelsError": lambda: bayes.score(X, SOME),
    "DensityFace.predict_interval ParameterError": lambda: bayes.predict_interval(X, level=2),
    "DensityFace.predict_interval HiddenLabelsError": lambda: mixed.predict_interval(X),
    "DensityFace.predict_interval GivenParametersError": lambda: given.predict_interval([[1.0]]),
    "DensityFace.standard_errors HiddenLabelsError": lambda: mixed.standard_errors(),
    "DensityFace.standard_errors GivenParametersError": lambda: given.standard_errors(),
    "DensityFace.impute TableError": lambda: bayes.impute(X[:, :1]),
    "DensityFace.sample ParameterError": lambda: bayes.sample(-1),
    "InSql.to_sql ParameterError": lambda: bayes.to_sql("oracle", "t", "id"),
    "InSql.to_sql LossError": lambda: bayes.to_sql("duckdb", "t", "id", output="action", loss=RIPE),
    "AnswersRows.predict_file NoFileError": lambda: bayes.predict_file("no-such-file.csv", "scored.csv"),
    "AnswersRows.predict_file ParameterError": lambda: bayes.predict_file(X, "scored.csv"),
    "NaiveBayes.from_tables ParameterError": lambda: NaiveBayes.from_tables({}),
    "Unlabelled.from_tables ParameterError": lambda: Mixture.from_tables({}),
    "TreeAugmentedBayes.from_tables ParameterError": lambda: TreeAugmentedBayes.from_tables(plain.tables()),
    "Discriminant.from_parameters ParameterError": lambda: GaussianDiscriminant.from_parameters(X[:2], CROSS),
    "Mixture.from_parameters ParameterError": lambda: Mixture.from_parameters(X[:2], CROSS),
    "Calibrated.fit TableError": lambda: Calibrated(NaiveBayes()).fit(X, Y[:3]),
    "Calibrated.fit ParameterError": lambda: Calibrated(Mixture(2)).fit(X, Y),
    "Calibrated.predict_proba TableError": lambda: Calibrated(NaiveBayes()).fit(X, Y).predict_proba(X[:, :1]),
    "Calibrated.predict_proba NotFittedError": lambda: Calibrated(NaiveBayes()).predict_proba(X),
    "ComplementNaiveBayes.fit TableError": lambda: ComplementNaiveBayes().fit(abs(X), Y[:3]),
    "ComplementNaiveBayes.fit KindError": lambda: ComplementNaiveBayes().fit(X, Y),
    "ComplementNaiveBayes.fit ParameterError": lambda: ComplementNaiveBayes(smoothing=-1).fit(abs(X), Y),
    "ComplementNaiveBayes.from_summary ParameterError": lambda: ComplementNaiveBayes.from_summary(collect(X, Y)),
    "ComplementNaiveBayes.predict TableError": lambda: ComplementNaiveBayes().fit(abs(X), Y).predict(X[:, :1]),
    "ComplementNaiveBayes.predict NotFittedError": lambda: ComplementNaiveBayes().predict(X),
    "LinearClassifier.fit TableError": lambda: LogisticClassifier().fit(X, Y[:3]),
    "LinearClassifier.fit UnknownLabelsError": lambda: LogisticClassifier().fit(X, SOME),
    "LinearClassifier.fit ParameterError": lambda: LogisticClassifier(C=-1).fit(X, Y),
    "LinearClassifier.predict TableError": lambda: LogisticClassifier().fit(X, Y).predict(X[:, :1]),
    "LinearClassifier.predict UnseenCategoryError": lambda: (
        LogisticClassifier(unseen="error").fit(FEW, TWO).predict(NEW)
    ),
    "LinearClassifier.predict NotFittedError": lambda: LogisticClassifier().predict(X),
    "MarginClassifier.predict_proba NoDensityError": lambda: MarginClassifier().fit(X, Y).predict_proba(X),
    "AveragedOneDependence.log_density NoDensityError": lambda: averaged.log_density(FEW),
    "AveragedOneDependence.log_likelihood NoDensityError": lambda: averaged.log_likelihood(FEW, TWO),
    "AveragedOneDependence.score_samples NoDensityError": lambda: averaged.score_samples(FEW),
    "BayesDecision.fit ParameterError": lambda: BayesDecision(Mixture(2)).fit(X, Y),
    "BayesDecision.save ParameterError": lambda: BayesDecision(GaussianNB()).fit(X, Y).save("no.suffice"),
    "BayesDecision.fit LossError": lambda: BayesDecision(NaiveBayes(), RIPE).fit(X, Y),
    "BayesDecision.predict TableError": lambda: BayesDecision(NaiveBayes()).fit(X, Y).predict(X[:, :1]),
    "BayesDecision.predict NotFittedError": lambda: BayesDecision(NaiveBayes()).predict(X),
    "Unlabelled.fit TableError": lambda: Mixture(2).fit(RAGGED),
    "Unlabelled.fit KindError": lambda: Mixture(2, kinds="poisson").fit(X),
    "Unlabelled.fit ParameterError": lambda: Mixture(2, shape="x").fit(X),
    "Unlabelled.fit TooManyComponentsError": lambda: Mixture(9).fit(X[:3]),
    "Unlabelled.predict_proba TableError": lambda: mixed.predict_proba(X[:, :1]),
    "Unlabelled.predict_proba NotFittedError": lambda: Mixture(2).predict_proba(X),
    "Unlabelled.relabelled ParameterError": lambda: mixed.relabelled([0, 0]),
    "Unlabelled.matched ParameterError": lambda: mixed.matched(X, Y),
}
ELSEWHERE = {  # raised by other tests, which make what they need
    "InSql.to_sql NoFormulaError": "tests/test_add_a_family.py",
    "plots MissingExtraError": "tests/plots/test_errors_of_plots.py",
    "plots ParameterError": "tests/plots/test_errors_of_plots.py",
}
RAISE_NONE = {"Number", "Range", "errors", "testing"}


def said():
    """Where an error is named, and its name."""
    for public in suffice.__all__:
        thing = getattr(suffice, public)
        yield from ((public, error) for error, _ in entries.raised(thing))
        for _, part in () if inspect.isfunction(thing) else entries.parts_of(thing):
            owner = part.fget if isinstance(part, property) else part
            yield from ((owner.__qualname__, error) for error, _ in entries.raised(part))


SAID = {f"{where} {error}" for where, error in said()}


def test_every_error_said_is_raised_by_a_call_and_no_other_is_asked_for():
    assert set(CALLS) | set(ELSEWHERE) == SAID


@pytest.mark.parametrize("error", sorted({said.split()[1] for said in SAID}))
def test_an_error_said_is_one_that_users_can_catch(error):
    found = getattr(suffice.errors, error, None) or getattr(sklearn.exceptions, error)
    assert issubclass(found, ValueError | builtins.AttributeError)


@pytest.mark.parametrize("public", sorted(set(suffice.__all__) - RAISE_NONE))
def test_every_entry_names_its_errors(public):
    assert "**Raises**" in entries.entry(public, getattr(suffice, public))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", sorted(CALLS))
def test_a_call_raises_the_error_said(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((suffice.errors.SufficeError, sklearn.exceptions.NotFittedError)) as raised:
        CALLS[place]()
    assert type(raised.value).__name__ == place.split()[1]


@pytest.mark.parametrize("place", sorted(ELSEWHERE))
def test_the_other_tests_name_the_error(place):
    path = Path(__file__).resolve().parents[2] / ELSEWHERE[place]
    assert place.split()[1] in path.read_text(encoding="utf-8")


def test_headings_of_an_entry_are_in_the_language_of_the_page():
    page = "```{entry} Beta\n```"
    assert "**Raises**" in entries.written_out(page, suffice)
    assert "**错误**" in entries.written_out(page, suffice, "zh")


def test_a_module_of_functions_shows_them_all():
    found = entries.entry("plots", importlib.import_module("suffice.plots"))
    assert [name for name in plots.__all__ if f"| `{name}(" not in found] == []
