"""A family sees turned cells only: what a model says of x is what it says of z = f(x), whatever the family is asked.

The members that a family can be asked are read from the contract itself, so that one that is added is held to this too.
"""

from dataclasses import replace
from functools import wraps
from inspect import isfunction

import numpy as np
import pytest

from suffice import (
    EM,
    AveragedOneDependence,
    Gamma,
    Mixture,
    NaiveBayes,
    NormalMean,
    QuadraticDiscriminant,
    Range,
    TreeAugmentedBayes,
    collect,
    compare,
    explain,
    leave_one_out,
    load,
    register_kind,
)
from suffice.data.kinds import KINDS
from suffice.families import protocol
from suffice.families.angles.family import Angles
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.rates.waiting import Waiting
from suffice.transforms import DEGREES, LOG, LOGIT, Transform

CONTRACT = ("Family", "LeavesOut", "Statistics", "Density", "Parametric", "Prior")


def cubed(z):
    return z**3


def log_slope_of_cubed(z):
    return np.log(3 * np.maximum(z**2, 1e-300))


def same(z):
    return z


SAME = Transform("{}", same, same, np.zeros_like)
TRANSFORMS = {
    "ln": LOG,
    "logit": LOGIT,
    "degrees": DEGREES,
    "cube root": Transform("∛{}", np.cbrt, cubed, log_slope_of_cubed),
}
FAMILIES = {
    "gaussian": lambda block: Gaussian(len(block.columns), DIAGONAL),
    "waiting": lambda block: Waiting([1.5] * len(block.columns)),
    "angles": lambda block: Angles((2.0,) * len(block.columns)),
}
EVERY = [(transform, family) for transform in TRANSFORMS for family in FAMILIES]


@pytest.fixture
def rows():
    """Cells z that every family takes, with holes, and a category."""
    rng = np.random.default_rng(5)
    y = np.array(["a", "b"])[np.arange(60) % 2]
    z = {name: rng.gamma(2.0, 0.3 + 0.2 * (y == "b")) for name in ("u", "v")}
    z["u"][rng.random(60) < 0.1] = np.nan
    return z, np.where(rng.random(60) < 0.3 + 0.4 * (y == "b"), "s", "t"), y


@pytest.fixture
def both(rows, transform, family):
    """The same rows in the user's own units and as the family has them; and the kinds that say so."""
    (z, town, y), by = rows, TRANSFORMS[transform]
    x = {name: by.back(cells) for name, cells in z.items()}
    z = {name: by.into(cells) for name, cells in x.items()}  # to the last digit
    register_kind("turned", FAMILIES[family], transform=by)
    register_kind("plain", FAMILIES[family], allows=Range())
    yield [({**cells, "town": town}, {"u": kind, "v": kind}, y) for cells, kind in ((x, "turned"), (z, "plain"))]
    del KINDS["turned"], KINDS["plain"]


def volume(by, table, names=("u", "v")):
    return sum(by.volume(by.into(table[name])) for name in names)


def without_holes(table):
    return {
        name: np.where(np.isnan(cells), 0.5, cells) if cells.dtype.kind == "f" else cells
        for name, cells in table.items()
    }


MODELS = {
    "map": lambda kinds: NaiveBayes(kinds=kinds, estimate="map"),
    "predictive": lambda kinds: NaiveBayes(kinds=kinds, estimate="predictive"),
    "ml": lambda kinds: NaiveBayes(kinds=kinds, estimate="ml"),
    "components": lambda kinds: NaiveBayes(kinds=kinds, estimate="map", components=2, em=EM(restarts=2)),
    "tree": lambda kinds: TreeAugmentedBayes(kinds=kinds, estimate="map"),
    "averaged": lambda kinds: AveragedOneDependence(kinds=kinds, estimate="map"),
}


@pytest.mark.parametrize("transform,family", EVERY)
@pytest.mark.parametrize("name", MODELS)
def test_posteriors_of_cells_are_those_of_the_turned_cells(both, name):
    of_x, of_z = ((MODELS[name](kinds).fit(table, y), table) for table, kinds, y in both)
    np.testing.assert_allclose(*(model.predict_proba(table) for model, table in (of_x, of_z)), rtol=1e-9)


@pytest.mark.parametrize("transform,family", EVERY)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "averaged"])
def test_a_density_of_cells_is_that_of_the_turned_cells_by_the_slope(both, name, transform):
    x, z = ((MODELS[name](kinds).fit(table, y), table) for table, kinds, y in both)
    there = volume(TRANSFORMS[transform], x[1])[:, None]
    np.testing.assert_allclose(x[0].log_density(x[1]) + there, z[0].log_density(z[1]), rtol=1e-9, atol=1e-9)
    rows = slice(0, 20)
    drawn = [model.sample(20, random_state=1)[0] for model, _ in (x, z)]
    for column in ("u", "v"):
        np.testing.assert_allclose(drawn[0][column], TRANSFORMS[transform].back(drawn[1][column])[rows], rtol=1e-9)


@pytest.mark.parametrize("transform,family", EVERY)
@pytest.mark.parametrize("name", ["map", "predictive", "ml", "averaged"])
def test_rows_left_out_are_as_the_turned_ones_are(both, name):
    found = [leave_one_out(MODELS[name](kinds), table, y) for table, kinds, y in both]
    np.testing.assert_allclose(found[0].posterior, found[1].posterior, rtol=1e-9)


@pytest.mark.parametrize("transform,family", EVERY)
def test_em_takes_the_same_steps_and_its_likelihood_is_that_of_the_cells(both, transform):
    found = []
    for table, kinds, _ in both:
        model = Mixture(2, kinds=kinds | {"town": "ignore"}, restarts=2, random_state=1).fit(table)
        there = np.nansum(volume(TRANSFORMS[transform], table)) if "turned" in kinds.values() else 0.0
        found.append(np.array(model.trace_.log_likelihood) + there)
        np.testing.assert_allclose(model.score_samples(table).sum(), model.trace_.log_likelihood[-1], rtol=1e-6)
    np.testing.assert_allclose(*found, rtol=1e-9)


@pytest.mark.parametrize("transform,family", EVERY)
def test_terms_tables_and_drawn_cells_are_those_of_the_turned_cells(both, transform):
    by = TRANSFORMS[transform]
    (x, kinds, y), (z, plain, _) = both
    of_x, of_z = NaiveBayes(kinds=kinds, estimate="map").fit(x, y), NaiveBayes(kinds=plain, estimate="map").fit(z, y)
    mine, theirs = explain(of_x, x).terms, explain(of_z, z).terms
    for name in mine:
        np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-8, atol=1e-8)
    titled = of_x.joint_.tables()
    for name in ("u", "v"):
        for heading, numbers in of_z.joint_.tables()[name].items():
            np.testing.assert_allclose(titled[by.title.format(name)][heading], numbers, rtol=1e-9)
    full, turned = (model.impute(table, draw=True, random_state=2) for model, table in ((of_x, x), (of_z, z)))
    holes = np.isnan(x["u"])
    np.testing.assert_allclose(full["u"][holes], by.back(turned["u"][holes]), rtol=1e-9)
    np.testing.assert_array_equal(full["u"][~holes], x["u"][~holes])  # to the last digit


# every member of the contract


def members(names=CONTRACT):
    """What the abstract classes declare, and any property or method that comes to them."""
    return {
        name
        for owner in names
        for name, value in vars(getattr(protocol, owner)).items()
        if isfunction(value) and not name.startswith("_")
    }


class Log:
    """What the classes of a family are asked, with all numbers that come with it."""

    def __init__(self, monkeypatch):
        self.calls, self.inside = [], 0
        for cls in self._classes():
            for name in members() & {n for n, value in vars(cls).items() if isfunction(value)}:
                monkeypatch.setattr(cls, name, self._watched(cls, name, vars(cls)[name]))

    def _classes(self):
        """Of all that keep the contract: also the abstract ones, whose members may be inherited."""
        found = [getattr(protocol, name) for name in CONTRACT]
        for cls in found:
            found += [one for one in cls.__subclasses__() if one not in found]
        return found

    def _watched(self, cls, name, member):
        @wraps(member)
        def asked(self_, *args, **kwargs):
            if not self.inside:  # what a family asks of itself is its own affair
                self.calls.append((type(self_).__name__, name, [numbers(one) for one in (self_, *args)]))
            self.inside += 1
            try:
                return member(self_, *args, **kwargs)
            finally:
                self.inside -= 1

        return asked

    def taken(self):
        calls, self.calls = self.calls, []
        return calls


def numbers(given):
    """Arrays of a block, of statistics and of parameters."""
    if isinstance(given, np.ndarray):
        return [given] if given.dtype.kind in "fiu" else []
    fields = vars(given).values() if hasattr(given, "__dict__") else ()
    return [one for one in fields if isinstance(one, np.ndarray) and one.dtype.kind in "fiu"]


BELIEFS = {"gaussian": NormalMean(0, 1, 2.0), "waiting": Gamma(2.0, 1.0)}


def everything(table, kinds, y, folder, belief):
    """A little of all that a model can do with its families."""
    tables, summary = {}, collect(table, y, kinds=kinds, pairs=True)
    for estimate in ("map", "mean", "ml", "unbiased", "predictive", "auto"):
        tables[estimate] = NaiveBayes(kinds=kinds, estimate=estimate).fit(table, y)
        tables[estimate].predict_proba(table)
        leave_one_out(tables[estimate], table, y)
    NaiveBayes(kinds=kinds, estimate="map", parameter_prior="reference").fit(table, y)
    rest = summary - collect({name: cells[:9] for name, cells in table.items()}, y[:9], kinds=kinds, pairs=True)
    NaiveBayes.from_summary(rest).log_density(table)
    TreeAugmentedBayes.from_summary(summary, estimate="map").sample(5, random_state=0)
    AveragedOneDependence.from_summary(summary).predict_proba(table)
    Mixture(2, kinds=kinds, restarts=1, max_iter=4, tol=0).fit(table).impute(table)
    model = tables["map"]
    model.partial_fit(table, y)
    model.standard_errors()
    model.predict_interval(table, draws=3, random_state=1)
    model.save(folder / "it")
    load(folder / "it").impute(table, draw=True, random_state=1)
    explain(model, table, in_turn=True)
    compare([model], table, y)
    NaiveBayes.from_tables(model.tables(), kinds=kinds).save(folder / "given")
    load(folder / "given")
    NaiveBayes(kinds=kinds, estimate="map", parameter_prior={"u": belief}).fit(table, y)
    beside = table | {"size": np.arange(len(y)) % 7 * 1.0 + (y == "b")}
    QuadraticDiscriminant(kinds=kinds | {"town": "categorical"}).fit(beside, y)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("family", ["gaussian", "waiting"])
@pytest.mark.filterwarnings("ignore")
def test_every_member_of_the_contract_is_asked_the_same_as_of_the_turned_cells(
    both, monkeypatch, tmp_path, transform, family
):
    by = replace(TRANSFORMS[transform], mean=None)  # without which cells are filled in as they are turned
    for kind, own in (("turned", by), ("plain", SAME)):  # so that both have a volume
        del KINDS[kind]
        register_kind(kind, FAMILIES[family], transform=own)
    log, found = Log(monkeypatch), []
    for table, kinds, y in both:
        everything(table, kinds, y, tmp_path, BELIEFS[family])
        found.append(log.taken())
    assert [call[:2] for call in found[0]] == [call[:2] for call in found[1]]
    for (owner, name, mine), (_, _, theirs) in zip(*found, strict=True):
        for some, others in zip(mine, theirs, strict=True):
            for one, other in zip(some, others, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6, err_msg=f"{owner}.{name}")
    asked = {name for _, name, _ in found[0]}
    assert members(("Family",)) <= asked
