"""Warnings point at the line that the user wrote, however deep in the library they arise."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from suffice import LinearDiscriminant, Mixture, NaiveBayes, QuadraticDiscriminant, collect, compare, leave_one_out
from suffice.errors import (
    ConstantColumnWarning,
    ImpossibleRowWarning,
    KindHint,
    NotConvergedWarning,
    UnseenCategoryWarning,
)

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 2)) + Y[:, None]
FEW = pd.DataFrame({"a": Y, "b": X[:, 0]})
CONSTANT = {"a": X[:, 0], "b": np.ones(60)}
TEXT = {"s": np.where(Y == 0, "u", "v")}
TEXTS = {"s": [f"n{i}" for i in range(120)]}

CASES = {
    "few values": (KindHint, lambda: NaiveBayes().fit(FEW, Y)),
    "few values, collected": (KindHint, lambda: collect(FEW, Y)),
    "few values, left out": (KindHint, lambda: leave_one_out(NaiveBayes(), FEW, Y)),
    "few values, in a pipeline": (KindHint, lambda: make_pipeline(FunctionTransformer(), NaiveBayes()).fit(FEW, Y)),
    "few values, by folds": (KindHint, lambda: cross_val_score(NaiveBayes(), FEW, Y)),
    "identifier": (KindHint, lambda: NaiveBayes().fit(TEXTS, [0, 1] * 60)),
    "constant": (ConstantColumnWarning, lambda: LinearDiscriminant().fit(CONSTANT, Y)),
    "constant, compared": (ConstantColumnWarning, lambda: compare([NaiveBayes()], CONSTANT, Y)),
    "unseen": (UnseenCategoryWarning, lambda: NaiveBayes(smoothing=0).fit(TEXT, Y).predict({"s": ["w"]})),
    "impossible": (ImpossibleRowWarning, lambda: impossible().predict_proba({"s": ["u"], "t": ["y"]})),
    "not converged": (NotConvergedWarning, lambda: Mixture(3, max_iter=1).fit(X)),
    "column vector": (DataConversionWarning, lambda: NaiveBayes().fit(X, Y[:, None])),
    "one column": (DataConversionWarning, lambda: NaiveBayes().fit(X, pd.DataFrame({"y": Y}))),
    "names came": (UserWarning, lambda: QuadraticDiscriminant().fit(X, Y).predict(pd.DataFrame(X, columns=["a", "b"]))),
    "names went": (UserWarning, lambda: LinearDiscriminant().fit(FEW[["b"]], Y).score(X[:, :1], Y)),
}


def impossible():
    return NaiveBayes(smoothing=0).fit({"s": ["u", "v"], "t": ["x", "y"]}, [0, 1])


@pytest.mark.parametrize("case", CASES)
def test_a_warning_points_at_the_line_of_the_user(case):
    category, work = CASES[case]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        work()
    places = {(some.filename, some.lineno) for some in said if issubclass(some.category, category)}
    assert places == {(__file__, work.__code__.co_firstlineno)}


def test_the_filters_of_the_user_hold():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=KindHint, module=__name__)
        NaiveBayes().fit(FEW, Y)
