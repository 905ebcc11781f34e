"""Columns named like groups, headings or titles of ours: nothing is lost, and everything adds up."""

import numpy as np
import pytest

from suffice import (
    GaussianDiscriminant,
    Mixture,
    NaiveBayes,
    em_steps,
    evidence_of_columns,
    explain,
    load,
    nomogram,
    plots,
)

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2


def numbers(*names):
    return {name: RNG.normal(size=60) + 0.5 * Y * (j + 1) for j, name in enumerate(names)}


CASES = {
    "a column named like a group": (NaiveBayes(joint=[["a", "b"]]), numbers("a", "b", "a, b")),
    "and like our way out": (NaiveBayes(joint=[["a", "b"]]), numbers("a", "b", "a, b", "a, b_")),
    "two groups that read alike": (NaiveBayes(joint=[["a", "b, c"], ["a, b", "c"]]), numbers("a", "b, c", "a, b", "c")),
    "a column named like a logarithm": (
        NaiveBayes(kinds={"x": "log-gaussian"}),
        {"x": np.exp(RNG.normal(size=60)), **numbers("ln x")},
    ),
    "a column named like correlations": (NaiveBayes(joint=[["a", "b"]]), numbers("a", "b", "correlation of a, b")),
    "counts beside a column named like them": (
        NaiveBayes(counts=[["u", "v"]]),
        {"u": RNG.poisson(2.0, 60), "v": RNG.poisson(3.0, 60), **numbers("u, v")},
    ),
    "columns named like our headings": (NaiveBayes(), numbers("prior", "class", "component", "in all")),
}


@pytest.mark.parametrize("name", CASES)
def test_explanations_have_a_term_for_everything(name):
    model, table = CASES[name]
    model.fit(table, Y)
    for in_turn in (False, True):
        found = explain(model, table, (1, 0), in_turn)
        joint = model.log_joint(table)
        np.testing.assert_allclose(found.log_odds, joint[:, 1] - joint[:, 0], rtol=1e-10, atol=1e-10)
        lines = repr(found).splitlines()
        assert len(lines) == len(found.terms) + 4  # two headings, the prior and the sum
        terms = [float(line.split()[-1]) for line in lines[2:]]
        assert sum(terms[:-1]) == pytest.approx(terms[-1], abs=1e-2)


@pytest.mark.parametrize("name", CASES)
def test_tables_are_there_for_everything(name):
    model, table = CASES[name]
    found = model.fit(table, Y).tables()
    blocks = zip(model.joint_.schema.blocks, model.joint_.density.parts, strict=True)
    apart = [density.tables(block.names) for block, density in blocks]
    assert len(found) == 1 + sum(map(len, apart))
    for column in table:  # what has a column's name is about that column
        if column in found:
            alone = NaiveBayes().fit({column: table[column]}, Y).tables()[column]
            for heading in set(alone) - {"class"}:
                np.testing.assert_allclose(found[column][heading], alone[heading])
    assert all(str(title) in str(model) or "," in title or title in ("class", "class_") for title in table)


@pytest.mark.parametrize("name", CASES)
def test_evidence_and_files_know_all_columns(name, tmp_path):
    model, table = CASES[name]
    model.fit(table, Y)
    assert sorted(column for part in evidence_of_columns(model, table, Y) for column in part.columns) == sorted(table)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_stand_beside_what_they_are_about(level):
    table = numbers("a", "a low", "a, b", "b")
    model = NaiveBayes(joint=[["a", "a low"], ["b", "a, b"]]).fit(table, Y)
    plain, found = model.tables(), model.tables(level)
    assert list(plain) == list(found)
    for title, columns in plain.items():
        for heading, values in columns.items():
            np.testing.assert_array_equal(found[title][heading], values)
    together = found["a, a low"]
    assert (together["mean a low_"] < together["mean a"]).all()  # the low end of a, beside the mean of "a low"
    assert (together["mean a low low"] < together["mean a low"]).all()


def test_categories_named_like_ends_of_intervals_keep_their_shares():
    cells = np.array(["x", "x low", "y"], dtype=object)[np.arange(60) % 3]
    model = NaiveBayes(estimate="map", smoothing=1).fit({"c": cells}, Y)
    assert sum(model.tables(0.9)["c"][name][0] for name in ("x", "x low", "y")) == pytest.approx(1)


def test_correlations_of_pairs_that_read_alike_are_all_there():
    table = numbers("a", "b, c", "a, b", "c")
    found = GaussianDiscriminant(estimate="unbiased").fit(table, Y).tables()
    (title,) = [title for title in found if title.startswith("correlation of")]
    assert len(found[title]) == 1 + 6


def test_a_column_named_like_correlations_is_described_as_what_it_is():
    model = NaiveBayes(joint=[["a", "b"]]).fit(numbers("a", "b", "correlation of a, b"), Y)
    assert "correlation of a, b (gaussian)" in str(model)


def test_a_mixture_of_a_column_called_component():
    table, model = numbers("component", "weight"), Mixture(2, "diagonal")
    for found in (model.fit(table).tables(), list(em_steps(model, table))[-1].tables()):
        assert set(found) == {"component_", "component", "weight"}
        assert "weight" in found["component_"]
        assert "mean" in found["component"]


def test_nomograms_and_pictures_of_such_columns():
    table = numbers("prior", "a, b", "in all")
    model = NaiveBayes().fit(table, Y)
    assert set(nomogram(model, table, (1, 0)).scales) == set(table)
    pytest.importorskip("matplotlib")
    labels = [text.get_text() for text in plots.explanation(explain(model, table, (1, 0))).get_yticklabels()]
    assert sorted(label.split(" = ")[0] for label in labels) == ["a, b", "in all", "in all", "prior", "prior log odds"]
