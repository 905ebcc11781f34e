"""The laws that ship with the library, over all families of the library and the one its documentation teaches."""

from dataclasses import replace

import numpy as np
import pytest

from families.cases import CASES, categorical, gaussian, poisson
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.memberships import memberships
from suffice.families.product import Product, ProductDensity
from suffice.kernels import moments
from suffice.testing import LAWS, K, check_family
from suffice.testing.law import said

TRIED = [pytest.param(law, case, id=f"{case}: {law}") for case in CASES for law in LAWS if law.concerns(case)]


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.mark.parametrize(("law", "case"), TRIED)
def test_law(law, case, rng):
    law.check(case, rng)


def test_a_family_that_breaks_a_law_is_told_which():
    wrong = replace(poisson, plug_in=lambda density, x: poisson.plug_in(density, x) + 1e-3)
    with pytest.raises(AssertionError, match="poisson breaks the law “Log densities are the oracle's"):
        check_family(wrong)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_family_of_the_library_has_a_chart(case, rng):
    assert case.prior.chart(case.truth, case.learned(*case.rows(rng))) is not None


IMPROPER = [case for case in CASES if not case.known and ("gaussian" in case.name or case.name == "poisson")]


@pytest.mark.parametrize("case", IMPROPER, ids=str)
def test_improper_priors_have_no_evidence_marginals_or_draws(case, rng):
    assert_improper(case.family.flat(K), case.learned(*case.closed(rng)), rng)


def test_a_cell_at_zero_has_no_evidence_marginals_or_draws(rng):
    assert_improper(categorical.family.symmetric(0), categorical.learned(*categorical.closed(rng)), rng)


def assert_improper(prior, statistics, rng):
    with pytest.raises(ValueError, match="has no evidence"):
        prior.log_evidence(statistics)
    with pytest.raises(ValueError, match="has no marginals"):
        prior.marginals(["a", "b"])
    with pytest.raises(ValueError, match="has no draws"):
        prior.draw(rng)


PARTS = (categorical, poisson, gaussian(DIAGONAL, False))


def test_a_product_adds_up_its_parts(rng):
    family = Product(tuple(case.family for case in PARTS))
    density = ProductDensity(tuple(case.truth for case in PARTS))
    labels = rng.integers(0, K, 40)
    blocks = density.sample(labels, rng)
    expected = sum(case.plug_in(case.truth, block) for case, block in zip(PARTS, blocks, strict=True))
    np.testing.assert_allclose(density.log_density(blocks), expected, rtol=1e-9)
    halves = [
        family.statistics(tuple(block[rows] for block in blocks), memberships(labels[rows], K))
        for rows in (slice(0, 15), slice(15, None))
    ]
    whole = family.statistics(blocks, memberships(labels, K))
    for found in (halves[0] + halves[1], (whole - halves[1]) + halves[1]):
        for mine, theirs in zip(found.parts, whole.parts, strict=True):
            for name, array in said(mine).items():
                np.testing.assert_allclose(array, theirs.arrays()[name], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e12])
def test_shares_of_all_components_at_once_are_those_of_one_after_the_other(rng, shift):
    rows, shares = rng.normal(size=(50, 3)) + shift, rng.dirichlet(np.ones(4), size=50)
    shares[:, 2] = 0.0  # a component without rows
    together = moments.soft_crosswise(rows, shares)
    singly = [moments.crosswise(rows, share) for share in shares.T]
    assert together is not None
    (mass, near, off, scatter), expected = together, [np.array(part) for part in zip(*singly, strict=True)]
    np.testing.assert_allclose(mass, expected[0], rtol=1e-12)
    np.testing.assert_allclose(near + off, expected[1] + expected[2], rtol=1e-12)
    np.testing.assert_allclose(scatter, expected[3], rtol=1e-7 if shift > 1e9 else 1e-9, atol=1e-9)
    np.testing.assert_array_equal(scatter, np.swapaxes(scatter, 1, 2))


def test_shares_that_take_too_much_room_are_looked_at_one_after_the_other():
    assert moments.soft_crosswise(np.zeros((moments.AT_ONCE, 1)), np.ones((moments.AT_ONCE, 2))) is None
