"""Components in another order, and whether one more is needed."""

import numpy as np
import pytest

from suffice import LatentClass, Mixture, NaiveBayes, components_test
from suffice.errors import ParameterError


def clumps(seed=0, n=90):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(5 * k, 1 + 0.3 * k, (n // 3, 2)) for k in range(3)]), np.repeat(
        list("abc"), n // 3
    )


def test_components_in_another_order_are_the_same_components():
    rows, _ = clumps()
    model = Mixture(3, intervals="information").fit(rows)
    other = model.relabelled([2, 0, 1])
    np.testing.assert_array_equal(other.weights_, model.weights_[[2, 0, 1]])
    np.testing.assert_allclose(other.predict_proba(rows), model.predict_proba(rows)[:, [2, 0, 1]])
    assert other.score(rows) == pytest.approx(model.score(rows))
    for title, table in model.tables(level=0.9).items():
        for heading, values in table.items():
            if heading != "component":
                np.testing.assert_array_equal(other.tables(level=0.9)[title][heading], values[[2, 0, 1]])
    errors = model.standard_errors()["x0, x1"]["mean x0"]
    np.testing.assert_array_equal(other.standard_errors()["x0, x1"]["mean x0"], errors[[2, 0, 1]])
    low, _ = model.predict_interval(rows[:3], draws=20)
    np.testing.assert_allclose(other.predict_interval(rows[:3], draws=20)[0], low[:, [2, 0, 1]])
    assert "rows" in str(other)
    for wrong in ([0, 1], [0, 0, 1], [[0, 1, 2]], "012", [0, 1, np.nan]):
        with pytest.raises(ParameterError, match=r"each of the components 0 … 2 once|order must be numbers"):
            model.relabelled(wrong)


def test_components_stand_as_what_they_are_matched_with():
    rows, labels = clumps()
    model = Mixture(3).fit(rows)
    by_class = model.matched(rows, labels)
    assert (np.diff(by_class.tables()["x0, x1"]["mean x0"]) > 0).all()
    shuffled = model.relabelled([1, 2, 0])
    np.testing.assert_array_equal(shuffled.matched(rows, model).weights_, model.weights_)
    taught = NaiveBayes().fit(rows, labels)
    np.testing.assert_array_equal(shuffled.matched(rows, taught).weights_, by_class.weights_)
    given = Mixture.from_tables(model.tables()).relabelled([2, 1, 0])
    np.testing.assert_array_equal(given.weights_, model.weights_[::-1])
    with pytest.raises(ParameterError, match="3 components, but the model or labels to match have 2"):
        model.matched(rows, np.repeat(["a", "b"], 45))


def test_one_more_component_is_asked_for_where_there_is_one():
    rows, _ = clumps(n=60)
    two = rows[:40]
    needed = components_test(Mixture(1, restarts=1), two, draws=19)
    assert needed.p_value == pytest.approx(0.05)
    assert needed.larger.components == 2
    enough = components_test(Mixture(2, restarts=1), two, draws=19)
    assert enough.p_value > 0.05
    direct = 2 * 40 * (enough.larger.score(two) - enough.smaller.score(two))
    assert enough.statistic == pytest.approx(direct)
    assert repr(enough).startswith("2 components against 3 · 19 draws\n2 ln λ  ")


def test_what_cannot_be_tested_is_refused():
    rows, _ = clumps()
    with pytest.raises(ParameterError, match="needs a Mixture or a LatentClass; found NaiveBayes"):
        components_test(NaiveBayes(), rows)
    with pytest.raises(ParameterError, match="draws complete tables"):
        components_test(Mixture(1), np.where(rows > 12, np.nan, rows))
    with pytest.raises(ParameterError, match="draws complete tables"):
        components_test(LatentClass(1), {"q": ["a", "b", None, "a"] * 5})
    with pytest.raises(ParameterError, match="draws must be the number of tables"):
        components_test(Mixture(1), rows, draws=0)


def test_weights_of_a_test_are_how_often_rows_are_there():
    rng = np.random.default_rng(3)
    rows = np.concatenate([rng.normal(0, 1, (30, 1)), rng.normal(6, 1, (20, 1)), [[np.nan]]])
    weights = np.append(np.arange(50) % 3, 0)
    again = np.repeat(rows, weights, axis=0)
    found = components_test(Mixture(1), rows, sample_weight=weights, draws=9)
    plain = components_test(Mixture(1), again, draws=9)
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-5)
    np.testing.assert_allclose(found.drawn, plain.drawn, rtol=1e-4, atol=1e-3)
    named = components_test(Mixture(1), {"x": rows[:, 0], "w": weights}, sample_weight="w", draws=9)
    assert named.statistic == pytest.approx(found.statistic)
    with pytest.raises(ParameterError, match=r"each weight must be a whole number.*found 0\.5"):
        components_test(Mixture(1), rows, sample_weight=weights / 2, draws=9)
