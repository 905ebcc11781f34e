"""`suffice.load`: any file of ours, as what it was when it was saved."""

import os
from collections.abc import Callable
from typing import Any

from suffice.errors import FileError
from suffice.estimators.calibrated import Calibrated
from suffice.estimators.complement import ComplementNaiveBayes
from suffice.estimators.decision import BayesDecision
from suffice.estimators.face import Face
from suffice.estimators.files import Packed, load_any
from suffice.estimators.linear_scores import LinearClassifier
from suffice.estimators.parameters import Named, Settings
from suffice.estimators.registry import Kept, kept_as
from suffice.learn.em import EM, SETTINGS
from suffice.model.joint import Joint
from suffice.model.summary import Summary


def _restored(model: type[LinearClassifier | Calibrated | BayesDecision]) -> Callable[..., Named]:
    """The function that makes such a model again, of its arrays and of the model inside it."""
    return model.restored


MODELS: dict[str, type[Face]] = kept_as(Kept.SUMMARY)
WITHOUT_DENSITIES: dict[str, type[ComplementNaiveBayes]] = kept_as(Kept.COUNTS)
WITHOUT_SUMMARY: dict[str, Callable[..., Named]] = {
    name: _restored(model) for name, model in kept_as(Kept.ITSELF).items()
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
    model = MODELS[name](**_in_em(MODELS[name], parameters))
    if summary is not None:
        return model._adopt(summary, joint)._recall(*course)
    assert joint is not None  # as it is in a file without a summary
    return model._hold(joint)


def _in_em(model: type[Face], parameters: Settings) -> Settings:
    """Parameters as the model takes them: files of before have settings of EM beside the others."""
    own = model().get_params(deep=False)
    flat = {name: value for name, value in parameters.items() if name in SETTINGS and name not in own}
    if not flat or "em" not in own:
        return parameters
    others, how = {name: value for name, value in parameters.items() if name not in flat}, EM(**flat)
    return others | ({} if how == EM() else {"em": how})
