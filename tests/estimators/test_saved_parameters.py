"""Parameters on disk: whatever type of number or name they had, they come back the same."""

import numpy as np
import pytest

import suffice
from suffice import (
    EM,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
)
from suffice.errors import ParameterError
from suffice.learn.packing import plain, restored

X = np.random.default_rng(0).normal(size=(60, 2)) + 4 * (np.arange(60) % 2)[:, None]
y = np.arange(60) % 2
CATEGORIES = np.where(X > 2, "much", "little")

MODELS = [
    Mixture(np.int64(2)),
    Mixture(np.uint8(2), np.str_("diagonal"), np.True_, tol=np.float32(1e-3), max_iter=np.int32(99)),
    Mixture(2, restarts=np.int64(2), smoothing=np.float16(0.5), random_state=np.uint32(7), warm_start=np.False_),
    NaiveBayes(smoothing=np.float32(0.5), unknown=np.int64(-1), components=np.int8(1)),
    NaiveBayes(unknown=np.nan),
    NaiveBayes(unknown=np.float32("nan")),
    NaiveBayes(components={np.int64(0): np.int16(2)}, em=EM(restarts=1)),
    NaiveBayes(priors={np.int64(0): np.float32(0.25), np.int64(1): np.float32(0.75)}),
    NaiveBayes(priors=np.array([0.25, 0.75], dtype=np.float32)),
    GaussianDiscriminant(shared=np.False_, shrink_shared=np.float32(0.5)),
    LinearDiscriminant(shrink_spherical=np.float16(0.25), priors=(np.float64(0.5), np.float64(0.5))),
    QuadraticDiscriminant(kinds={np.str_("x1"): "ignore"}),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_numbers_of_numpy_as_parameters_come_back_the_same(model, tmp_path):
    model.fit(X, y).save(tmp_path / "model")
    again = suffice.load(tmp_path / "model")
    for name, given in model.get_params().items():
        np.testing.assert_equal(again.get_params()[name], given)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    again.fit(X, y)  # and they are as good for another fit
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_latent_classes_too(tmp_path):
    model = LatentClass(np.int16(2), smoothing=np.float32(1)).fit(CATEGORIES)
    model.save(tmp_path / "model")
    assert suffice.load(tmp_path / "model").components == 2


SCALARS = [np.dtype(name).type(1) for name in ("int8", "uint64", "float16", "float32", "float64", "bool")]


@pytest.mark.parametrize(
    "value",
    [*SCALARS, np.array([1, 2], dtype=np.int8), np.array(["a", "汉"]), np.array(["a", 1, None], dtype=object), np.inf],
    ids=repr,
)
def test_a_value_keeps_its_type(value):
    again = restored(plain(value))
    assert np.asarray(again).dtype == np.asarray(value).dtype
    np.testing.assert_array_equal(again, value)


@pytest.mark.parametrize("value", [np.datetime64("2020-01-01"), np.complex64(1j), 1j, object(), b"a", np.void(b"a")])
def test_what_has_no_plain_form_is_refused_by_its_type(value):
    with pytest.raises(ParameterError, match="cannot be saved; use plain numbers and names"):
        plain(value)


@pytest.mark.parametrize(
    "data", [{"array": [1], "type": "V8"}, {"array": [1], "type": "<U99999999"}, {"number": "many"}]
)
def test_a_type_that_is_none_is_refused(data):
    with pytest.raises((KeyError, ValueError)):
        restored(data)
