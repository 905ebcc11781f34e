"""Files: bit-exact round trips, atomic writes, and refusal of whatever is not what was written."""

import json
import struct

import numpy as np
import pytest

import suffice
from suffice import (
    Beta,
    Dirichlet,
    Gamma,
    GaussianDiscriminant,
    InverseGamma,
    LinearDiscriminant,
    NaiveBayes,
    NearestMean,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalMean,
    QuadraticDiscriminant,
    collect,
    example,
    store,
)
from suffice.errors import FileError
from suffice.learn.packing import plain, restored

COLUMNS, SPECIES = example("penguins")
NUMBERS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
WITHOUT_TEXT = {"island": "ignore", "sex": "ignore", "year": "ignore"}
OWN_PRIORS = {
    "sex": Dirichlet({"male": 2.0, "female": 1.0}),
    "year": Gamma(2.0, 0.001),
    "body_mass_g": NormalInverseGamma(4000.0, 1.0, 2.0, 1e5),
    "bill_depth_mm": NormalMean(17.0, 4.0, 2.0),
    "flipper_length_mm": InverseGamma(3.0, 200.0, mean=200.0),
    "bill_length_mm": {
        "Adelie": NormalInverseGamma(39.0, 1.0, 2.0, 10.0),
        "Chinstrap": NormalInverseGamma(49.0, 2.0, 3.0, 20.0),
        "Gentoo": NormalInverseGamma(47.0, 1.0, 2.0, 10.0).after([45.1, 48.3]),
    },
    "island": Dirichlet({"Biscoe": 1.0, "Dream": 0.3, "Torgersen": 2.0}).after(Dream=7),
}
MODELS = [
    NaiveBayes(kinds={"year": "categorical"}),
    NaiveBayes(kinds={"year": "poisson"}, parameter_prior=OWN_PRIORS, estimate="predictive"),
    NaiveBayes(kinds={"year": "ignore"}, joint=[NUMBERS[:2]], priors={"Adelie": 0.5, "Chinstrap": 0.2, "Gentoo": 0.3}),
    NaiveBayes(kinds=WITHOUT_TEXT, priors=np.array([0.5, 0.2, 0.3]), smoothing=0.5),
    GaussianDiscriminant("diagonal", shrink_shared=0.25, kinds=WITHOUT_TEXT),
    LinearDiscriminant(kinds=WITHOUT_TEXT),
    QuadraticDiscriminant(kinds=WITHOUT_TEXT, estimate="map"),
    NearestMean(kinds=WITHOUT_TEXT, priors="uniform"),
]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "模型.suffice"


@pytest.fixture
def saved(file):
    collect(COLUMNS, SPECIES, kinds={"year": "ignore"}).save(file)
    return file


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_model_comes_back_bit_for_bit(model, file):
    model.fit(COLUMNS, SPECIES).save(file)
    again = suffice.load(file)
    np.testing.assert_array_equal(again.log_joint(COLUMNS), model.log_joint(COLUMNS))
    assert type(again) is type(model)
    assert str(again) == str(model)
    assert again.classes_.tolist() == model.classes_.tolist()


@pytest.mark.parametrize("joint", [True, False])
def test_a_summary_comes_back_bit_for_bit(joint, file):
    summary = collect(COLUMNS, SPECIES, joint=joint, kinds={"year": "poisson"})
    summary.save(file)
    again = suffice.load(file)
    assert again == summary
    for name, array in summary.packed()[1].items():
        np.testing.assert_array_equal(again.packed()[1][name], array)


@pytest.mark.parametrize("labels", [[0, 1, 1], [True, False, True], ["甲", "乙", "乙"]])
def test_classes_and_levels_keep_their_types(labels, file):
    summary = collect(
        {"c": [1, 2, 2], "b": [True, False, True], "t": ["ü", "y", "y"]}, labels, kinds={"c": "categorical"}
    )
    summary.save(file)
    again = suffice.load(file)
    assert (again.classes, again.schema) == (summary.classes, summary.schema)


def test_loaded_summaries_can_be_merged(saved):
    half = suffice.load(saved)
    assert (half + half).n == 2 * half.n
    assert half + half - half == half


def test_learning_goes_on_after_loading(file):
    model = NaiveBayes(kinds={"year": "ignore"}).fit(COLUMNS, SPECIES)
    model.save(file)
    more, expected = (some.partial_fit(COLUMNS, SPECIES) for some in (suffice.load(file), model))
    np.testing.assert_array_equal(more.log_joint(COLUMNS), expected.log_joint(COLUMNS))


def test_a_model_before_fitting_cannot_be_saved(file):
    with pytest.raises(ValueError, match="not fitted"):
        NaiveBayes().save(file)


def test_a_parameter_that_is_no_plain_data_cannot_be_saved(file):
    with pytest.raises(ValueError, match="cannot be saved"):
        NaiveBayes(kinds={"year": "ignore"}, joint=[set(NUMBERS)]).fit(COLUMNS, SPECIES).save(file)


def test_an_interrupted_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(store.os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        collect(COLUMNS, SPECIES, kinds={"year": "poisson"}).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        suffice.load(tmp_path / "none")


@pytest.mark.parametrize("content", [b"", b"hello", b"\x00" * 100, b"\x08" + b"\x00" * 7 + b"{}      "])
def test_not_a_file_of_ours(content, file):
    file.write_bytes(content)
    with pytest.raises(FileError, match="not a suffice file"):
        suffice.load(file)


def test_a_newer_file(saved):
    rewrite(saved, lambda header: header | {"version": 99})
    with pytest.raises(FileError, match="newer suffice"):
        suffice.load(saved)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda h: h | {"classes": ["Adelie", "Gentoo"]}, "do not fit"),
        (lambda h: h | {"classes": ["Gentoo", "Chinstrap", "Adelie"]}, "not in order"),
        (lambda h: h | {"holds": "model"}, "does not hold what its header says"),
        (lambda h: {key: value for key, value in h.items() if key != "schema"}, "has no schema"),
        (lambda h: h | {"holds": "model", "model": {"name": "os.system", "parameters": {}}}, "does not know"),
        (lambda h: h | {"holds": "model", "model": {"name": "NaiveBayes", "parameters": {"bad": 1}}}, "does not hold"),
    ],
)
def test_a_header_that_lies_though_its_digest_is_right(change, found, saved):
    rewrite(saved, change)
    with pytest.raises(FileError, match=found):
        suffice.load(saved)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_numbers_that_cannot_be(bad, saved):
    header, arrays = store.read(saved)
    for name in arrays:
        if not arrays[name].size or (bad < 0 and not name.endswith(("weight", "seen", "counts"))):
            continue
        broken = {key: array.copy() for key, array in arrays.items()}
        broken[name].flat[0] = bad
        store.write(saved, header, broken)
        with pytest.raises(FileError):
            suffice.load(saved)


def rewrite(path, change):
    """The same arrays under a changed header, with a digest that fits."""
    header, arrays = store.read(path)
    store.write(path, change(header), arrays)


def test_thousands_of_mutated_files_give_an_error_or_the_same_answer(saved):
    rng, whole = np.random.default_rng(0), saved.read_bytes()
    expected = suffice.load(saved)
    refused = sum(not same_or_refused(mutated(whole, rng), saved, expected) for _ in range(3000))
    assert refused > 2900


def same_or_refused(content, path, expected):
    path.write_bytes(content)
    try:
        found = suffice.load(path)
    except FileError:
        return False
    assert found == expected
    return True


def mutated(whole, rng):
    """A byte changed, a piece cut out, doubled or swapped, the end lost, or the length of the header changed."""
    kind, content = rng.integers(6), bytearray(whole)
    a, b = sorted(rng.integers(0, len(whole), 2).tolist())
    if kind == 0:
        content[a] ^= int(rng.integers(1, 256))
    elif kind == 1:
        del content[a : a + int(rng.integers(1, 50))]
    elif kind == 2:
        content[a:a] = content[b : b + 20]
    elif kind == 3:
        del content[b:]
    elif kind == 4:
        content[a : a + 8], content[b : b + 8] = content[b : b + 8], content[a : a + 8]
    else:
        content[:8] = struct.pack("<Q", int(rng.integers(0, 2**62)))
    return bytes(content)


def test_the_header_is_plain_json(saved):
    content = saved.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["suffice"])
    assert header["version"] == store.VERSION


@pytest.mark.parametrize(
    "belief",
    [
        Beta(2, 3).after(heads=3, tails=0.1),
        Dirichlet([1.0, 0.3]),
        Gamma(2, 0.1).after(waits=[0.3]),
        NormalInverseWishart([0.0, 1.0], 1.0, 4.0, np.eye(2)),
        NormalInverseWishart({"长": 0.1, "宽": 1.0}, 1.0, 4.0, np.eye(2)),
        NormalMean(0, 1, 2).after([0.1, 0.7]),
        NormalMean([0.0, 1.0], np.eye(2), 3 * np.eye(2)),
        InverseGamma(2, 3, mean=0.1),
    ],
    ids=str,
)
def test_beliefs_survive(belief):
    again = restored(json.loads(json.dumps(plain(belief))))
    assert again.name == belief.name
    assert plain(again) == plain(belief)
    assert again.interval() == belief.interval()
