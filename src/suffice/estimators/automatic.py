"""Which model: those of the library side by side on the same folds, the best of them fitted on all rows.

In:  a table and its classes; settings that the models are to have.
Out: Comparison, the best first. Rows left out say which settings suit each model (`tuned`), and whether its posteriors
     are too sure of themselves (`Calibrated`).
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from suffice.data.hints import numbered
from suffice.data.kinds import IGNORE
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.planning import by_column
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss
from suffice.errors import IdleSettingWarning, KindHint, ParameterError, SufficeError, warn
from suffice.estimators.calibrated import Calibrated, recalibrated
from suffice.estimators.discriminants import GaussianDiscriminant
from suffice.estimators.discriminative import LinearClassifier
from suffice.estimators.generative import GenerativeClassifier
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.registry import BY_COMMAND, Tried, tried_by_auto
from suffice.judge.comparison import Comparison, Trial, tried
from suffice.judge.folds import IntoFolds
from suffice.judge.tuning import settings_for
from suffice.judge.validation import Examination, Validation, read_loss
from suffice.learn.em import where_now
from suffice.learn.model import Settings
from suffice.model.folds import FOLDS
from suffice.model.rules import AUTO
from suffice.words import listed

TriedByAuto = GenerativeClassifier | LinearClassifier
ALWAYS: dict[str, Settings] = {
    "discriminant": dict.fromkeys(GaussianDiscriminant.RECIPE.TUNABLE, AUTO),
    **{name: dict(entry.posteriors) for name, entry in BY_COMMAND.items() if entry.posteriors},
}
PLAIN = (  # the fewer choices were made for it, the sooner: the best of many owes some of its lead to chance
    "logistic",
    "discriminant",
    "calibrated discriminant",
    "naive-bayes",
    "calibrated naive-bayes",
)
OPEN: dict[str, Sequence[str]] = {
    "naive-bayes": NaiveBayes.RECIPE.TUNABLE,
    "discriminant": GaussianDiscriminant.RECIPE.TUNABLE,
}


def auto(
    X: IntoTable,
    y: IntoLabels,
    *,
    folds: IntoFolds = None,
    groups: ArrayLike | None = None,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    classes: Classes = None,
    **settings: Any,
) -> Comparison:
    """The model that predicts rows best: naive Bayes, a Gaussian discriminant, a tree or logistic regression.

    Each has the settings that do best in exact leave-one-out; then all are judged by the same folds, ten unless given
    as for cross_validate, by log loss or by a loss of your own, for which margins join. Generative models stand there a
    second time, calibrated, where that gains more than a standard error; what that would gain is told by the rows left
    out, each with the temperature of others among them. The result has everything that was tried, in the order of
    what was found. `best` is the one with the least log loss, unless a plainer one is within two standard errors of it:
    logistic regression, for which nothing was chosen, the discriminant, or naive Bayes; that keeps small tables from
    settings that suit them by chance. By a loss of your own it is the one with the least. `best.model` is fitted on all
    rows. `settings` are parameters of models, such as kinds={column: "ignore"} or priors={class: probability}; models
    that have no such are not tried. Columns that number the rows, as identifiers do, are left out with a warning unless
    `kinds` says what they are.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If no model has all of the `settings`, or none can be validated with these `folds`.

    >>> from suffice import auto, example
    >>> auto(*example("penguins"), kinds={"year": "ignore"}).best.name
    'discriminant'

    """
    source = Source.of(X, y, sample_weight, classes)
    settings = _without_numbers_of_rows(source.table, settings)
    models = candidates(settings, loss is not None)
    exam = Examination(source, read_loss(loss), min(FOLDS, source.table.rows) if folds is None else folds, groups)
    trials = [trial for name, model in models.items() for trial in _trials(name, model, settings, exam)]
    ranked = tuple(sorted(trials, key=lambda trial: trial.criterion))
    found = Comparison(ranked, source.table.library, PLAIN if loss is None else ())
    found.best.model.fit(source.X, source.y, source.sample_weight, classes)
    return found


def _without_numbers_of_rows(table: Table, settings: Settings) -> Settings:
    """Declare columns that number the rows as ignored, unless the settings say what they are."""
    given = settings.get("kinds")
    if isinstance(given, str | tuple | list):  # of all columns
        return settings
    known = by_column(given, table.names)
    found = [hint.column for hint in numbered(table, [name for name in table.names if name not in known])]
    if not found:
        return settings
    warn(
        f"Left out, because they hold a different whole number in every row, as identifiers do: {listed(found)}. If "
        f"they are measurements, say so: kinds={{{found[0]!r}: 'gaussian'}}.",
        KindHint,
    )
    return settings | {"kinds": known | dict.fromkeys(found, IGNORE)}


def candidates(settings: Settings, answers_count: bool = False) -> dict[str, TriedByAuto]:
    """The models that have all of these settings."""
    kinds: dict[str, type[TriedByAuto]] = tried_by_auto(Tried.ALWAYS)
    if answers_count:
        kinds |= tried_by_auto(Tried.FOR_COSTS)  # margins, whose probabilities are an afterthought
    able = {name: kind for name, kind in kinds.items() if settings.keys() <= kind().get_params().keys()}
    if not able:
        told = [f"None of the models {', '.join(kinds)} has all of the settings {', '.join(settings)}."]
        raise ParameterError(" ".join(told + [where for name in settings if (where := where_now(name))]))
    return {name: kind(**ALWAYS.get(name, {}) | settings) for name, kind in able.items()}


def _trials(name: str, model: TriedByAuto, settings: Settings, exam: Examination) -> Iterator[Trial]:
    """A model with the settings that suit it, and calibrated too where that is better beyond doubt."""
    try:
        plain = tried(name, _suited(name, model, settings, exam.source), exam)
    except SufficeError as error:
        plain = Trial(name, model, None, None, error)
    yield plain
    if isinstance(plain.model, GenerativeClassifier) and isinstance(plain.validation, Validation):
        if exam.source.known(plain.model.recipe().unknown).labels.hidden:
            return  # a temperature is learned from rows that all have labels
        warmer = Trial(f"calibrated {name}", Calibrated(plain.model), recalibrated(plain.validation), None)
        if Comparison((plain, warmer)).beyond_doubt(name) is warmer:
            yield warmer


def _suited(name: str, model: TriedByAuto, given: Settings, source: Source) -> TriedByAuto:
    """Give a candidate the settings that the rows suggest: all that were not given, and kinds of columns not named."""
    if not isinstance(model, GenerativeClassifier):
        return model
    names = tuple(
        some for some in OPEN.get(name, ()) if given.get(some, AUTO) == AUTO or isinstance(given[some], Mapping)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdleSettingWarning)  # nobody has asked for the setting
        return model.with_settings(settings_for(model, names, source)[0] if names else {})
