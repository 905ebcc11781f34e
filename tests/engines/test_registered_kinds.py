"""Kinds from outside on lazy frames: a family says what an engine is asked about it, or its rows come here."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from engines.lazy import LAZY
from suffice import NaiveBayes, Range, collect, register_kind
from suffice.data.kinds import KINDS
from suffice.errors import KindError, KindHint, ParameterError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import DIAGONAL
from suffice.families.rates.family import Rates
from suffice.families.rates.poisson import Poisson, PoissonLaw
from suffice.families.rates.waiting import Waiting
from suffice.families.summable import Told
from suffice.transforms import LOG, Transform

HALVES = Transform("twice {}", lambda x: 2 * x, lambda z: z / 2, lambda z: np.full_like(z, -np.log(2)))
SQUARES = Transform("{}²", np.square, np.sqrt, lambda z: -np.log(2) - np.log(z) / 2)


@dataclass(frozen=True)
class Shy(PoissonLaw):
    """Says nothing of what could be asked about it."""

    told_by: Told | None = None


KNOWN = {  # kinds that an engine sums
    "visits": (lambda block: Poisson(len(block.columns)), True, None),
    "measured": (lambda block: Gaussian(len(block.columns), DIAGONAL), False, None),
    "income": (lambda block: Gaussian(len(block.columns), DIAGONAL), False, LOG),
}
UNKNOWN = {  # kinds of which it must be shown the rows
    "halves": (lambda block: Gaussian(len(block.columns), DIAGONAL), False, HALVES),
    "rayleigh": (lambda block: Waiting([1.0] * len(block.columns)), False, SQUARES),  # the mean of squares is no square
    "shy": (lambda block: Rates(Shy(len(block.columns))), True, None),
}


@pytest.fixture(autouse=True)
def registered():
    for name, (family, discrete, transform) in {**KNOWN, **UNKNOWN}.items():
        allows = Range(0, above=not discrete)
        register_kind(name, family, allows=allows, discrete=discrete, transform=transform)
    yield
    for name in (*KNOWN, *UNKNOWN):
        del KINDS[name]


def table():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    cells = rng.poisson(2.0 + y).astype(float) + 1
    cells[::9] = np.nan
    return pd.DataFrame({"x": cells, "z": rng.normal(y), "y": np.array(["no", "yes"])[y], "w": 1 + y / 2})


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("kind", KNOWN)
def test_an_engine_is_asked_what_the_family_says(engine, kind):
    frame = table()
    for weight in (None, "w"):
        some = frame if weight else frame.drop(columns="w")
        here = collect(some, "y", kinds={"x": kind}, sample_weight=weight)
        assert collect(LAZY[engine](some), "y", kinds={"x": kind}, sample_weight=weight, where="engine") == here
    with pytest.raises(KindError, match=r"column 'x'.* holds -1"):
        collect(LAZY[engine](frame.assign(x=-1.0)), "y", kinds={"x": kind})


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("kind", UNKNOWN)
def test_rows_come_here_where_the_family_says_nothing_and_that_is_said(engine, kind):
    frame = table()
    here = collect(frame, "y", kinds={"x": kind})
    with pytest.warns(KindHint, match=f"does not sum columns of the kind {kind}. Its rows come here in batches"):
        assert collect(LAZY[engine](frame), "y", kinds={"x": kind}) == here
    assert collect(LAZY[engine](frame), "y", kinds={"x": kind}, where="here") == here
    with pytest.raises(ParameterError, match=f"does not sum columns of the kind {kind}. Use where='here'"):
        collect(LAZY[engine](frame), "y", kinds={"x": kind}, where="engine")


def test_a_model_of_such_a_kind_is_that_of_memory():
    frame = table().drop(columns="w")
    models = [NaiveBayes(kinds={"x": "visits"}).fit(rows, "y") for rows in (frame, LAZY["polars"](frame))]
    one, other = (model.predict_proba(frame.drop(columns="y")) for model in models)
    np.testing.assert_allclose(one, other, atol=1e-12)
