"""The best settings of a model by exact validation, with all that was tried.

In:  a model and what about it to vary; a table and its classes.
Out: Comparison, the best first. Kinds of columns are tried one column after the other, on left-out scores to which
     every column adds its own (`by_column`), unless something hidden ties the columns together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from numpy.typing import ArrayLike

from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights
from suffice.decisions.loss import IntoLoss
from suffice.errors import HiddenCellsError, HiddenLabelsError, ParameterError
from suffice.judge.by_column import ByColumn
from suffice.judge.comparison import Comparison, Trial, tried
from suffice.judge.folds import IntoFolds
from suffice.judge.validation import Examination, read_loss, refuse_others
from suffice.learn.face import HasRecipe
from suffice.learn.generative import Generative
from suffice.learn.model import Settings
from suffice.learn.unlabelled_weight import weight_for
from suffice.model.folds import FOLDS
from suffice.options import several
from suffice.progress import progress

NOT_EXACT = (HiddenCellsError, HiddenLabelsError)
TrialsByTitle = dict[str, Trial]


def tune(
    model: HasRecipe,
    X: IntoTable,
    y: IntoLabels,
    *,
    over: Sequence[str] | None = None,
    folds: IntoFolds = None,
    groups: ArrayLike | None = None,
    sample_weight: Weights = None,
    loss: IntoLoss = None,
    classes: Classes = None,
) -> Comparison:
    """Find the settings of a model that do best in exact leave-one-out (or k-fold), by log loss or a loss of your own.

    `over` names the parameters to vary; by default all that can be varied. The result holds everything that was tried,
    the best first; `best.model` is fitted on all rows. If one of the settings has no leave-one-out in closed form
    (because cells are missing under a full covariance, or labels are unknown), or if it would take long (because there
    are many columns of numbers), all are judged by ten folds.

    Raises
    ------
    TableError
        If the rows cannot be read as a table.
    ParameterError
        If `over` names what cannot be varied, or `folds` do not fit the rows.
    LossError
        If the loss is about other classes.

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminant, tune
    >>> tune(LinearDiscriminant(), *load_iris(return_X_y=True)).best.name
    'shrink_spherical=0.05'

    """
    refuse_others(model)
    recipe = model.recipe()
    if not isinstance(recipe, Generative):
        raise ParameterError(
            f"tune judges settings by exact leave-one-out, and {type(model).__name__} has to be fitted again for each "
            "fold. Compare settings instead: compare([model, …], X, y, folds=10)."
        )
    names = recipe.TUNABLE if over is None else _parameters(recipe, over)
    if not names:
        raise ParameterError(f"{type(model).__name__} has no settings to tune; use a model that has some.")
    return tuned(model, names, Examination(Source.of(X, y, sample_weight, classes), read_loss(loss), folds, groups))


def tuned(model: HasRecipe, names: Sequence[str], exam: Examination) -> Comparison:
    """The same on a source that may have been read already."""
    trials, recipe = TrialsByTitle(), model.recipe()
    best, source, exam = recipe.plainest(names), exam.source, replace(exam, aloud=False)  # of what is chosen only
    known = source.known(recipe.unknown)
    table, in_folds = known.table, replace(exam, folds=min(FOLDS, known.table.rows))
    exam = in_folds if exam.folds is None and recipe.long_one_by_one(known) else exam
    for stage in recipe.stages(names, table):
        for change in progress(stage, "tuning", len(stage)):
            found = _try(trials, model, change(best), partial(tried, exam=exam))
            if exam.folds is None and isinstance(found.error, NOT_EXACT):
                return tuned(model, names, in_folds)
        best = _best(trials, names)
    columns = recipe.open_kinds(table) if "kinds" in names else {}
    if columns:
        _with_best_kinds(trials, model, best, columns, exam)
    chosen = Comparison(tuple(trials.values())).best
    chosen.model.fit_source(source)
    return Comparison(tuple(sorted(trials.values(), key=lambda trial: trial.criterion)), source.table.library)


def settings_for(model: HasRecipe, names: Sequence[str], source: Source) -> tuple[Settings, Comparison]:
    """Settings left to the rows, chosen by exact leave-one-out, and everything that was tried.

    The best of many settings owes some of its lead to chance, so the plainest stay where they are nearly as good.
    """
    plain = model.recipe().plainest(names)
    found = tuned(_weighing(model, plain, source), names, Examination(source))
    chosen = found.beyond_doubt(titled(plain, plain)).model
    return {name: getattr(chosen, name) for name in names}, found


def _weighing(model: HasRecipe, plain: Settings, source: Source) -> HasRecipe:
    """The model, for which rows without a label count as they do for the plainest settings.

    Were that found anew for every setting and fold, most of the work would be that.
    """
    recipe = model.recipe().but(plain)
    known = source.known(recipe.unknown)
    if not isinstance(recipe, Generative) or "em" not in recipe.offers() or not known.labels.hidden:
        return model
    weight = weight_for(recipe, known)
    return model.with_settings({"em": replace(recipe.how, unlabelled_weight=weight)})


def _with_best_kinds(
    trials: TrialsByTitle, model: HasRecipe, best: Settings, columns: Mapping[str, Sequence[str]], exam: Examination
) -> None:
    """Try the kinds of one column after the other, each with the best of those before."""
    scores = ByColumn.of(Comparison(tuple(trials.values())).best, columns, exam)
    for column, kinds in progress(columns.items(), "tuning", len(columns)):
        for kind in kinds:
            settings = best | {"kinds": (best["kinds"] or {}) | {column: kind}}
            _try(trials, model, settings, partial(scores.trial, column, kind) if scores else partial(tried, exam=exam))
        best = _best(trials, list(best))
        chosen = (best["kinds"] or {}).get(column)
        scores = scores.with_kind(column, chosen) if scores and chosen else scores


def _try(
    trials: TrialsByTitle, model: HasRecipe, settings: Settings, attempt: Callable[[str, HasRecipe], Trial]
) -> Trial:
    title = titled(settings, model.recipe().plainest(list(settings)))
    if title not in trials:
        trials[title] = attempt(title, model.with_settings(settings))
    return trials[title]


def titled(settings: Settings, plainest: Settings) -> str:
    """Name settings by what differs from where tuning begins, or by all of them if nothing does."""
    changed = {name: value for name, value in settings.items() if value != plainest[name]} or settings
    kinds, before = (some.get("kinds") or {} for some in (changed, plainest))
    parts = [f"{name}={value}" for name, value in changed.items() if name != "kinds" or not value]
    return ", ".join(parts + [f"{name}: {kind}" for name, kind in kinds.items() if before.get(name) != kind])


def _best(trials: TrialsByTitle, names: Sequence[str]) -> Settings:
    best = Comparison(tuple(trials.values())).best.model
    return {name: getattr(best, name) for name in names}


def _parameters(recipe: Generative, over: Sequence[str]) -> tuple[str, ...]:
    names = [over] if isinstance(over, str) else several(over)
    if not names or not all(isinstance(name, str) and name in recipe.TUNABLE for name in names):
        raise ParameterError(f"{recipe.name} can tune {list(recipe.TUNABLE)}; found {list(names or []) or over!r}.")
    return tuple(names)
