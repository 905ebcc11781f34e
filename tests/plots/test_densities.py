"""Pictures of class densities: any number of Gaussian columns, whatever is beside them, or a message that helps."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import norm

from suffice import BayesDecision, LinearDiscriminant, NaiveBayes, error_bound, example, plots
from suffice.errors import ParameterError

mpl.use("Agg")
COLUMNS, SPECIES = example("penguins")
BILLS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm")}
MIXED = NaiveBayes(kinds={"year": "poisson"}).fit(COLUMNS, SPECIES)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("model", "table", "columns"),
    [
        (NaiveBayes(), {"bill_length_mm": COLUMNS["bill_length_mm"]}, None),
        (LinearDiscriminant(), BILLS, ["bill_length_mm"]),
        (LinearDiscriminant(), BILLS, "bill_length_mm"),
        (NaiveBayes(kinds={"year": "ignore"}), COLUMNS, ("bill_length_mm",)),
    ],
)
def test_one_column_is_a_curve_for_each_class(model, table, columns):
    ax = plots.densities(model.fit(table, SPECIES), table, SPECIES, columns)
    curves = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert [line.get_label() for line in curves] == ["Adelie", "Chinstrap", "Gentoo"]
    x, height = curves[0].get_data()
    cells = np.array([c for c, s in zip(COLUMNS["bill_length_mm"], SPECIES, strict=True) if s == "Adelie" and c == c])
    np.testing.assert_allclose(x.mean(), cells.mean(), rtol=1e-3)  # beside a weak prior
    np.testing.assert_allclose(height, norm.pdf(x, x.mean(), (x[-1] - x[0]) / 8), rtol=1e-6)
    assert ax.get_xlabel() == "bill_length_mm"


def test_a_mixed_model_shows_its_gaussian_columns():
    ax = plots.densities(MIXED, COLUMNS, SPECIES)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("bill_length_mm", "bill_depth_mm")
    assert len(ax.collections) == 3


@pytest.mark.parametrize(
    ("model", "columns", "text"),
    [
        (MIXED, ("island", "sex"), r"one or two of the Gaussian columns \['bill_length_mm'.*found \['island', 'sex'\]"),
        (MIXED, ("bill_length_mm", "wingspan"), "one or two of the Gaussian columns"),
        (MIXED, ("bill_length_mm", "bill_depth_mm", "body_mass_g"), "one or two"),
        (MIXED, ("bill_length_mm", "bill_length_mm"), "one or two"),
        (MIXED, (), "one or two"),
        (
            NaiveBayes(estimate="predictive", kinds={"year": "ignore"}).fit(COLUMNS, SPECIES),
            None,
            "this model has none",
        ),
        (BayesDecision(NaiveBayes()), None, "classifier with densities, .*found BayesDecision"),
    ],
)
def test_what_cannot_be_drawn_is_said(model, columns, text):
    with pytest.raises(ParameterError, match=text) as caught:
        plots.densities(model, COLUMNS, SPECIES, columns)
    assert "boundar" not in str(caught.value)


def test_a_bound_is_not_called_a_boundary():
    two = [name == "Gentoo" for name in SPECIES]
    with pytest.raises(ParameterError, match="A bound in closed form needs plug-in Gaussian columns only"):
        error_bound(NaiveBayes(kinds={"year": "ignore"}).fit(COLUMNS, two))


@pytest.mark.parametrize("name", ["iris", "", "penguins.csv", "../penguins", None, 3, ["penguins"]])
def test_an_example_that_is_not_there_is_answered_with_those_that_are(name):
    with pytest.raises(ParameterError, match=r"There is no example .*; there are 'watermelon', 'penguins'"):
        example(name)
