"""Watermelon 3.0 to the last digit: every table and every row, against R, Weka and what SPEC prints.

The reference lists the classes as (是, 否); ours are sorted, so numbers are laid in its order before they are compared.
"""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

from suffice import NaiveBayes

GOOD, BAD = CLASSES = ("是", "否")
NUMBERS = ("密度", "含糖率")
WORDS = ("色泽", "根蒂", "敲声", "纹理", "脐部", "触感")
SMOOTHED = {"unsmoothed": {"smoothing": 0.0}, "laplace": {"smoothing": 1.0, "priors": "smoothed"}}
DIVISORS = {"N": "ml", "N_minus_1": "unbiased"}

same = partial(np.testing.assert_allclose, rtol=1e-12)
each_smoothing = pytest.mark.parametrize("smoothing", SMOOTHED)
each_divisor = pytest.mark.parametrize("divisor", DIVISORS)
each_number = pytest.mark.parametrize("column", NUMBERS)
each_word = pytest.mark.parametrize("column", WORDS)


@pytest.fixture
def expected(reference):
    return reference("watermelon3")


@pytest.fixture
def melons(data):
    """The table with its row numbers, and whether each melon is a good one."""
    table = data("watermelon3")
    return table, table.pop("好瓜")


@pytest.fixture
def fit(melons):
    """`fit("laplace", "N")`, and any columns to ignore besides 编号."""

    def fitted(smoothing="unsmoothed", divisor="N_minus_1", ignored=()):
        kinds = dict.fromkeys(("编号", *ignored), "ignore")
        return NaiveBayes(kinds=kinds, estimate=DIVISORS[divisor], **SMOOTHED[smoothing]).fit(*melons)

    return fitted


def in_order(model, numbers):
    """(…, K) in the order of CLASSES."""
    return numbers[..., [model.classes_.tolist().index(name) for name in CLASSES]]


def by_level(model, table, levels):
    """One table of cells, classes down, as the reference has it."""
    return in_order(model, np.array([table[level] for level in levels])).T


def counted(model):
    """Counts of categories in the summary, named as in `tables`."""
    piece = next(piece for piece in model.summary_.pieces() if piece.block.kind == "categorical")
    block, family, statistics = piece.block, piece.family, piece.statistics
    return family.tables(statistics.counts, block.names)


def joint(model, melons):
    return in_order(model, model.log_joint(melons[0]))


def posterior(model, melons):
    return in_order(model, model.predict_proba(melons[0]))


def density_of_first(fit, melons, divisor, column):
    """p(x | class) of the first row in one column: a model of that column alone, without its priors."""
    model = fit(divisor=divisor, ignored={*WORDS, *NUMBERS} - {column})
    return np.exp(joint(model, melons)[0]) / in_order(model, model.priors_)


def gaussian(expected, column, field):
    return [expected["gaussian"][f"{column}|{name}"][field] for name in CLASSES]


def test_the_test_row_is_the_first_row(melons, expected):
    row = expected["test_row"]
    assert {name: column[0] for name, column in melons[0].items() if name != "编号"} == {
        **row["discrete"],
        **{name: row[name] for name in NUMBERS},
    }


@each_smoothing
def test_priors(fit, expected, smoothing):
    model = fit(smoothing)
    same(in_order(model, model.priors_), [expected["prior"][smoothing][name] for name in CLASSES])


@each_word
def test_counts(fit, expected, column):
    model, levels = fit(), expected["levels"][column]
    assert set(counted(model)[column]) == set(levels)
    np.testing.assert_array_equal(by_level(model, counted(model)[column], levels), expected["tables"][column]["counts"])


@each_word
@each_smoothing
def test_tables(fit, expected, smoothing, column):
    model = fit(smoothing)
    found = by_level(model, model.tables()[column], expected["levels"][column])
    same(found, expected["tables"][column][smoothing])


@each_number
def test_moments(fit, expected, column):
    model = fit()
    piece = next(piece for piece in model.summary_.pieces() if piece.block.kind == "gaussian")
    block, moments = piece.block, piece.statistics
    j = block.names.index(column)
    same(in_order(model, moments.seen[:, j]), gaussian(expected, column, "n"))
    same(in_order(model, moments.mean[:, j]), gaussian(expected, column, "mean"))


@each_number
@each_divisor
def test_means_and_deviations(fit, expected, divisor, column):
    model = fit(divisor=divisor)
    mean, sd = (in_order(model, model.tables()[column][heading]) for heading in ("mean", "sd"))
    same(mean, gaussian(expected, column, "mean"))
    same(sd, gaussian(expected, column, f"sd_{divisor}"))
    same(sd**2, gaussian(expected, column, f"var_{divisor}"))


@each_number
@each_divisor
def test_densities_of_the_test_row(fit, melons, expected, divisor, column):
    same(density_of_first(fit, melons, divisor, column), gaussian(expected, column, f"density_{divisor}"))


@each_divisor
@each_smoothing
def test_joint_and_posterior_of_the_test_row(fit, melons, expected, smoothing, divisor):
    model, those = fit(smoothing, divisor), expected["joint_test1"][f"{smoothing}__density_{divisor}"]
    same(np.exp(joint(model, melons)[0]), [those[name] for name in CLASSES])
    same(posterior(model, melons)[0], [those[f"posterior_{name}"] for name in CLASSES])


def rounded_density(fit, melons, column):
    """The density of the first row from our moments rounded to three places, as the books print them."""
    model = fit()
    mean, sd = (in_order(model, model.tables()[column][heading]).round(3) for heading in ("mean", "sd"))
    return norm.pdf(melons[0][column][0], mean, sd)


@each_number
def test_densities_from_rounded_moments(fit, melons, expected, column):
    found = rounded_density(fit, melons, column)
    same(found, gaussian(expected, column, "density_from_mean_sd_rounded_3dp"))


@each_smoothing
def test_joint_from_rounded_moments(fit, melons, expected, smoothing):
    those = expected["joint_test1"][f"{smoothing}__density_from_mean_sd_rounded_3dp"]
    categories = np.exp(joint(fit(smoothing, ignored=NUMBERS), melons)[0])
    found = categories * np.prod([rounded_density(fit, melons, column) for column in NUMBERS], axis=0)
    same(found, [those[name] for name in CLASSES])
    same(found / found.sum(), [those[f"posterior_{name}"] for name in CLASSES])


def test_joint_of_the_categories_alone(fit, melons, expected):
    found = np.exp(joint(fit(ignored=NUMBERS), melons)[0])
    same(found, [expected["joint_discrete_only_unsmoothed"][name] for name in CLASSES])


@each_divisor
@pytest.mark.parametrize("smoothing, key", [("unsmoothed", "unsmoothed"), ("laplace", "laplace_incl_prior")])
def test_every_row(fit, melons, expected, smoothing, key, divisor):
    model, those = fit(smoothing, divisor), expected[f"all_rows_{key}__sd_{divisor}"]
    same(joint(model, melons), those["log_joint"])
    same(posterior(model, melons), those["posterior"])
    assert np.sum(model.predict(melons[0]) != np.array(melons[1])) == those["errors"]


def test_weka(fit, melons, expected):
    same(posterior(fit("laplace"), melons), expected["weka_NaiveBayesSimple_all_rows"]["posterior"])


# as SPEC §3 prints it: rows of the class that have the value of the first row, and mean, sd and density to three places

PRINTED_COUNTS = {"色泽": (3, 3), "根蒂": (5, 3), "敲声": (6, 4), "纹理": (7, 2), "脐部": (5, 2), "触感": (6, 6)}
PRINTED_GAUSSIAN = {
    "密度": {"mean": (0.574, 0.496), "sd": (0.129, 0.195), "density": (1.959, 1.203)},
    "含糖率": {"mean": (0.279, 0.154), "sd": (0.101, 0.108), "density": (0.788, 0.066)},
}
PRINTED_ROWS = (8, 9)


def test_printed_priors(fit):
    model = fit()
    same(in_order(model, model.priors_), np.divide(PRINTED_ROWS, sum(PRINTED_ROWS)))


@each_word
def test_printed_fractions(fit, melons, column):
    model = fit()
    found = in_order(model, model.tables()[column][melons[0][column][0]])
    same(found, np.divide(PRINTED_COUNTS[column], PRINTED_ROWS))


@each_number
def test_printed_gaussians(fit, melons, column):
    model, printed = fit(), PRINTED_GAUSSIAN[column]
    for heading in ("mean", "sd"):
        found = in_order(model, model.tables()[column][heading])
        np.testing.assert_allclose(found, printed[heading], rtol=0, atol=0.0005)
    found = density_of_first(fit, melons, "N_minus_1", column)
    np.testing.assert_allclose(found, printed["density"], rtol=0, atol=0.0005)


def test_printed_products(fit, melons):
    good, bad = np.exp(joint(fit(), melons)[0])
    assert (f"{good:.4g}", f"{bad:.4g}") == ("0.05238", "6.858e-05")
    assert round(good, 3) != 0.038  # the misprint that is widely copied
    assert fit().predict(melons[0])[0] == GOOD
