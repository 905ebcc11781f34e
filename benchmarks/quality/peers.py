"""scikit-learn's models, with what they need to run at all, learned inside each training part.

In:  `Data`, for which columns are numbers and which are categories.
Out: pipelines. Numbers: missing cells filled with the mean, then standardised. Categories: missing is a level of its
     own; one-hot, or codes where a model takes categories. A category never seen in training is all zeros, or code 0.
"""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from quality.data import Data


def as_text(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(object).where(frame.notna(), "missing").astype(str)


def filled() -> Pipeline:
    return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())


def codes() -> Pipeline:
    """1, 2, … for the levels of each column, 0 for one never seen."""
    ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(FunctionTransformer(as_text), ordinal, FunctionTransformer(lambda found: found + 1))


def one_hot() -> Pipeline:
    return make_pipeline(FunctionTransformer(as_text), OneHotEncoder(handle_unknown="ignore", sparse_output=False))


class CombinedNB(ClassifierMixin, BaseEstimator):
    """GaussianNB of the numbers times CategoricalNB of the categories: what scikit-learn has for a mixed table."""

    def __init__(self, numbers: list[str], categories: list[str]) -> None:
        self.numbers, self.categories = numbers, categories

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / counts.sum())
        self.parts_ = []
        if self.numbers:
            self.parts_.append((self.numbers, filled().fit(X[self.numbers]), GaussianNB()))
        if self.categories:
            reader = codes().fit(X[self.categories])
            sizes = [len(levels) + 1 for levels in reader[1].categories_]
            self.parts_.append((self.categories, reader, CategoricalNB(min_categories=sizes)))
        for names, reader, model in self.parts_:
            model.fit(reader.transform(X[names]), y)
        return self

    def predict_proba(self, X: Any) -> Any:
        parts = [model.predict_joint_log_proba(reader.transform(X[names])) for names, reader, model in self.parts_]
        joint = sum(parts) - (len(parts) - 1) * self.log_prior_  # each part has counted the classes once
        shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def naive_bayes(data: Data) -> Any:
    return MultinomialNB() if data.table.counts else CombinedNB(data.numbers, data.categories)


def encoded(model: Any, data: Data) -> Pipeline:
    """A model of numbers, after one-hot."""
    columns = ColumnTransformer([("numbers", filled(), data.numbers), ("categories", one_hot(), data.categories)])
    return make_pipeline(columns, model)


def one_hot_beside(model: Any, data: Data) -> Any:
    """A model of numbers that takes missing ones: only categories are changed."""
    if not data.categories:
        return model
    columns = ColumnTransformer([("numbers", "passthrough", data.numbers), ("categories", one_hot(), data.categories)])
    return make_pipeline(columns, model)


def lda(data: Data) -> Pipeline:
    return encoded(LinearDiscriminantAnalysis(), data)


def lda_shrunk(data: Data) -> Pipeline:
    return encoded(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), data)


def qda(data: Data) -> Pipeline:
    return encoded(QuadraticDiscriminantAnalysis(reg_param=0.1), data)


def logistic(data: Data) -> Pipeline:
    return encoded(LogisticRegression(max_iter=2000), data)


def boosting(data: Data) -> Pipeline:
    """Takes missing cells and codes of categories as they are."""
    places = list(range(len(data.numbers), len(data.numbers) + len(data.categories)))
    columns = ColumnTransformer([("numbers", "passthrough", data.numbers), ("categories", codes(), data.categories)])
    return make_pipeline(columns, HistGradientBoostingClassifier(categorical_features=places or None, random_state=0))
