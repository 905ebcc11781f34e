"""`suffice.load`: any file of ours, as what it was when it was saved."""

import os
from collections.abc import Callable
from typing import Any

from suffice.errors import FileError
from suffice.estimators.averaged import AveragedOneDependence
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.complement import ComplementNaiveBayes
from suffice.estimators.decision import BayesDecision
from suffice.estimators.discriminants import GaussianDiscriminant, QuadraticDiscriminant
from suffice.estimators.discriminative import LogisticClassifier, MarginClassifier
from suffice.estimators.face import Face
from suffice.estimators.files import Packed, load_any
from suffice.estimators.linear import LinearDiscriminant, NearestMean
from suffice.estimators.mixture import LatentClass, Mixture
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.parameters import Named, Settings
from suffice.estimators.tree import TreeAugmentedBayes
from suffice.model.joint import Joint
from suffice.model.summary import Summary

MODELS: dict[str, type[Face]] = {
    model.__name__: model
    for model in (
        NaiveBayes,
        AveragedOneDependence,
        GaussianDiscriminant,
        LinearDiscriminant,
        QuadraticDiscriminant,
        NearestMean,
        TreeAugmentedBayes,
        Mixture,
        LatentClass,
    )
}
WITHOUT_DENSITIES = {model.__name__: model for model in (ComplementNaiveBayes,)}  # which follow from a summary alone


WITHOUT_SUMMARY: dict[str, Callable[..., Named]] = {
    model.__name__: model.restored for model in (LogisticClassifier, MarginClassifier, Calibrated, BayesDecision)
}


def load(path: str | os.PathLike[str]) -> Any:  # whichever it was: nobody should have to cast it
    """Load the summary or the model that was saved in a file. Nothing in the file is executed.

    Raises
    ------
    NoFileError
        If there is no such file.
    FileError
        If the file is not ours, damaged, altered or too new.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from suffice import NaiveBayes, load
    >>> path = Path(mkdtemp()) / "model.suffice"
    >>> NaiveBayes().fit({"x": [1.0, 2.0, 5.0, 6.0]}, ["a", "a", "b", "b"]).save(path)
    >>> load(path).predict({"x": [1.4]}).tolist()
    ['a']

    """
    return load_any(path, _model, WITHOUT_SUMMARY)


def _model(name: str, parameters: Settings, summary: Summary | None, joint: Joint | None, course: Packed) -> Named:
    if name in WITHOUT_DENSITIES and summary is not None:
        return WITHOUT_DENSITIES[name].from_summary(summary, **parameters)
    if name not in MODELS:
        raise FileError(f"The file holds a model called {name!r}, which this version does not know.")
    model = MODELS[name](**parameters)
    if summary is not None:
        return model._adopt(summary, joint)._recall(*course)
    assert joint is not None  # as it is in a file without a summary
    return model._hold(joint)
