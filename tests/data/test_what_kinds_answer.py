"""What a column is asked, its kind answers: the same for kinds of the library and for those registered from outside."""

import numpy as np
import pytest

from suffice import NaiveBayes, register_kind
from suffice.data.kinds import KINDS
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.families.kinds import BUILT_IN
from suffice.families.rates.poisson import Poisson

ASKED = ("coded", "tallied", "categorical", "numeric", "columnwise", "crosswise", "words", "together")
ANSWERS = {
    "gaussian": {"numeric", "columnwise"},
    "joint": {"numeric", "crosswise", "together"},
    "categorical": {"coded", "categorical"},
    "tallied": {"coded", "tallied"},
    "counts": {"words", "together"},
}


def answers(plan):
    return {name for name in ASKED if getattr(plan, name)}


@pytest.mark.parametrize("kind", [kind for kind, _ in BUILT_IN], ids=lambda kind: kind.name)
def test_a_column_and_its_block_answer_alike(kind):
    column = ColumnPlan("x", kind.name)
    assert answers(column) == answers(BlockPlan(kind.name, (column,))) == ANSWERS.get(kind.name, set())


def test_a_column_of_a_group_is_a_number_by_itself():
    group = BlockPlan("joint", (ColumnPlan("x", "gaussian"), ColumnPlan("z", "gaussian")))
    assert [answers(column) for column in group.columns] == [ANSWERS["gaussian"]] * 2


def test_a_registered_kind_is_none_of_those_and_is_modelled_as_its_own():
    register_kind("visits", lambda block: Poisson(len(block.columns)), discrete=True)
    try:
        assert answers(ColumnPlan("x", "visits")) == set()
        x, y = {"x": np.arange(12) % 5, "c": ["u", "v"] * 6}, [0, 1] * 6
        own, known = (NaiveBayes(kinds={"x": kind}).fit(x, y) for kind in ("visits", "poisson"))
        np.testing.assert_array_equal(own.predict_proba(x), known.predict_proba(x))
    finally:
        del KINDS["visits"]
