"""Pictures of class densities, of each column and of pairs, whatever is beside them; or a message that helps."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy.stats import norm

from suffice import (
    EM,
    AveragedOneDependence,
    BayesDecision,
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    error_bound,
    example,
    plots,
)
from suffice.errors import NoDensityError, ParameterError

mpl.use("Agg")
COLUMNS, SPECIES = example("penguins")
BILLS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm")}
KNOWN = {name: cells for name, cells in COLUMNS.items() if name != "year"}
MIXED = NaiveBayes(kinds={"year": "poisson"}).fit(COLUMNS, SPECIES)


def panels(frame):
    return [ax for ax in frame.figure.axes if ax is not frame]


@pytest.mark.parametrize(
    ("model", "table", "columns"),
    [
        (NaiveBayes(estimate="ml"), {"bill_length_mm": COLUMNS["bill_length_mm"]}, None),
        (QuadraticDiscriminant(estimate="ml"), BILLS, ["bill_length_mm"]),
        (NaiveBayes(estimate="ml", smoothing=0), KNOWN, "bill_length_mm"),
    ],
)
def test_one_column_is_the_marginal_density_of_each_class(model, table, columns):
    ax = plots.densities(model.fit(table, SPECIES), table, SPECIES, columns)
    assert [line.get_label() for line in ax.lines] == ["Adelie", "Chinstrap", "Gentoo"]
    x, height = ax.lines[0].get_data()
    cells = np.array([c for c, s in zip(COLUMNS["bill_length_mm"], SPECIES, strict=True) if s == "Adelie" and c == c])
    np.testing.assert_allclose(height, norm.pdf(x, cells.mean(), cells.std()), rtol=1e-6, atol=1e-30)
    assert ax.get_xlabel() == "bill_length_mm"


def test_every_column_has_a_panel_in_the_order_of_the_table():
    drawn = panels(plots.densities(MIXED, COLUMNS, SPECIES))
    assert [ax.get_xlabel() for ax in drawn] == list(COLUMNS)
    island = drawn[0]
    table = MIXED.tables()["island"]
    heights = [bar.get_height() for bar in island.patches[:3]]  # of the first class
    assert heights == pytest.approx([table[level][0] for level in ("Biscoe", "Dream", "Torgersen")])
    assert [text.get_text() for text in island.get_xticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    assert drawn[-1].lines[0].get_drawstyle() == "steps-mid"  # counts


def test_an_average_has_no_density_to_draw():
    with pytest.raises(NoDensityError, match="average of one-dependence models has no density"):
        plots.densities(AveragedOneDependence().fit(KNOWN, SPECIES), KNOWN, SPECIES)


@pytest.mark.parametrize("model", [TreeAugmentedBayes(), NaiveBayes(estimate="predictive")])
def test_models_of_dependence_have_densities_of_single_columns(model):
    drawn = panels(plots.densities(model.fit(KNOWN, SPECIES), KNOWN, SPECIES, ["bill_length_mm", "island"]))
    for line in drawn[0].lines:
        assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(1, abs=0.05)
    shares = np.array([bar.get_height() for bar in drawn[1].patches]).reshape(3, 3)
    assert shares.sum(axis=1) == pytest.approx(np.ones(3))


def test_arrays_have_columns_too():
    cells = np.column_stack(list(BILLS.values()))
    ax = plots.densities(LinearDiscriminant().fit(cells, SPECIES), cells, SPECIES)
    assert [panel.get_xlabel() for panel in panels(ax)] == ["x0", "x1"]


@pytest.mark.parametrize(
    ("model", "columns", "text"),
    [
        (MIXED, ("island", "wingspan"), r"one or more of the columns \['island'.*found \['island', 'wingspan'\]"),
        (MIXED, ("bill_length_mm", "bill_length_mm"), "each once"),
        (MIXED, (), "one or more"),
        (BayesDecision(NaiveBayes()), None, "classifier with densities, .*found BayesDecision"),
    ],
)
def test_what_cannot_be_drawn_is_said(model, columns, text):
    with pytest.raises(ParameterError, match=text):
        plots.densities(model, COLUMNS, SPECIES, columns)


def test_pairs_are_a_triangle_with_densities_on_its_edge():
    names = ["bill_length_mm", "bill_depth_mm", "body_mass_g"]
    drawn = panels(plots.pairs(MIXED, COLUMNS, SPECIES, names))
    assert len(drawn) == 9
    assert [ax.axison for ax in drawn] == [True, False, False, True, True, False, True, True, True]
    assert [ax.get_xlabel() for ax in drawn[6:]] == names
    assert [drawn[3].get_ylabel(), drawn[6].get_ylabel()] == names[1:]
    assert len(drawn[3].collections) == 3  # rows of each class
    assert len([line for line in drawn[3].lines if len(line.get_xdata()) > 1]) == 6  # two ellipses each


def test_pairs_begin_with_the_first_numeric_columns():
    drawn = panels(plots.pairs(MIXED, COLUMNS, SPECIES))
    assert len(drawn) == 25
    assert [ax.get_xlabel() for ax in drawn[20:]] == [name for name in COLUMNS if name not in ("island", "sex")]


@pytest.mark.parametrize(
    ("model", "ellipses"),
    [
        (GaussianDiscriminant(components=2, em=EM(restarts=1)), 12),
        (NaiveBayes(estimate="predictive"), 0),
        (LinearDiscriminant(), 6),
        (TreeAugmentedBayes(), 0),
    ],
)
def test_ellipses_are_those_of_components_where_there_are_gaussians(model, ellipses):
    ax = plots.pairs(model.fit(BILLS, SPECIES), BILLS, SPECIES)
    assert len([line for line in ax.lines if len(line.get_xdata()) > 1]) == ellipses


@pytest.mark.parametrize("columns", [["bill_length_mm"], ["bill_length_mm", "island"], ["bill_length_mm", "wing"]])
def test_pairs_are_of_two_numeric_columns_at_least(columns):
    with pytest.raises(ParameterError, match="two or more of the numeric columns"):
        plots.pairs(MIXED, COLUMNS, SPECIES, columns)


def test_a_bound_is_not_called_a_boundary():
    two = [name == "Gentoo" for name in SPECIES]
    with pytest.raises(ParameterError, match="A bound in closed form needs Gaussian columns with plug-in parameters"):
        error_bound(NaiveBayes(kinds={"year": "ignore"}).fit(COLUMNS, two))


@pytest.mark.parametrize("name", ["iris", "", "penguins.csv", "../penguins", None, 3, ["penguins"]])
def test_an_example_that_is_not_there_is_answered_with_those_that_are(name):
    with pytest.raises(ParameterError, match=r"There is no example .*; the examples are 'watermelon', 'penguins'"):
        example(name)
