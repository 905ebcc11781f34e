"""Categories and other kinds beside the Gaussian of a discriminant, as in naive Bayes with `joint`."""

import numpy as np
import pytest

from suffice import (
    GaussianDiscriminant,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    QuadraticDiscriminant,
    collect,
    example,
    leave_one_out,
    load,
)
from suffice.errors import KindError

NUMBERS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]


@pytest.fixture
def birds():
    table, species = example("penguins")
    kept = np.flatnonzero(~np.isnan(np.asarray(table["bill_length_mm"], dtype=float)))
    chosen = {name: np.asarray(table[name])[kept] for name in [*NUMBERS, "island", "sex"]}
    return chosen, np.asarray(species)[kept]


@pytest.mark.parametrize("face", [GaussianDiscriminant, QuadraticDiscriminant])
def test_it_is_naive_bayes_with_those_numbers_together(birds, face):
    table, species = birds
    ours = face(estimate="map").fit(table, species)
    theirs = NaiveBayes(joint=[NUMBERS], estimate="map").fit(table, species)
    np.testing.assert_allclose(ours.log_joint(table), theirs.log_joint(table), rtol=1e-12)
    new = {name: cells[:1] for name, cells in table.items()} | {"island": ["Anvers"]}
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=1e-12)
    assert ours.means_.shape == (3, 3)
    assert ours.covariance_.shape == (3, 3, 3)


def test_in_every_way_in_and_out(birds, tmp_path):
    table, species = birds
    model = GaussianDiscriminant(shared=True, kinds={"sex": "ignore"}).fit(table, species)
    assert model.estimate_ == "unbiased"
    half = [{name: cells[some] for name, cells in table.items()} for some in (slice(150), slice(150, None))]
    batches = GaussianDiscriminant(shared=True, kinds={"sex": "ignore"})
    batches.partial_fit(half[0], species[:150], classes=np.unique(species)).partial_fit(half[1], species[150:])
    kept = {name: cells for name, cells in table.items() if name != "sex"}
    summary = GaussianDiscriminant.from_summary(collect(kept, species, joint=True), shared=True)
    model.save(tmp_path / "model")
    for other in (batches, summary, load(tmp_path / "model")):
        np.testing.assert_allclose(other.predict_proba(kept), model.predict_proba(kept), rtol=1e-7, atol=1e-12)
    found = leave_one_out(GaussianDiscriminant(shared=True), kept, species)
    rest = {name: cells[1:] for name, cells in kept.items()}
    first = GaussianDiscriminant(shared=True).fit(rest, species[1:])
    np.testing.assert_allclose(
        found.posterior[0], first.predict_proba({n: c[:1] for n, c in kept.items()})[0], rtol=1e-7, atol=1e-12
    )


def test_other_kinds_by_declaration(birds):
    table, species = birds
    kinds = {"flipper_length_mm": "log-gaussian"}
    ours = GaussianDiscriminant(kinds=kinds, estimate="map").fit(table, species)
    theirs = NaiveBayes(kinds=kinds, joint=[NUMBERS[:2]], estimate="map").fit(table, species)
    np.testing.assert_allclose(ours.log_joint(table), theirs.log_joint(table), rtol=1e-12)


@pytest.mark.parametrize("face", [LinearDiscriminant, NearestMean])
def test_linear_scores_are_of_numbers_and_the_message_says_where_to_go(birds, face):
    with pytest.raises(KindError, match=r"'island', 'sex'.*ignore.*GaussianDiscriminant.*NaiveBayes\(joint="):
        face().fit(*birds)
    with pytest.raises(KindError, match="GaussianDiscriminant"):
        face.from_summary(collect(*birds, joint=True))
