"""Gaussian discriminants against R: MASS's lda and qda, klaR's rda, and exact predictives by mvtnorm, on the irises."""

from functools import partial

import numpy as np
import pytest

from suffice import GaussianDiscriminant, LinearDiscriminant, QuadraticDiscriminant, leave_one_out

same = partial(np.testing.assert_allclose, rtol=1e-9)
ROW = np.arange(1, 151)  # as R counts
TRAINED_ON = {  # and tested on the others, or on the same rows where there are none
    "full": ROW > 0,
    "odd_even": ROW % 2 == 1,
    "unequal": (ROW <= 80) | ((ROW > 100) & (ROW <= 115)),
}
METHODS = {"moment": "unbiased", "mle": "ml"}  # MASS's name of the divisor, and ours
FACES = {"lda": LinearDiscriminant, "qda": QuadraticDiscriminant}
RDA = [(0, 0), (0, 1), (1, 0), (1, 1), (0.3, 0.5), (0.05, 0.2)]  # gamma, lambda

each_split = pytest.mark.parametrize("split", TRAINED_ON)
each_method = pytest.mark.parametrize("method", METHODS)
each_face = pytest.mark.parametrize("face", FACES)


@pytest.fixture
def irises(data):
    """Columns and species of the chosen rows."""
    table = data("iris_R")
    species = np.array(table.pop("Species"))
    return lambda rows: ({name: column[rows] for name, column in table.items()}, species[rows])


@pytest.fixture
def learned(irises):
    """A model, and the rows that the reference was tested on."""

    def fitted(face, split, **options):
        here = TRAINED_ON[split]
        return FACES[face](**options).fit(*irises(here)), irises(here if here.all() else ~here)[0]

    return fitted


@pytest.fixture
def mass(reference):
    return lambda split, part: reference(f"mass_lda_qda_iris_{split}")[part]


@each_split
@each_method
@each_face
def test_posteriors(learned, mass, split, method, face):
    expected = mass(split, f"{face}_{method}")
    model, rows = learned(face, split, estimate=METHODS[method])
    same(model.log_joint(rows), expected["independent_logjoint_test"])
    same(model.predict_proba(rows), expected["posterior_test"]["plug_in"])
    assert model.predict(rows).tolist() == expected["class_test"]


@each_split
@each_method
@each_face
def test_posteriors_with_even_priors(learned, mass, split, method, face):
    model, rows = learned(face, split, estimate=METHODS[method], priors="uniform")
    same(model.predict_proba(rows), mass(split, f"{face}_{method}")["posterior_uniform_prior"])


@each_split
@each_method
@each_face
def test_means_and_priors(learned, mass, split, method, face):
    expected = mass(split, f"{face}_{method}")
    model, rows = learned(face, split, estimate=METHODS[method])
    means = model.tables()[", ".join(rows)]
    assert means["class"].tolist() == ["setosa", "versicolor", "virginica"]
    same(np.stack([means[f"mean {name}"] for name in rows], axis=1), expected["means"])
    same(model.summary_.statistics.weight, expected["counts"])
    same(model.priors_, expected["prior"])


@each_split
@each_method
def test_log_determinants(learned, mass, split, method):
    model, _ = learned("qda", split, estimate=METHODS[method])
    same(np.linalg.slogdet(covariances(model))[1], mass(split, f"qda_{method}")["ldet"])


@each_split
@each_method
def test_whitening_of_each_class(learned, mass, split, method):
    model, _ = learned("qda", split, estimate=METHODS[method])
    scaling = np.array(list(mass(split, f"qda_{method}")["scaling_per_class"].values()))
    whitened = np.swapaxes(scaling, 1, 2) @ covariances(model) @ scaling
    np.testing.assert_allclose(whitened, np.broadcast_to(np.eye(4), whitened.shape), atol=1e-12)


def covariances(model):
    (density,) = model.joint_.density.parts
    return density.covariance


@each_split
@each_method
def test_directions(learned, mass, split, method):
    expected = mass(split, f"lda_{method}")
    model, rows = learned("lda", split, estimate=METHODS[method])
    signs = np.sign((model.scalings_ * expected["scaling"]).sum(axis=0))  # of no meaning, and MASS's own
    same(model.scalings_, signs * expected["scaling"])
    np.testing.assert_allclose(model.transform(rows), signs * expected["scores_x"], rtol=1e-9, atol=1e-11)
    squares = np.square(expected["svd"])
    same(model.explained_variance_ratio_, squares / squares.sum())


@each_split
@each_face
def test_exact_predictives(learned, mass, split, face):
    expected = mass(split, f"{face}_predictive_exact_mvtnorm")
    model, rows = learned(face, split, estimate="predictive", parameter_prior="reference")
    same(model.log_joint(rows), expected["log_joint"])
    same(model.predict_proba(rows), expected["posterior"])


@pytest.mark.parametrize("gamma, lam", RDA)
def test_regularised(irises, reference, gamma, lam):
    expected = reference("rda_iris")[f"gamma_{gamma}_lambda_{lam}"]
    table, species = irises(ROW > 0)
    model = GaussianDiscriminant(shrink_shared=lam, shrink_spherical=gamma).fit(table, species)
    same(model.log_joint(table), expected["log_joint_mvtnorm"])
    np.testing.assert_allclose(model.predict_proba(table), expected["posterior_klaR"], rtol=1e-9, atol=1e-15)


def test_every_regularised_entry_is_read(reference):
    assert {f"gamma_{gamma}_lambda_{lam}" for gamma, lam in RDA} | {"covpooled"} == set(reference("rda_iris"))


@pytest.mark.parametrize("model", [LinearDiscriminant(), GaussianDiscriminant(shrink_shared=1)], ids=repr)
def test_pooled_covariance(irises, reference, model):
    for covariance in covariances(model.fit(*irises(ROW > 0))):
        same(covariance, reference("rda_iris")["covpooled"])


@each_split
@each_method
@each_face
def test_leave_one_out_with_priors_held(irises, mass, split, method, face):
    expected = mass(split, f"{face}_{method}")
    rows, species = irises(TRAINED_ON[split])
    model = FACES[face](estimate=METHODS[method], priors=expected["prior"])  # MASS holds them as in all rows
    found = leave_one_out(model, rows, species)
    same(found.posterior, expected["LOO_posterior"], atol=1e-14)
    best = np.array(found.classes)[found.posterior.argmax(axis=1)]
    assert best.tolist() == expected["LOO_class"]


@each_split
@each_method
@each_face
def test_leave_one_out_with_priors_from_the_rows_left(irises, mass, split, method, face):
    """The densities are MASS's, the prevalence of a row's own class is one row poorer."""
    expected = mass(split, f"{face}_{method}")
    rows, species = irises(TRAINED_ON[split])
    found = leave_one_out(FACES[face](estimate=METHODS[method]), rows, species)
    own = np.array(found.classes)[None, :] == species[:, None]
    counts = own.sum(axis=0)
    odds = np.where(own, (counts - 1) / counts, 1.0) * np.array(expected["LOO_posterior"])
    same(found.posterior, odds / odds.sum(axis=1, keepdims=True), atol=1e-14)
