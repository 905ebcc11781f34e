"""Columns that are modelled in other units: the same care as without, files of before, and kinds of one's own."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from suffice import (
    Mixture,
    NaiveBayes,
    Range,
    TreeAugmentedBayes,
    collect,
    example,
    load,
    register_kind,
)
from suffice.data.kinds import KINDS
from suffice.errors import KindError, LostDigitsWarning, ParameterError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.transforms import LOG, Transform

REFERENCE = Path(__file__).parents[1] / "reference"
FAR = 1e9


def columns(kind, rng):
    """The same column, as its family has it, in the units of a kind; far out there is one more row."""
    z = {"drowned": np.append(rng.normal(size=40), FAR), "fine": np.append(rng.normal(size=40), 0.0)}
    return {name: KINDS[kind].transform.back(cells) if KINDS[kind].transform else cells for name, cells in z.items()}


def own(z):
    return z / 8


def eighth(x):
    return x * 8


def log_eighth(z):
    return np.full(z.shape, -np.log(8))


@pytest.fixture
def scaled():
    """A kind with a transform of its own, by a power of two: nothing is rounded."""
    by = Transform("eight times {}", eighth, own, log_eighth)
    register_kind("scaled", lambda block: Gaussian(len(block.columns), DIAGONAL), transform=by)
    yield "scaled"
    del KINDS["scaled"]


@pytest.mark.parametrize("model", [NaiveBayes, TreeAugmentedBayes])
def test_a_drowned_column_is_left_out_in_whatever_units(scaled, model):
    rng, labels = np.random.default_rng(3), np.append(np.arange(40) % 2, 0)
    for kind in ("gaussian", scaled):
        table = columns(kind, rng) | {"town": np.where(rng.random(41) < 0.5, "x", "y")}
        kinds = {"drowned": kind, "fine": kind}
        last = {name: cells[40:] for name, cells in table.items()}
        whole, far = (collect(some, y, kinds=kinds, pairs=True) for some, y in ((table, labels), (last, labels[40:])))
        with pytest.warns(LostDigitsWarning, match="column 'drowned' in class 0"):
            left = whole - far
        with pytest.warns(LostDigitsWarning, match="no digits of their spread: 'drowned'"):
            found = model.from_summary(left, estimate="map")
        assert "drowned" not in [column.name for column in found.joint_.schema.columns]


def test_a_log_gaussian_column_that_subtraction_has_drowned_is_left_out_with_a_word():
    rng, labels = np.random.default_rng(3), np.append(np.arange(40) % 2, 0)
    x = np.append(np.exp(1e-14 * rng.normal(size=40)), 1e300)
    table, kinds = {"x": x, "z": np.append(rng.normal(size=40), 0.0)}, {"x": "log-gaussian"}
    whole, far = collect(table, labels, kinds=kinds), collect({"x": [1e300], "z": [0.0]}, [0], kinds=kinds)
    with pytest.warns(LostDigitsWarning, match="column 'x' in class 0"):
        left = whole - far
    with pytest.warns(LostDigitsWarning, match="no digits of their spread: 'x'"):
        assert NaiveBayes.from_summary(left, estimate="ml").joint_.schema.columns[0].name == "z"


def test_cells_too_far_from_0_for_their_spread_are_refused_in_whatever_units(scaled):
    cells, labels = 1e15 + np.arange(40) % 3, np.arange(40) % 2
    for kind in ("gaussian", scaled):
        with pytest.raises(KindError, match="lie too far from 0 for their spread"):
            NaiveBayes(kinds={"x": kind}).fit({"x": cells}, labels)


@pytest.mark.parametrize("kind", ["gaussian", "log-gaussian", "logit-gaussian"])
def test_em_reads_columns_by_the_fast_accumulator_in_whatever_units(kind, monkeypatch):
    by, asked = KINDS[kind].transform, []
    z = np.random.default_rng(0).normal(size=(60, 2))
    fast = Gaussian.accumulator
    monkeypatch.setattr(Gaussian, "accumulator", lambda *given: asked.append(1) or fast(*given))
    Mixture(2, kinds=kind, restarts=1).fit(z if by is None else by.back(z))
    assert asked


def test_a_tree_names_the_units_of_its_tables():
    table, ripe = example("watermelon")
    kinds = {"编号": "ignore", "密度": "logit-gaussian"}
    tables = TreeAugmentedBayes(kinds=kinds, estimate="map").fit(table, ripe).joint_.tables()
    assert "logit 密度" in tables
    assert "密度" not in tables


# files of before


@pytest.fixture
def before():
    spec = importlib.util.spec_from_file_location("before", REFERENCE / "scripts" / "saved_by_format_1.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_summary_of_format_1_is_what_its_rows_give_now(before, tmp_path):
    found = load(REFERENCE / "data" / "summary_of_format_1.safetensors")
    now = collect(before.table, before.y, kinds=before.KINDS, pairs=True)
    assert found == now
    found.save(tmp_path / "again")
    assert load(tmp_path / "again") == now
    trees = (TreeAugmentedBayes.from_summary(some).predict_proba(before.table) for some in (found, now))
    np.testing.assert_array_equal(*trees)


def test_a_model_of_format_1_answers_as_it_did(before):
    found = load(REFERENCE / "data" / "model_of_format_1.safetensors")
    now = NaiveBayes(kinds=before.KINDS).fit(before.table, before.y)
    np.testing.assert_allclose(found.log_density(before.table), now.log_density(before.table), rtol=1e-12)
    assert found.partial_fit(before.table, before.y).summary_.n == 80


# kinds of one's own


def test_a_transform_of_cells_that_have_probabilities_is_refused():
    with pytest.raises(ParameterError, match="cells of a discrete kind have probabilities"):
        register_kind("odd", lambda block: Gaussian(1, DIAGONAL), discrete=True, transform=LOG)


def test_a_transform_that_is_none_is_refused_by_what_it_is():
    with pytest.raises(ParameterError, match="found ufunc"):
        register_kind("odd", lambda block: Gaussian(1, DIAGONAL), transform=np.log, allows=Range(0, above=True))


def test_models_are_made_from_single_floats_and_summaries_keep_all_digits():
    table, y = {"x": np.arange(20.0) ** 2}, np.arange(20) % 2
    half = {"x": table["x"][:9]}
    summary = collect(table, y) - collect(half, y[:9])
    [piece] = summary.marginal().pieces()
    assert piece.statistics.fine
    assert piece.plain().statistics.fine is None
    for name in ("weight", "seen", "mean", "scatter"):
        np.testing.assert_array_equal(getattr(piece.plain().statistics, name), getattr(piece.statistics, name))
