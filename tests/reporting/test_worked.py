"""Bayes' rule written out: the melons of the texts, plain numbers, and what cannot be."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, TreeAugmentedBayes, example, posterior, worked
from suffice.errors import LossError, ParameterError

MELONS, RIPE = example("watermelon")
MELONS = {name: cells for name, cells in MELONS.items() if name != "编号"}
MODEL = NaiveBayes(estimate="unbiased", smoothing=0).fit(MELONS, RIPE)
ROW = {name: cells[0] for name, cells in MELONS.items()}


def moments(name, ripe):
    cells = np.array(MELONS[name])[np.array(RIPE) == ripe]
    return norm(cells.mean(), cells.std(ddof=1))


def test_the_melon_of_the_texts():
    """青绿, 蜷缩, 浊响, 清晰, 凹陷, 硬滑, 0.697, 0.460: the sixteen factors, by counting."""
    found = worked(MODEL, ROW)
    ripe = [
        3 / 8,
        5 / 8,
        6 / 8,
        7 / 8,
        5 / 8,
        6 / 8,
        moments("密度", "是").pdf(0.697),
        moments("含糖率", "是").pdf(0.46),
    ]
    raw = [
        3 / 9,
        3 / 9,
        4 / 9,
        2 / 9,
        2 / 9,
        6 / 9,
        moments("密度", "否").pdf(0.697),
        moments("含糖率", "否").pdf(0.46),
    ]
    assert list(found.factors)[:2] == ["色泽 = 青绿", "根蒂 = 蜷缩"]
    np.testing.assert_allclose(np.stack(list(found.factors.values())), np.stack([raw, ripe], axis=1), rtol=1e-12)
    products = [9 / 17 * np.prod(raw), 8 / 17 * np.prod(ripe)]
    np.testing.assert_allclose(found.products, products, rtol=1e-12)
    assert round(products[1], 4) == 0.0524
    assert found.evidence == pytest.approx(sum(products), rel=1e-12)
    np.testing.assert_allclose(found.posterior, MODEL.predict_proba(pd.DataFrame([ROW]))[0], rtol=1e-12)
    assert found["是"] == pytest.approx(products[1] / sum(products))
    assert found.decision == "是"
    assert found.error == pytest.approx(products[0] / sum(products))


@pytest.mark.parametrize("row", [ROW, pd.Series(ROW), pd.DataFrame([ROW]), {k: [v] for k, v in ROW.items()}])
def test_rows_in_every_form(row):
    np.testing.assert_array_equal(worked(MODEL, row).products, worked(MODEL, ROW).products)


def test_it_prints_as_the_calculation():
    text = repr(worked(MODEL, ROW))
    assert "P(是) ∏ p(x_j | 是) = 0.4706 × 0.3750 × 0.6250 × 0.7500 × 0.8750 × 0.6250 × 0.7500 × 1.9590" in text
    assert "P(否 | x) = 0.00006858 / 0.05244730 = 0.0013" in text
    assert text.endswith("P(error | x) = 0.0013")
    latex = worked(MODEL, ROW).latex()
    assert latex.startswith("\\begin{aligned}\nP(\\text{否}) \\prod_j")
    assert "\\frac{0.05237872}{0.05244730}" in latex
    html = worked(MODEL, ROW)._repr_html_()
    cells = re.sub(r' style="[^"]*"', "", html)
    assert "<th>色泽 = 青绿</th><td>0.3333</td><td>0.3750</td>" in cells
    assert html.count("<tr>") == 12


@pytest.mark.parametrize("estimate", ["auto", "map"])
@pytest.mark.parametrize("hidden", [(), ("根蒂",), ("密度", "敲声"), ("纹理", "触感")])
def test_a_tree_has_a_factor_for_each_column_given_its_parent(estimate, hidden):
    model, row = TreeAugmentedBayes(estimate=estimate).fit(MELONS, RIPE), ROW | dict.fromkeys(hidden)
    found = worked(model, row)
    np.testing.assert_allclose(found.log_products, model.log_joint([row])[0], rtol=1e-12)
    assert len(found.factors) == len(MELONS)
    held = {name: f"{name} = {'missing' if name in hidden else cell}" for name, cell in ROW.items()}
    for child, parent in model.tree_.parents.items():
        assert (held[child] if parent is None else f"{held[child]} | {held[parent]}") in found.factors


def test_a_factor_of_a_tree_by_hand():
    """Of the 8 ripe melons 5 are 蜷缩, and of those 3 are 青绿: 3/5."""
    columns = {name: MELONS[name] for name in ("色泽", "根蒂")}
    model = TreeAugmentedBayes(smoothing=0, estimate="map", tree={"色泽": "根蒂"}).fit(columns, RIPE)
    ripe = [row for row, label in enumerate(RIPE) if label == "是" and MELONS["根蒂"][row] == "蜷缩"]
    green = sum(MELONS["色泽"][row] == "青绿" for row in ripe)
    found = worked(model, {"色泽": "青绿", "根蒂": "蜷缩"})
    assert found.factors["色泽 = 青绿 | 根蒂 = 蜷缩"][1] == pytest.approx(green / len(ripe))
    assert found.factors["根蒂 = 蜷缩"][1] == pytest.approx(5 / 8)


def test_a_missing_cell_is_a_factor_of_one():
    found = worked(MODEL, ROW | {"密度": None, "色泽": None})
    assert found.factors["密度 = missing"].tolist() == [1.0, 1.0]
    assert found.factors["色泽 = missing"].tolist() == [1.0, 1.0]


def test_columns_modelled_together_share_a_factor():
    numbers = {name: MELONS[name] for name in ("密度", "含糖率")}
    model = GaussianDiscriminant(estimate="unbiased").fit(numbers, RIPE)
    row = {"密度": 0.697, "含糖率": 0.46}
    found, turns = worked(model, row), worked(model, row, in_turn=True)
    assert list(found.factors) == ["密度 = 0.697, 含糖率 = 0.46"]
    assert list(turns.factors) == ["密度 = 0.697", "含糖率 = 0.46"]
    np.testing.assert_allclose(found.products, turns.products, rtol=1e-12)
    np.testing.assert_allclose(turns.factors["密度 = 0.697"][1], moments("密度", "是").pdf(0.697), rtol=1e-12)


def test_products_too_small_for_a_float():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (60, 2000))
    model = NaiveBayes(kinds="binary").fit(rows, np.arange(60) % 2)
    found = worked(model, rows[:1])
    assert found.products.tolist() == [0.0, 0.0]
    assert "e-" in repr(found).splitlines()[-6]
    np.testing.assert_allclose(found.posterior, model.predict_proba(rows[:1])[0])


def test_plain_numbers():
    """A test that finds 90 % of the ill, 1 % of all, and is wrong for 10 % of the well."""
    found = posterior({"ill": 0.9, "well": 0.1}, {"well": 0.99, "ill": 0.01})
    assert found.evidence == pytest.approx(0.108)
    assert found["ill"] == pytest.approx(0.009 / 0.108)
    assert found.error == pytest.approx(0.009 / 0.108)
    assert posterior({"a": 2.0, "b": 6.0}).posterior == pytest.approx([0.25, 0.75])
    assert posterior(pd.Series({"a": 2.0, "b": 6.0}), [0.5, 0.5])["b"] == pytest.approx(0.75)
    assert posterior({"a": 0.0, "b": 0.0}, [0.3, 0.7]).posterior.tolist() == [0.3, 0.7]
    assert found.table()["posterior"] == pytest.approx(found.posterior)


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (lambda: posterior([0.9, 0.1]), ParameterError, "likelihoods must be {class"),
        (lambda: posterior({"a": -1.0, "b": 1.0}), ParameterError, "0 or more"),
        (lambda: posterior({"a": [1.0, 2.0], "b": [1.0, 2.0]}), ParameterError, "one likelihood"),
        (lambda: posterior({"a": 1.0, None: 1.0}), LossError, "must have names"),
        (lambda: posterior({"a": 1.0, "b": 1.0}, {"a": 0.5, "c": 0.5}), ParameterError, "names the classes"),
        (lambda: posterior({"a": 1.0, "b": 1.0})["c"], ParameterError, "no class 'c'"),
        (lambda: worked(MODEL, MELONS), ParameterError, "Only one row is worked out at a time; found 17"),
        (
            lambda: worked(
                LinearDiscriminant(components=2, estimate="map").fit([[1.0], [2], [3], [4]], list("aabb")), [[1.0]]
            ),
            ParameterError,
            "one component for each class",
        ),
    ],
)
def test_mistakes_are_told_as_such(mistake, error, text):
    with pytest.raises(error, match=text):
        mistake()
