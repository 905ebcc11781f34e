"""Boundaries in any unit and at any distance from 0: the same kind, the same roots, and text that is right."""

import re
from fractions import Fraction

import numpy as np
import pytest

from suffice import GaussianDiscriminant, LinearDiscriminant, NaiveBayes, boundary, explain
from suffice.errors import ParameterError

SIGNS = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
CONICS = {
    "circle": (((0, 0), (1, 1)), ((0, 0), (4, 4))),
    "ellipse": (((0, 0), (1, 2)), ((1, 0), (4, 9))),
    "hyperbola": (((0, 0), (1, 4)), ((1, 0), (4, 1))),
    "two lines": (((0, 0), (1, 4)), ((0, 0), (4, 1))),
    "parabola": (((0, 0), (1, 1)), ((5, 0), (1, 4))),
    "hyperplane": (((0, 0), (1, 2)), ((1, 3), (1, 2))),
}
UNITS = [(1, 1), (1e-3, 1e3), (1e-9, 1e9), (1e12, 1e12), (3e-7, 7e-7), (1e-30, 1e30)]


def two_gaussians(first, second, unit=(1, 1), offset=(0, 0), **options):
    """A model of four rows for each class, whose means and variances are these, in other units."""
    rows = np.concatenate([np.asarray(mean) + SIGNS * np.sqrt(variances) for mean, variances in (first, second)])
    rows = rows * np.asarray(unit) + np.asarray(offset)
    return GaussianDiscriminant(estimate="ml", **options).fit(
        {"x1": rows[:, 0], "x2": rows[:, 1]}, ["one"] * 4 + ["two"] * 4
    )


def read(text, **values):
    """A polynomial in print at exact values of its columns."""
    values = {name: Fraction(float(value)) for name, value in values.items()}
    total = Fraction(0)
    for sign, term in re.findall(r"([−+]?) ?([^−+ ]\S*(?:(?:e[-+]\d+)|)(?: x\d²?)*)", text):
        coefficient, *factors = term.split(" ")
        part = Fraction(coefficient)
        for factor in factors:
            part *= values[factor.rstrip("²")] ** (2 if factor.endswith("²") else 1)
        total += -part if sign == "−" else part
    return total


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", CONICS)
def test_the_kind_does_not_depend_on_units(kind, unit):
    found = boundary(two_gaussians(*CONICS[kind], unit=unit), "one", "two")
    alike = ("circle", "ellipse") if unit[0] != unit[1] else (kind,)  # a circle is one in equal units only
    assert found.kind in (alike if kind == "circle" else (kind,))


@pytest.mark.parametrize("offset", [(1e6, -1e6), (0, 1e9), (1e4, 0)])
@pytest.mark.parametrize("kind", CONICS)
def test_the_kind_does_not_depend_on_the_distance_from_zero(kind, offset):
    assert boundary(two_gaussians(*CONICS[kind], offset=offset), "one", "two").kind == kind


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", CONICS)
def test_no_term_is_lost_in_any_unit(kind, unit):
    plain, scaled = (boundary(two_gaussians(*CONICS[kind], unit=u), "one", "two") for u in ((1, 1), unit))
    shape = [re.sub(r"[-+]?\d[\d.]*(e[-+]\d+)?(?= |$)", "c", found.equation()) for found in (plain, scaled)]
    assert shape[0] == shape[1]
    for x1, x2 in ((0.3, -2.0), (4.0, 1.0)):
        at = read(scaled.equation().removesuffix(" = 0"), x1=x1 * unit[0], x2=x2 * unit[1])
        assert float(at) == pytest.approx(float(plain.value([x1, x2])), abs=1e-3)


@pytest.mark.parametrize("unit", UNITS)
def test_roots_are_the_same_in_any_unit_and_none_is_false(unit):
    conic = CONICS["ellipse"]
    plain, scaled = (boundary(two_gaussians(*conic, unit=u), "one", "two") for u in ((1, 1), unit))
    for x1 in np.linspace(-6, 6, 41):
        expected = plain.solve_for("x2", at={"x1": x1})
        found = scaled.solve_for("x2", at={"x1": x1 * unit[0]})
        assert np.array(found) / unit[1] == pytest.approx(expected, abs=1e-6)
        assert len(expected) == (2 if plain.value([x1, 0.0]) > 0 else 0)  # the ellipse is even in x2


def test_a_line_that_touches_has_one_root():
    found = boundary(two_gaussians(*CONICS["circle"]), "one", "two")
    (radius, _), *_ = found.axes()
    assert found.solve_for("x2", at={"x1": radius}) == pytest.approx([0], abs=1e-6)
    assert found.solve_for("x2", at={"x1": radius * 1.001}) == []


@pytest.mark.parametrize("offset", [(0, 0), (1e6, 1e6), (-3e5, 2e7), (1e9, -1e9), (273.15, 101325)])
@pytest.mark.parametrize("unit", [(1, 1), (1e-3, 1e3)])
@pytest.mark.parametrize("kind", ["parabola", "hyperplane"])
def test_a_solved_boundary_in_print_is_right_to_a_small_part_of_a_spread(kind, unit, offset):
    if kind == "parabola":
        conic = tuple(((b, a), (d, c)) for (a, b), (c, d) in CONICS["parabola"])  # bent along x1
    else:
        conic = CONICS["hyperplane"]
    offset = np.array(offset) * unit
    found = boundary(two_gaussians(*conic, unit=unit, offset=offset, shared=kind == "hyperplane"), "one", "two")
    text = found.solve_for("x2").removeprefix("x2 = ")
    for x1 in np.array([-4.0, -1.0, 0.5, 3.0]) * unit[0] + offset[0]:
        (root,) = found.solve_for("x2", at={"x1": x1})
        assert float(read(text, x1=x1) - Fraction(root)) == pytest.approx(0, abs=3e-3 * unit[1])


@pytest.mark.parametrize("offset", [(0, 0), (1e6, 1e6), (1e9, -1e9)])
@pytest.mark.parametrize("kind", CONICS)
def test_an_equation_in_print_vanishes_on_the_boundary(kind, offset):
    found = boundary(two_gaussians(*CONICS[kind], offset=offset), "one", "two")
    limits = {"x1": (offset[0] - 6, offset[0] + 6), "x2": (offset[1] - 6, offset[1] + 6)}
    for x1, x2 in found.points(limits, 7):
        assert float(read(found.equation().removesuffix(" = 0"), x1=x1, x2=x2)) == pytest.approx(0, abs=2e-2)
    assert r"\text{x2}" in found.latex()


def test_near_zero_five_digits_are_enough():
    numbers = re.findall(r"\d[\d.]*", boundary(two_gaussians(*CONICS["ellipse"]), "one", "two").equation())
    assert max(len(number.replace(".", "").strip("0")) for number in numbers) <= 5


@pytest.mark.parametrize("model", [NaiveBayes, LinearDiscriminant, GaussianDiscriminant])
@pytest.mark.parametrize("priors", [{"one": 0, "two": 1}, {"one": 1, "two": 0}])
def test_a_class_that_cannot_be_has_no_boundary(model, priors):
    rng = np.random.default_rng(0)
    table, y = {"a": rng.normal(size=20), "b": rng.normal(size=20)}, ["one", "two"] * 10
    fitted = model(priors=priors, estimate="unbiased").fit(table, y)
    with pytest.raises(ParameterError, match=r"prior of '(one|two)' is 0.*priors above 0"):
        boundary(fitted, "one", "two")
    assert np.isinf(explain(fitted, table).prior)


def test_neither_of_two_classes_that_cannot_be_is_explained():
    rng = np.random.default_rng(0)
    fitted = NaiveBayes(priors=[0, 0, 1]).fit({"a": rng.normal(size=30)}, ["one", "two", "three"] * 10)
    with pytest.raises(ParameterError, match="priors of both are 0"):
        explain(fitted, {"a": [0.0]}, ("one", "three"))


def test_roots_need_all_other_columns():
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=40) for name in "abc"}
    found = boundary(GaussianDiscriminant(estimate="unbiased").fit(table, ["one", "two"] * 20), "one", "two")
    for at in ({"b": 1.0}, {"b": 1.0, "d": 2.0}, {"a": 0.0, "b": 1.0, "c": 2.0}, {}):
        with pytest.raises(ParameterError, match=r"give a value for each of \['b', 'c'\]"):
            found.solve_for("a", at=at)
    for root in found.solve_for("a", at={"b": 0.1, "c": 0.2}):
        assert float(found.value({"a": [root], "b": [0.1], "c": [0.2]})[0]) == pytest.approx(0, abs=1e-9)


def test_columns_of_rows_go_by_name():
    pandas = pytest.importorskip("pandas")
    found = boundary(two_gaussians(*CONICS["ellipse"]), "one", "two")
    turned = pandas.DataFrame({"x2": [5.0], "x1": [0.5]})
    assert found.value(turned) == pytest.approx(found.value([[0.5, 5.0]]))


def test_a_slice_along_which_nothing_changes_has_an_equation_without_columns():
    found = boundary(two_gaussians(((0, 0), (1, 1)), ((3, 0), (1, 1)), shared=True), "one", "two")
    along = found.slice({"x1": 1.0})
    assert along.equation() == "1.5 = 0"
    assert along.solve_for("x2", at={}) == []
    with pytest.raises(ParameterError, match="x2 does not appear"):
        found.solve_for("x2")
