"""Models side by side: a score of each with its standard error, the best first."""

from typing import TYPE_CHECKING

import numpy as np

from suffice.decisions.scores import Score
from suffice.errors import ParameterError
from suffice.judge.comparison import Comparison
from suffice.judge.validation import Validation
from suffice.options import one_of
from suffice.plots.canvas import axes, expected, in_any_script
from suffice.plots.style import COLOURS, GUIDE, LIGHT, TICK, bare, legend, said, short
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

LARGE_IS_GOOD, PAIRED = "accuracy", "log loss"
MOST = 20  # models that are drawn


def comparison(found: Comparison, measure: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the score and standard error of each model that `compare` or `tune` tried, the best first.

    `measure` is "log loss", "mean loss" (the default if a loss was given), "accuracy" or "Brier score". For log losses,
    a grey bar shows the standard error of the difference from the best, paired by row: if it reaches the line of the
    best, the rows do not tell the two apart. Models that could not be validated are left out.

    >>> from suffice import LinearDiscriminant, NaiveBayes, compare, example, plots
    >>> columns, species = example("penguins")
    >>> table = {name: columns[name] for name in ("bill_length_mm", "flipper_length_mm")}
    >>> ax = plots.comparison(compare([NaiveBayes(), LinearDiscriminant()], table, species))

    """
    expected(found, Comparison, "what compare(models, X, y) or tune(model, X, y) gives")
    tried = {trial.name: trial.validation for trial in found.trials if trial.validation is not None}
    if not tried:
        raise ParameterError("None of the models has been validated, so there are no scores to draw.")
    known = next(iter(tried.values())).scores()
    measure = list(known)[-1 if "mean loss" in known else 1] if measure is None else one_of(measure, "measure", known)
    scores = {name: validation.scores()[measure] for name, validation in tried.items()}
    names = sorted(scores, key=lambda name: -scores[name] if measure == LARGE_IS_GOOD else scores[name])[:MOST]
    ax = axes(ax, 0.8 + 0.22 * len(names))
    ax.axvline(float(scores[names[0]]), **GUIDE)
    rows_kept = isinstance(tried[names[0]], Validation)
    for place, name in enumerate(names):
        paired = tried[name].difference(tried[names[0]]) if measure == PAIRED and place and rows_kept else None
        _row(ax, place, scores[name], paired)
    ax.set_yticks(range(len(names)), labels=[short(name) for name in names])
    ax.set(ylim=(len(names) - 0.5, -0.5), xlabel=said(measure))
    bare(ax, "left")
    legend(ax, said(tried[names[0]].how), _best_of(len(names), len(tried)))
    return in_any_script(ax)


def _row(ax: "Axes", place: int, score: Score, paired: Score | None) -> None:
    if not np.isfinite(score):
        ax.text(0.99, place, "∞", ha="right", va="center", fontsize=TICK, transform=ax.get_yaxis_transform())
        return
    if paired is not None and np.isfinite(paired.se):
        label = say("± se of the difference from the best") if not ax.get_legend_handles_labels()[1] else None
        ax.plot([score - paired.se, score + paired.se], [place] * 2, color=LIGHT, linewidth=5, alpha=0.7, label=label)
    spread = score.se if np.isfinite(score.se) else 0.0
    ax.errorbar(float(score), place, xerr=spread, fmt="o", color=COLOURS[0], markersize=4, linewidth=1)


def _best_of(shown: int, total: int) -> str:
    return say("the best {shown} of {total}", shown=shown, total=total) if shown < total else ""
