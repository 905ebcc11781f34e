"""Beliefs as people use them: learning in any form, numbers, intervals, predictives, evidence, samples, mistakes."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from suffice import (
    Beta,
    Dirichlet,
    Gamma,
    InverseGamma,
    LinearDiscriminant,
    NaiveBayes,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
)
from suffice.beliefs.per_class import PerClass
from suffice.families.cells.binomial import Binomial
from suffice.families.memberships import memberships
from suffice.families.rates.poisson import Poisson

SYMMETRIC = [[2.0, 0.5], [0.5, 1.0]]


@dataclass(frozen=True)
class Case:
    """A proper prior, and the name by which it takes rows (None: by position)."""

    name: str
    prior: Any
    rows: Any  # enough of them
    by: str | None = None

    def __str__(self):
        return self.name

    def told(self, rows):
        return {self.by or "rows": rows}


NUMBERS = [4.9, 5.1, 5.6, 4.4, 5.0, 6.1, 3.9]
PAIRS = np.array([[1.0, 2.0], [0.5, 1.5], [2.0, 2.5], [1.5, 0.0], [0.0, 1.0]])
CASES = [
    Case("Beta", Beta(2, 3), [1, 0, 1, 1, 0, 1]),
    Case("Dirichlet", Dirichlet({"红": 1.5, "绿": 1, "蓝": 2.5}), ["红", "蓝", "蓝", "红", "绿", "红"]),
    Case("Gamma of counts", Gamma(2, 1.5), [2, 0, 3, 1, 4, 2, 2], "counts"),
    Case("Gamma of waits", Gamma(3, 1.5), [0.3, 1.2, 0.05, 2.0, 0.7], "waits"),
    Case("NormalMean", NormalMean(4, 2.25, 0.49), NUMBERS),
    Case("NormalMean of columns", NormalMean([0.3, -0.2], SYMMETRIC, [[1.0, 0.6], [0.6, 2.0]]), PAIRS),
    Case("InverseGamma", InverseGamma(6, 2.5, mean=5), NUMBERS),
    Case("NormalInverseGamma", NormalInverseGamma(4, 0.5, 6, 2.5), NUMBERS),
    Case("NormalInverseWishart", NormalInverseWishart([0.3, -0.2], 0.5, 9, SYMMETRIC), PAIRS),
]
EACH = pytest.mark.parametrize("case", CASES, ids=str)


def learned(case):
    return case.prior.after(**case.told(case.rows))


def as_dict(answer):
    return answer if isinstance(answer, dict) else {None: answer}


def vector(answer):
    return np.concatenate([np.ravel(part) for part in as_dict(answer).values()])


# learning


@EACH
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_learning_in_turn_is_learning_together(case, data):
    rows = [case.rows[i] for i in data.draw(st.lists(st.integers(0, len(case.rows) - 1), min_size=2, max_size=30))]
    cut = data.draw(st.integers(1, len(rows) - 1))
    in_turn = case.prior.after(**case.told(rows[:cut])).after(**case.told(rows[cut:]))
    together = case.prior.after(**case.told(rows))
    assert vector(in_turn.mode()) == pytest.approx(vector(together.mode()), rel=1e-10, abs=1e-12)
    assert vector(in_turn.variance()) == pytest.approx(vector(together.variance()), rel=1e-10)
    assert in_turn.log_evidence() == pytest.approx(together.log_evidence(), rel=1e-10)


@EACH
def test_evidence_is_a_chain(case):
    first, rest = case.rows[:2], case.rows[2:]
    before, after = case.prior.log_evidence(**case.told(first)), case.prior.after(**case.told(first))
    assert before + after.log_evidence(**case.told(rest)) == pytest.approx(learned(case).log_evidence(), rel=1e-10)
    assert case.prior.log_evidence() == 0


@EACH
def test_weight_two_is_twice(case):
    twice = [row for row in case.rows for _ in range(2)]
    weighted = case.prior.after(**case.told(case.rows), weights=np.full(len(case.rows), 2.0))
    assert weighted.log_evidence() == pytest.approx(case.prior.after(**case.told(twice)).log_evidence(), rel=1e-10)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Beta(1, 2).after(heads=2, tails=1), Beta(1, 2).after([True, False, True])),
        (Beta(1, 2).after({"heads": 2, "tails": 1}), Beta(1, 2).after(heads=1, tails=0).after(["heads", "tails"])),
        (Beta(1, 2).after([2], trials=3), Beta(1, 2).after(heads=2, tails=1)),
        (Dirichlet({"a": 1, "b": 2}).after(b=2), Dirichlet({"a": 1, "b": 2}).after({"b": 2})),
        (Dirichlet({"a": 1, "b": 2}).after(["b", "b"]), Dirichlet({"a": 1, "b": 2}).after(pl.Series(["b", "b"]))),
        (Dirichlet([1, 2]).after([[0, 2]]), Dirichlet([1, 2]).after([1, 1])),
        (Dirichlet({7: 1, 8: 2}).after([8.0, 8.0]), Dirichlet({7: 1, 8: 2}).after(pd.Series([8, 8, None]))),
        (Gamma(1, 1).after(counts=[3, 4]), Gamma(1, 1).after(events=7, exposure=2)),
        (Gamma(1, 1).after(counts=[3, 4]), Gamma(1, 1).after(counts=[3]).after([4])),
        (Gamma(1, 1).after(waits=[3, 4]), Gamma(1, 1).after(events=[1, 1], exposure=[3, 4])),
        (NormalMean(0, 1, 2).after([1, 2.5]), NormalMean(0, 1, 2).after(pd.DataFrame({"高": [1, 2.5]}))),
        (NormalMean(0, 1, 2).after([1, 2.5]), NormalMean(0, 1, 2).after(高=[1, 2.5, np.nan])),
    ],
)
def test_rows_come_in_many_forms(one, other):
    assert one.arguments.keys() == other.arguments.keys()
    assert vector(one.mean()) == pytest.approx(vector(other.mean()))


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, lambda columns: np.stack([*columns.values()], 1)])
def test_columns_go_by_name_where_both_have_names(frame):
    prior = NormalInverseWishart({"长": 0, "宽": 0}, 1, 4, np.eye(2))
    columns = {"长": [1.0, 2.0, 3.0], "宽": [0.5, 1.0, 0.0]}
    expected = [1.5, 0.375]
    assert prior.after(frame(columns)).mean()["mean"].tolist() == expected
    assert prior.after(**columns).mean()["mean"].tolist() == expected
    swapped = {"宽": columns["宽"], "别": ["a", "b", "c"], "长": columns["长"]}
    assert prior.after(swapped).mean()["mean"].tolist() == expected


def test_rows_of_counts_go_by_name_too():
    prior = Dirichlet({"a": 1, "b": 2})
    assert prior.after(pd.DataFrame({"b": [2, 1], "a": [0, 1]})).arguments["concentration"] == {"a": 2, "b": 5}


def test_one_column_is_the_same_in_every_shape():
    known = NormalMean([1.0], [[2.0]], [[0.5]])
    both = NormalInverseWishart([1.0], 2, 4, [[3.0]])
    for alone, together in ((NormalMean(1, 2, 0.5), known), (NormalInverseGamma(1, 2, 2, 1.5), both)):
        expected = model({"a": alone}, "predictive").log_joint(TABLE)
        np.testing.assert_allclose(model({"a": together}, "predictive").log_joint(TABLE), expected, rtol=1e-12)
        joint = model({("a",): alone}, "predictive", joint=[("a",)]).log_joint(TABLE)
        np.testing.assert_allclose(joint, expected, rtol=1e-12)


def test_events_with_exposures_have_the_evidence_of_poisson_counts():
    belief = Gamma(2, 1.5)
    expected = stats.nbinom(2, 1.5 / (1.5 + 7)).logpmf(14)
    assert belief.log_evidence(events=14, exposure=7) == pytest.approx(expected, rel=1e-12)


# numbers and distributions


def samples(case, size):
    """Draws of every parameter, by the name of its marginal."""
    found = learned(case).sample(size, random_state=1)
    if "Wishart" not in case.name:
        return as_dict(found)
    return {f"mean x{j}": found["mean"][:, j] for j in range(2)} | {
        f"variance x{j}": found["covariance"][:, j, j] for j in range(2)
    }


@EACH
def test_samples_follow_the_marginals(case):
    for name, drawn in samples(case, 20_000).items():
        assert stats.kstest(drawn, learned(case).marginal(name).cdf).pvalue > 1e-3


@pytest.mark.parametrize("case", [case for case in CASES if "Normal" in case.name or case.name == "Dirichlet"], ids=str)
def test_covariances_are_those_of_samples(case):
    about_means = [values for name, values in samples(case, 50_000).items() if "variance" not in str(name)]
    found = np.atleast_2d(np.cov(about_means))
    assert learned(case).covariance() == pytest.approx(found, rel=0.05, abs=0.02 * np.abs(found).max())


@EACH
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_of_highest_density_is_the_shortest(case, level):
    belief = learned(case)
    for name, (low, high) in as_dict(belief.hdi(level)).items():
        marginal, (a, b) = belief.marginal(name), as_dict(belief.interval(level))[name]
        assert marginal.cdf(high) - marginal.cdf(low) == pytest.approx(level, abs=1e-10)
        assert marginal.cdf(b) - marginal.cdf(a) == pytest.approx(level, abs=1e-10)
        assert marginal.cdf(a) == pytest.approx((1 - level) / 2)
        assert high - low <= b - a + 1e-12
        assert marginal.pdf(low) == pytest.approx(marginal.pdf(high), rel=1e-7)


def test_where_a_density_only_falls_its_interval_starts_at_the_end():
    assert Beta(1, 4).hdi(0.9) == (0, pytest.approx(1 - 0.1**0.25, rel=1e-12))
    assert Beta(4, 1).hdi(0.9) == (pytest.approx(0.1**0.25, rel=1e-12), 1)
    assert Gamma(0.5, 1).hdi(0.9)[0] == 0
    assert np.diff(Beta(0.5, 0.5).hdi(0.9)) == pytest.approx(np.diff([0, stats.beta(0.5, 0.5).ppf(0.9)]))


def test_the_interval_of_a_normal_is_known():
    expected = (4 - 1.5 * stats.norm.isf(0.025), 4 + 1.5 * stats.norm.isf(0.025))
    assert NormalMean(4, 2.25, 1).hdi() == pytest.approx(expected, abs=1e-9)


BLOCKS = {
    "Beta": np.array([[0.0], [1.0]]),
    "Gamma of counts": np.arange(6.0)[:, None],
    "Gamma of waits": np.array([[0.1], [2.0]]),
    "Dirichlet": np.array([[0], [1], [2]]),
}


@EACH
def test_scipys_predictive_is_our_density(case):
    belief = learned(case)
    block = BLOCKS.get(case.name, PAIRS if "columns" in case.name or "Wishart" in case.name else np.array([[4.0], [7]]))
    predictive = belief.predictive()
    log_density = predictive.logpmf if case.name in ("Beta", "Dirichlet", "Gamma of counts") else predictive.logpdf
    rows = np.eye(3)[block[:, 0]] if case.name == "Dirichlet" else block
    ours = belief.posterior.predictive().log_density(block)[:, 0]
    assert np.ravel(log_density(rows)) == pytest.approx(ours, rel=1e-10)
    evidences = [belief.log_evidence(**case.told(case_row(case, row))) for row in block]
    assert evidences == pytest.approx(ours, rel=1e-10)


def case_row(case, row):
    return [["红", "绿", "蓝"][row[0]]] if case.name == "Dirichlet" else [row] if len(row) > 1 else row


def test_predictives_of_several_trials():
    coin, dice = Beta(2, 3), Dirichlet([1.5, 1, 2.5])
    successes = [coin.log_evidence([x], trials=6) for x in range(7)]
    assert coin.predictive(trials=6).logpmf(np.arange(7)) == pytest.approx(successes)
    assert dice.predictive(trials=4).logpmf([1, 1, 2]) == pytest.approx(dice.log_evidence([[1, 1, 2]]))
    assert Gamma(2, 1).predictive(of="waits").mean() == pytest.approx(1)


@EACH
def test_divergence_and_entropy(case):
    belief = learned(case)
    assert belief.divergence(belief) == 0
    assert belief.divergence(case.prior) > 0
    if len(belief.face.parameters()) == 1:
        assert belief.entropy() == pytest.approx(belief.marginal().entropy(), rel=1e-8)


def test_every_entry_of_a_covariance_has_a_variance():
    belief = learned(CASES[8])
    found, drawn = belief.variance(), belief.sample(50_000, random_state=1)
    marginal = belief.marginal
    assert found["mean"] == pytest.approx([marginal("mean x0").var(), marginal("mean x1").var()])
    assert np.diagonal(found["covariance"]) == pytest.approx(
        [marginal("variance x0").var(), marginal("variance x1").var()]
    )
    assert found["covariance"] == pytest.approx(drawn["covariance"].var(axis=0), rel=0.1)


def test_divergence_goes_by_name():
    one, other = Dirichlet({"a": 1, "b": 3}), Dirichlet({"b": 3, "a": 1})
    assert one.divergence(other) == 0


def test_standard_deviations_too():
    belief = learned(CASES[7])
    assert belief.marginal("sd").ppf(0.3) == pytest.approx(np.sqrt(belief.marginal("variance").ppf(0.3)))
    assert belief.marginal("sd").cdf(0.8) == pytest.approx(belief.marginal("variance").cdf(0.64))
    waits = Gamma(3, 2).after(waits=[1.0])
    assert waits.marginal("mean").mean() == pytest.approx(3 / 3)
    assert waits.expected_log() == pytest.approx(waits.marginal("rate").expect(np.log))


def test_expected_logarithms_have_the_names_of_the_outcomes():
    assert list(Beta(2, 3).expected_log()) == ["success", "failure"]
    coin = Beta(2, 3).after(heads=1, tails=2)
    assert coin.expected_log()["heads"] == pytest.approx(coin.marginal("heads").expect(np.log))


def test_what_the_rows_alone_say():
    assert learned(CASES[1]).maximum_likelihood() == pytest.approx({"红": 1 / 2, "绿": 1 / 6, "蓝": 1 / 3})
    assert learned(CASES[2]).maximum_likelihood() == pytest.approx(2)
    assert learned(CASES[4]).maximum_likelihood() == pytest.approx(5)
    assert learned(CASES[6]).maximum_likelihood() == pytest.approx(np.var(NUMBERS))  # around the known mean 5
    found = learned(CASES[8]).maximum_likelihood()
    assert found["covariance"] == pytest.approx(np.cov(PAIRS.T, bias=True))


def test_a_belief_too_wide_to_have_a_mean_is_told_as_such():
    assert repr(InverseGamma(0.5, 1, mean=0)) == "InverseGamma(0.5, 1, 0)  mode 0.667  mean —"
    with pytest.raises(ValueError, match="too wide to have a mean"):
        InverseGamma(0.5, 1, mean=0).mean()


def test_large_numbers_are_not_written_with_exponents():
    assert repr(NormalMean(4012.3, 2, 1)) == "NormalMean(4012.3, 2, 1)  mode 4012  mean 4012"


@EACH
def test_a_belief_is_a_value(case):
    belief = learned(case)
    assert repr(copy.deepcopy(belief)) == repr(belief)
    assert repr(case.prior) != repr(belief)
    with pytest.raises(AttributeError):
        belief.name = "other"


# intervals hold what they say


@EACH
def test_intervals_cover_parameters_drawn_from_the_prior(case):
    rng, times, n = np.random.default_rng(5), 3000, 6
    many = case.prior.posterior.stacked([case.prior.posterior] * (times - 1))
    truth, labels, family = many.draw(rng), np.repeat(np.arange(times), n), learned(case).face.family
    truth = family.holding(many, 1).draw(rng) if case.by else truth
    rows = truth.sample(labels, rng)
    beliefs = many.after(family.statistics(rows, memberships(labels, times)))
    names = case.prior.face.names
    actual = {h: v for table in truth.tables(names).values() for h, v in table.items()}
    marginals = {h: m for table in beliefs.marginals(names).values() for h, m in table.items() if h in actual}
    assert marginals
    for heading, marginal in marginals.items():
        inside = (marginal.ppf(0.025) < actual[heading]) & (actual[heading] < marginal.ppf(0.975))
        assert abs(inside.mean() - 0.95) < 3 * np.sqrt(0.95 * 0.05 / times), heading


# beliefs in models

LABELS = ["ill"] * 4 + ["well"] * 5
TABLE = {
    "visits": [3, 5, 2, 6, 0, 1, 2, 0, 1],
    "wait": [0.2, 0.5, 0.1, 0.4, 2.0, 1.0, 3.0, 0.7, 1.1],
    "smoker": [1, 1, 0, 1, 0, 0, 1, 0, 0],
    "色": ["红", "红", "蓝", "红", "蓝", "绿", "蓝", "蓝", "绿"],
    "a": [1.0, 2.0, 1.5, 0.7, 3.0, 3.5, 2.9, 4.0, 3.3],
    "b": [0.0, 1.0, 0.2, 0.7, 2.0, 0.5, 0.9, 1.0, 1.3],
}
KINDS = {"visits": "poisson", "wait": "exponential", "smoker": "binary"}
DIFFERENT = {
    "visits": (Gamma(2, 1), Gamma(1, 3)),
    "wait": (Gamma(2, 1), Gamma(1, 3)),
    "smoker": (Beta(2, 3), Beta(5, 1)),
    "色": (Dirichlet({"红": 2, "蓝": 1, "绿": 1}), Dirichlet({"绿": 3, "蓝": 1, "红": 1})),
    "a": (NormalInverseGamma(1, 1, 2, 1), NormalInverseGamma(3, 2, 1, 2)),
    "b": (NormalMean(0, 1, 0.5), NormalMean(1, 2, 0.7)),
}


def model(parameter_prior, estimate="map", joint=()):
    return NaiveBayes(kinds=KINDS, joint=joint, parameter_prior=parameter_prior, estimate=estimate).fit(TABLE, LABELS)


def assert_each_class_has_its_own(column, pair, estimate, joint=()):
    both = model({column: dict(zip(("ill", "well"), pair, strict=True))}, estimate, joint).log_joint(TABLE)
    alone = [model({column: belief}, estimate, joint).log_joint(TABLE)[:, k] for k, belief in enumerate(pair)]
    np.testing.assert_allclose(both, np.stack(alone, axis=1), rtol=1e-12)


@pytest.mark.parametrize("estimate", ["map", "predictive"])
@pytest.mark.parametrize("column", DIFFERENT)
def test_each_class_may_have_a_belief_of_its_own(column, estimate):
    assert_each_class_has_its_own(column, DIFFERENT[column], estimate)


@pytest.mark.parametrize(
    "pair",
    [
        (NormalInverseWishart([1, 0], 1, 4, np.eye(2)), NormalInverseWishart([3, 1], 2, 5, SYMMETRIC)),
        (NormalMean([1, 0], np.eye(2), SYMMETRIC), NormalMean({"a": 3, "b": 1}, SYMMETRIC, np.eye(2))),
    ],
)
def test_columns_together_may_have_a_belief_for_each_class(pair):
    assert_each_class_has_its_own(("a", "b"), pair, "map", [("a", "b")])


def test_a_variance_with_a_known_mean_may_differ_by_class():
    assert_each_class_has_its_own("a", (InverseGamma(2, 1, mean=1), InverseGamma(3, 2, mean=3)), "predictive")


def test_a_learned_belief_is_the_prior_it_has_become():
    found = model({"visits": Gamma(2, 1).after(counts=[4, 6]), "色": DIFFERENT["色"][0].after(红=2)})
    same = model({"visits": Gamma(12, 3), "色": Dirichlet({"红": 4, "蓝": 1, "绿": 1}, unseen=4 / 3)})
    np.testing.assert_array_equal(found.log_joint(TABLE), same.log_joint(TABLE))


def test_beliefs_repeat_where_models_stand_side_by_side():
    joined = PerClass((Gamma(2, 1), Gamma(1, 3))).on(Poisson(1), 6)
    assert joined.shape.ravel().tolist() == [2, 1, 2, 1, 2, 1]


NUMERIC = {name: TABLE[name] for name in ("a", "b")}


def linear(first, second):
    prior = {("a", "b"): {"ill": first, "well": second}}
    return LinearDiscriminant(parameter_prior=prior).fit(NUMERIC, LABELS)


def test_a_shared_covariance_takes_different_means_only():
    alike = linear(NormalInverseWishart([1, 0], 1, 4, np.eye(2)), NormalInverseWishart([3, 1], 2, 4, np.eye(2)))
    assert alike.means_[0] == pytest.approx((np.mean([TABLE["a"][:4], TABLE["b"][:4]], axis=1) * 4 + [1, 0]) / 5)
    with pytest.raises(ValueError, match="cannot differ in degrees or scatter"):
        linear(NormalInverseWishart([1, 0], 1, 4, np.eye(2)), NormalInverseWishart([3, 1], 2, 5, np.eye(2)))
    with pytest.raises(ValueError, match="cannot differ in known"):
        linear(NormalMean([1, 0], np.eye(2), np.eye(2)), NormalMean([3, 1], np.eye(2), SYMMETRIC))


def test_means_with_a_known_covariance_and_missing_cells():
    """EM finds the mode of the exact posterior, which the observed cells of each row inform."""
    a, known = np.array(TABLE["a"]), np.array(SYMMETRIC)
    holed = {"a": np.where(np.arange(9) % 4 == 1, np.nan, a), "b": TABLE["b"]}
    prior = NormalMean([1.0, 0.0], np.eye(2), known)
    found = NaiveBayes(joint=[("a", "b")], parameter_prior={("a", "b"): prior}).fit(holed, LABELS)
    rows = np.stack([holed["a"], holed["b"]], axis=1)[:4]
    precision, pull = np.eye(2), np.array([1.0, 0.0])
    for row in rows:
        seen = ~np.isnan(row)
        part = np.linalg.inv(known[np.ix_(seen, seen)])
        precision[np.ix_(seen, seen)] += part
        pull[seen] += part @ row[seen]
    means = [found.tables()["a, b"][f"mean {name}"][0] for name in ("a", "b")]
    assert means == pytest.approx(np.linalg.solve(precision, pull), rel=1e-8)


# mistakes


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: Beta(0, 1), "Beta needs a number above 0 for a; found 0"),
        (lambda: Beta("a", 1), "Beta needs a number above 0 for a; found 'a'"),
        (lambda: Dirichlet([1, -1]), "A Dirichlet prior needs a number above 0 for each of two or more categories"),
        (lambda: Dirichlet({"a": 1}), "two or more categories"),
        (lambda: Dirichlet([1, 1], unseen=0), "above 0 for unseen"),
        (lambda: Gamma(1, np.inf), "above 0 for rate; found inf"),
        (lambda: NormalMean(np.nan, 1, 1), "NormalMean needs a finite number for location"),
        (lambda: NormalMean(0, -1, 1), "above 0 for variance"),
        (lambda: NormalMean([0, np.inf], np.eye(2), np.eye(2)), "a finite number for each column as its location"),
        (lambda: NormalMean([0, 1], np.eye(2), np.eye(3)), "positive definite known of 2 × 2 numbers"),
        (lambda: InverseGamma(1, 1, mean=None), "finite number for mean"),
        (lambda: NormalInverseGamma(0, 0, 1, 1), "above 0 for kappa"),
        (lambda: NormalInverseWishart([0, 1], 1, 1, np.eye(2)), "above 1 for degrees"),
        (lambda: NormalInverseWishart([0, 1], 1, 4, [[1, 2], [2, 1]]), "symmetric, positive definite scatter"),
        (lambda: Beta(1, 1).after(), "Give either rows, or amounts or columns by name"),
        (lambda: Beta(1, 1).after([1], heads=1, tails=2), "Give either rows, or amounts"),
        (lambda: Beta(1, 1).after(heads=1), "two amounts, the success first"),
        (lambda: Beta(1, 1).after(heads=1, tails=-1), "The amount of 'tails' must be a number, 0 or more; found -1"),
        (lambda: Beta(1, 1).after(heads=1, tails=1).after(edge=1), "about 'heads', 'tails', but 'edge' was found"),
        (lambda: Beta(1, 1).after(heads=1, tails=1, weights=[2]), "Amounts are already weights"),
        (lambda: Beta(1, 1).after(heads=1, tails=1, trials=3), "is only for beliefs about probabilities"),
        (lambda: Beta(1, 1).after([1, 2]), "Values that are too large"),
        (lambda: Beta(1, 1).after([1], trials=0.5), "trials must be a whole number above 0; found 0.5"),
        (lambda: Beta(1, 1).after([1, 0], weights=[1]), "weights must be 2 numbers, 0 or more"),
        (lambda: Beta(1, 1).predictive(of="counts"), "Only a belief about a rate predicts"),
        (lambda: Dirichlet({"a": 1, "b": 1}).after(["a", "c"]), "but 'c' was found. Start from a belief that names it"),
        (lambda: Dirichlet({"a": 1, "b": 1}).after(c=1), "but 'c' was found"),
        (lambda: Gamma(1, 1).after([1, 2]), "Say what the numbers are"),
        (lambda: Gamma(1, 1).after(numbers=[1, 2]), "found numbers"),
        (lambda: Gamma(1, 1).after(counts=[1.5]), "Fractions"),
        (lambda: Gamma(1, 1).after(waits=[-1.5]), "Negative values"),
        (lambda: Gamma(1, 1).after(events=1, exposure=0), "an exposure above 0; found events=1, exposure=0"),
        (lambda: Gamma(1, 1).predictive(), "A rate predicts of='counts' or of='waits'; found of=None"),
        (lambda: Gamma(1, 1).predictive(of="counts", trials=3), "is only for beliefs about probabilities"),
        (lambda: NormalMean(0, 1, 1).after([1, np.inf]), "Infinite cells"),
        (lambda: NormalMean(0, 1, 1).after([[1, 2]]), "Expected 1 columns of numbers; found 2"),
        (lambda: CASES[8].prior.after([[1.0, np.nan], [1.0, 2.0]]), "missing"),
        (lambda: NormalInverseWishart([0, 1], 1, 4, np.eye(2)).variance(), "too wide to have a variance"),
        (lambda: CASES[8].prior.marginal(), "parameters mean x0, sd x0, variance x0, mean x1"),
        (lambda: Beta(1, 1).marginal("tails"), "has the parameters success"),
        (lambda: Dirichlet(3), "two or more categories; found 3"),
        (lambda: NormalMean("a", 1, 1), "as its location; found 'a'"),
        (lambda: NormalInverseWishart([0, 1], 1, 4, "x"), "2 × 2 numbers; found 'x'"),
        (lambda: Dirichlet({"a": 1, "b": 1}).after({}), "Give either rows"),
        (lambda: Gamma(2, 1).after(events=[1, 2], exposure=3), "each with an exposure above 0"),
        (lambda: Gamma(2, 1).after(events="a", exposure=3), "found events='a'"),
        (lambda: Beta(1, 1).quantile(1.5), "probability between 0 and 1; found 1.5"),
        (lambda: Beta(1, 1).interval("a"), "above 0 and below 1; found 'a'"),
        (lambda: Beta(1, 1).divergence(3), "found Beta and 3"),
        (lambda: Beta(1, 1).sample(2.5), "number of draws"),
        (lambda: Beta(1, 1).after(heads=0, tails=0).maximum_likelihood(), "has not learned from any rows"),
        (lambda: Beta(1, 1).sample(0), "number of draws, 1 or more; found 0"),
        (lambda: Beta(1, 1).interval(95), "above 0 and below 1; found 95"),
        (lambda: Beta(1, 1).maximum_likelihood(), "has not learned from any rows yet"),
        (lambda: NormalInverseGamma(0, 1, 1, 1).after([3.0]).maximum_likelihood(), "The rows alone do not determine"),
        (lambda: Beta(1, 1).divergence(Gamma(1, 1)), "Only beliefs of one kind can be compared"),
        (lambda: Gamma(1, 1).covariance(), r"is about one number: ask for its variance\(\)"),
        (lambda: InverseGamma(1, 1, mean=0).covariance(), "is about one number"),
        (lambda: NormalMean(0, 1, 1).expected_log(), "Only probabilities and rates"),
        (lambda: model({"visits": {"ill": Gamma(1, 1)}}), "for each class 'ill', 'well'; it has none for 'well'"),
        (lambda: model({"visits": dict.fromkeys(["ill", "well", "x"], Gamma(1, 1))}), "there is no class 'x'"),
        (lambda: model({"a": {"ill": NormalMean(0, 1, 1), "well": CASES[7].prior}}), "of one kind for all classes"),
        (lambda: model({"visits": 3}), r"The prior of 'visits' must be a belief such as Gamma\(2, 1\)"),
        (lambda: model({"visits": {"ill": Gamma(1, 1), "well": 3}}), "must be a belief such as"),
        (lambda: model({"visits": {"ill": Beta(1, 1), "well": Beta(1, 1)}}), "Beta is a belief about"),
        (lambda: model({"色": Dirichlet({"a": 1, "b": 1})}), r"names the levels \['a', 'b'\], but the column has"),
        (lambda: model({"smoker": Dirichlet([1, 1, 1])}), "names the levels"),
        (
            lambda: model({"smoker": Dirichlet({0: 3, 1: 1})}),
            r"levels \[0, 1\], but the column has \['success'",
        ),
        (lambda: Beta(1, 1).on(Binomial([1, 2]), 1), "A Dirichlet prior is about one column, not 2 at once"),
        (lambda: Gamma(1, 1).on(Poisson(2), 1), "A Gamma prior is about one column, not 2 at once"),
        (
            lambda: NormalMean(0, 1, 1).after([np.nan]).maximum_likelihood(),
            "no rows to estimate the mean of the column",
        ),
        (lambda: model({"a": CASES[8].prior}), "This prior is about 2 columns"),
        (lambda: model({"a": CASES[5].prior}), "NormalMean is about a column by itself"),
        (lambda: model({("a", "b"): InverseGamma(1, 1, mean=0)}, joint=[("a", "b")]), "variance of a column by itself"),
        (
            lambda: model({("a", "b"): NormalInverseWishart({"b": 0, "a": 0}, 1, 4, np.eye(2))}, joint=[("a", "b")]),
            "another order: 'b', 'a'. Use the same order",
        ),
    ],
)
def test_mistakes_are_told_as_such(mistake, text):
    with pytest.raises(ValueError, match=text):
        mistake()
