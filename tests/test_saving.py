"""What `save` writes and where: only what `load` takes, the same bytes for the same model, in a file like any other."""

import copy
import json
import os
import random
import stat
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save as as_tensors

import suffice
from suffice import LatentClass, Mixture, NaiveBayes, NormalInverseGamma, collect, example, store
from suffice.errors import FileError
from suffice.families.mass import Mass
from suffice.families.product import ProductStatistics

COLUMNS, SPECIES = example("penguins")
BILLS = {name: COLUMNS[name] for name in ("bill_length_mm", "bill_depth_mm")}
TEXTS = {name: COLUMNS[name] for name in ("island", "sex")}
SMALL = collect({"a": [1.0, 2.0, 4.0], "t": ["x", "y", "y"]}, [0, 1, 1], kinds={"a": "gaussian"}).marginal()
HALVES = ["\ud800", "weg \udfff", "\ud83d\ude00"]  # the last would come back as one character
UNIX = pytest.mark.skipif(os.name != "posix", reason="modes and links are those of Unix")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """Sets it, and puts it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@UNIX
@pytest.mark.parametrize("mask", [0o022, 0o002, 0o077, 0o000])
@pytest.mark.parametrize("what", [SMALL, NaiveBayes().fit(BILLS, SPECIES)], ids=["summary", "model"])
def test_a_new_file_has_the_mode_that_any_new_file_has(what, mask, umask, tmp_path):
    umask(mask)
    what.save(tmp_path / "it")
    (tmp_path / "other").touch()
    assert mode(tmp_path / "it") == mode(tmp_path / "other")


@UNIX
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664])
def test_a_file_written_again_keeps_its_mode(kept, umask, tmp_path):
    SMALL.save(tmp_path / "it")
    (tmp_path / "it").chmod(kept)
    SMALL.save(tmp_path / "it")
    assert mode(tmp_path / "it") == kept


@UNIX
@pytest.mark.parametrize("there", [True, False], ids=["written before", "not there yet"])
@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_written(there, relative, tmp_path):
    (tmp_path / "models").mkdir()
    target, link, chain = tmp_path / "models" / "v1", tmp_path / "latest", tmp_path / "newest"
    if there:
        target.write_text("old")
    link.symlink_to("models/v1" if relative else target)
    chain.symlink_to(link)
    SMALL.save(chain)
    assert link.is_symlink()
    assert chain.is_symlink()
    assert suffice.load(target) == suffice.load(chain) == SMALL
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["v1"]


@UNIX
def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(path.name for path in tmp_path.iterdir())
    for name in before:
        with pytest.raises(FileError, match="not an ordinary file"):
            SMALL.save(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["n" * 250, "模" * 80, ".hidden", "with space"])
def test_any_name_that_a_file_may_have(name, tmp_path):
    SMALL.save(tmp_path / name)
    assert suffice.load(tmp_path / name) == SMALL
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("model", [NaiveBayes(), Mixture(2), NaiveBayes(components=2)], ids=str)
def test_the_same_model_gives_the_same_bytes(model, tmp_path):
    written = set()
    for _ in range(8):
        model.fit(BILLS, SPECIES).save(tmp_path / "it")
        written.add((tmp_path / "it").read_bytes())
    assert len(written) == 1


# what load would refuse, save refuses


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("part", [0, 1])
def test_statistics_that_are_not_finite_are_not_written(bad, part, tmp_path):
    names = [column.name for column in SMALL.schema.blocks[part].columns]
    for field in SMALL.statistics.parts[part].arrays():
        broken = spoiled(SMALL, part, field, bad)
        if broken is None:
            continue
        model = NaiveBayes().fit({"a": [1.0, 2.0, 4.0], "t": ["x", "y", "y"]}, [0, 1, 1])
        model.model_ = replace(model.model_, summary=broken)
        for what in (broken, model):
            with pytest.raises(FileError, match=rf"'{names[0]}'.* not finite .*{field}"):
                what.save(tmp_path / "it")
        assert list(tmp_path.iterdir()) == []


class Spoiled:
    """A record one of whose arrays is wrong."""

    def __init__(self, record, field, array):
        self._record, self._wrong = record, {field: array}

    def arrays(self):
        return self._record.arrays() | self._wrong

    def __getattr__(self, name):
        return getattr(self._record, name)


def spoiled(summary, part, field, bad):
    record = summary.statistics.parts[part]
    array = record.arrays()[field].copy()
    if not array.size:
        return None
    array.flat[0] = bad
    parts = list(summary.statistics.parts)
    parts[part] = Spoiled(record, field, array)
    return replace(summary, statistics=ProductStatistics(summary.statistics.mass, tuple(parts)))


def test_weights_too_large_to_add_are_not_written(tmp_path):
    with np.errstate(over="ignore"):
        much = replace(SMALL, statistics=ProductStatistics(Mass(np.array([np.inf, 1.0])), SMALL.statistics.parts))
    with pytest.raises(FileError, match="the classes are not finite"):
        much.save(tmp_path / "it")


def test_statistics_below_zero_are_not_written(tmp_path):
    for part, field in ((0, "counts"), (1, "weight"), (1, "scatter")):
        with pytest.raises(FileError, match="negative"):
            spoiled(SMALL, part, field, -1.0).save(tmp_path / "it")


@pytest.mark.parametrize("half", HALVES, ids=ascii)
@pytest.mark.parametrize(
    "of",
    [
        lambda half: collect({"a": [1.0, 2.0]}, [half, "b"]),
        lambda half: collect({"a": [half, "b"]}, [0, 1]),
        lambda half: collect({half: [1.0, 2.0]}, [0, 1]),
        lambda half: collect({half: [1.0, 2.0], "b": [1.0, 2.0]}, [0, 1], kinds={half: "ignore"}),
        lambda half: NaiveBayes(unknown=half).fit({"a": [1.0, 2.0, 3.0, 5.0]}, [0, 1, 0, 1]),
    ],
    ids=["class", "category", "column", "column left out", "parameter"],
)
def test_half_a_character_is_not_written(of, half, tmp_path):
    with pytest.raises(FileError, match="half a character") as error:
        of(half).save(tmp_path / "it")
    assert repr(half) in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_impossible_categories_are_an_answer_and_are_written(tmp_path):
    """Ln 0 among the parameters that EM found."""
    hidden = [None if i % 4 == 0 else name for i, name in enumerate(SPECIES)]
    for model in (NaiveBayes(smoothing=0.0).fit(TEXTS, hidden), LatentClass(2, smoothing=0.0).fit(TEXTS)):
        model.save(tmp_path / "it")
        np.testing.assert_array_equal(suffice.load(tmp_path / "it").predict_proba(TEXTS), model.predict_proba(TEXTS))


# files made to mislead, with digests that fit


@pytest.mark.parametrize("depth", [500, 2_000, 100_000])
@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_headers_nested_deeply_are_refused(depth, opening, tmp_path):
    closing = "}" if opening.startswith("{") else "]"
    deep = opening * depth + "1" + closing * depth
    for header in (deep, f'{{"version": 1, "digest": "", "holds": {deep}}}'):
        (tmp_path / "it").write_bytes(as_tensors({"weight": np.ones(1)}, metadata={"suffice": header}))
        with pytest.raises(FileError):
            suffice.load(tmp_path / "it")


@pytest.mark.parametrize("depth", [100, 300, 600])
@pytest.mark.parametrize("wrapped", [lambda d: [d], lambda d: {"tuple": [d]}, lambda d: {"pairs": [[0, d]]}])
def test_parameters_nested_deeply_are_refused(depth, wrapped, tmp_path):
    NaiveBayes().fit(BILLS, SPECIES).save(tmp_path / "it")
    header, arrays = store.read(tmp_path / "it")
    deep = 1
    for _ in range(depth):
        deep = wrapped(deep)
    header["model"]["parameters"]["smoothing"] = deep
    try:
        store.write(tmp_path / "it", header, arrays)
    except RecursionError:
        return  # not even Python can write it
    with pytest.raises(FileError, match="does not hold what its header says"):
        suffice.load(tmp_path / "it")


@pytest.mark.parametrize(
    "header", ["1", "null", '"text"', "[]", "{}", '{"version": 1}', '{"version": NaN, "digest": ""}']
)
def test_headers_that_are_none(header, tmp_path):
    (tmp_path / "it").write_bytes(as_tensors({"weight": np.ones(1)}, metadata={"suffice": header}))
    with pytest.raises(FileError, match="not a suffice file"):
        suffice.load(tmp_path / "it")


@pytest.mark.parametrize("version", [True, 0, -1, 1.0, "1", None])
def test_versions_that_are_none(version, tmp_path):
    SMALL.save(tmp_path / "it")
    header, arrays = store.read(tmp_path / "it")
    store.write(tmp_path / "it", header | {"version": version}, arrays)
    with pytest.raises(FileError, match="no version"):
        suffice.load(tmp_path / "it")


@pytest.mark.parametrize(
    "parameter",
    [
        {"smoothing": -1.0},
        {"estimate": "best"},
        {"tol": "small"},
        {"em": {"em": {"tol": "small"}}},
        {"em": 3},
        {"em": {"em": {"tal": 1}}},
        {"kinds": {"array": 1}},
    ],
)
def test_parameters_that_make_no_sense_are_refused_when_the_file_is_read(parameter, tmp_path):
    NaiveBayes().fit(BILLS, SPECIES).save(tmp_path / "it")
    header, arrays = store.read(tmp_path / "it")
    header["model"]["parameters"] |= parameter
    store.write(tmp_path / "it", header, arrays)
    with pytest.raises(FileError, match="does not hold what its header says"):
        suffice.load(tmp_path / "it")


ODD = [
    *(None, True, -1, 0, 10**12, 10**400, -0.5, 1e308, "", "auto", "categorical", [], {}, [[]], [1, "a"]),
    *({"tuple": [1]}, {"array": [[1], [2, 3]]}, {"pairs": [[[1], 2]]}, {"belief": "Beta", "of": {}}),
    {"belief": "Gamma", "of": {"shape": 10**400, "rate": 1}},
]
PRIOR = {"bill_length_mm": NormalInverseGamma(40.0, 1.0, 2.0, 50.0)}
FILES = [
    collect(COLUMNS, SPECIES, joint=True, kinds={"year": "poisson"}),
    NaiveBayes(kinds={"year": ("binomial", 3000)}, parameter_prior=PRIOR).fit(COLUMNS, SPECIES),
    NaiveBayes().fit(BILLS, [None if i % 5 == 0 else name for i, name in enumerate(SPECIES)]),
    Mixture(2).fit(BILLS),
    LatentClass(2).fit(TEXTS),
]


@pytest.mark.parametrize("made", FILES, ids=lambda made: type(made).__name__)
def test_headers_and_numbers_changed_at_random_are_refused_or_taken_never_stumbled_over(made, tmp_path):
    made.save(tmp_path / "it")
    header, arrays = store.read(tmp_path / "it")
    rng, places, refused = random.Random(0), list(within(header)), 0
    for _ in range(150):
        changed, numbers = copy.deepcopy(header), dict(arrays)
        if rng.random() < 0.7:
            inner, key = rng.choice(list(within(changed)))
            inner[key] = rng.choice(ODD)
        else:
            name = rng.choice([name for name in sorted(arrays) if arrays[name].size])
            numbers[name] = arrays[name].copy()
            numbers[name].flat[rng.randrange(arrays[name].size)] = rng.choice([np.nan, np.inf, -np.inf, -1e100, -1.0])
        store.write(tmp_path / "it", changed, numbers)
        try:
            str(suffice.load(tmp_path / "it"))
        except ValueError:  # our errors, all of them
            refused += 1
    assert refused > 75
    assert len(places) > 20


def within(data):
    """Every place in nested data, as what holds it and the key."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from within(data[key])


def test_the_digest_stands_in_the_header(tmp_path):
    SMALL.save(tmp_path / "it")
    content = (tmp_path / "it").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["suffice"])
    assert (header["version"], len(header["digest"])) == (store.VERSION, 64)
