"""One row: the posterior of each class as a bar, and the log odds between two as a waterfall."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from suffice.arrays import Array
from suffice.data.table import IntoTable
from suffice.decisions.explain import Explanation
from suffice.decisions.votes import Votes
from suffice.errors import ParameterError
from suffice.estimators.decision import classifies
from suffice.plots.canvas import Classifier, axes, expected, in_any_script
from suffice.plots.style import (
    BLANK,
    DARK,
    GREY,
    LABEL,
    LIGHT,
    TICK,
    Look,
    bare,
    colour,
    heading,
    points,
    room,
    said,
    short,
    signed,
)
from suffice.printing.language import say

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

LONGEST = 22  # characters of a column and its cell
LOG_ODDS = "ln odds"
HUGE = 20.0  # nats beyond which a term may be cut short
TINY = 5e-5  # a probability whose first four digits are 0
PROBABILITIES = np.array([1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6])


def posterior(model: Classifier, X: IntoTable, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """A bar for each class: how probable it is for one row.

    >>> from suffice import NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> ax = plots.posterior(NaiveBayes(kinds={"year": "ignore"}).fit(columns, species), columns, row=3)

    """
    if not classifies(model):
        raise ParameterError(f"Posteriors are those of a fitted classifier; found {model!r}.")
    shares, names = np.asarray(model.predict_proba(X)), [short(name) for name in model.classes_]
    mine, places = shares[_checked(row, len(shares))], np.arange(len(names))
    ax = axes(ax, 0.7 + 0.22 * len(names))
    bars = ax.barh(places, mine, color=[colour(k) for k in range(len(names))], height=0.62)
    ax.bar_label(bars, [f"{share:.4f}" for share in mine], padding=3, fontsize=TICK)
    ax.set_yticks(places, labels=names)
    ax.set(xlim=(0, 1.2), ylim=(len(names) - 0.5, -0.5), xlabel=say("posterior of row {row}", row=str(row)))
    ax.set_xticks(np.linspace(0, 1, 6))
    bare(ax, "left")
    return in_any_script(ax)


def explanation(found: Explanation, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Bars that speak for the first class to the right, for the second to the left, the strongest first.

    Each begins where the one before it ends; the last one is their sum, whose probability is read off the top. A term
    beside which no other could be seen is cut short.

    >>> from suffice import NaiveBayes, example, explain, plots
    >>> columns, species = example("penguins")
    >>> model = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species)
    >>> ax = plots.explanation(explain(model, columns, between=("Adelie", "Chinstrap")), row=2)

    """
    if isinstance(found, Votes):
        raise ParameterError(f"Draw what one parent says, explanation(found.of({next(iter(found.terms), '')!r})).")
    expected(found, Explanation, "what explain(model, X) gives")
    _checked(row, len(found.log_odds))
    terms = [(str(found.label(name, row)), value) for name, value in found.strongest(row).items()]
    terms = [(str(found.beginning), found.prior), *terms]
    total = float(found.log_odds[row])
    steps = np.array([*(value for _, value in terms), total])
    drawn = _cut(steps)
    starts = np.append(np.cumsum(drawn[:-1]) - drawn[:-1], 0.0)
    ends = starts + drawn
    ax, places = axes(ax, 1.1 + 0.2 * len(steps)), np.arange(len(steps))
    colours = [*(colour(found.places[int(step < 0)]) for step in steps[:-1]), DARK]
    ax.barh(places, drawn, left=starts, color=colours, height=0.6)
    ax.vlines(ends[:-1], places[:-1] + 0.3, places[1:] - 0.3, color=GREY, linewidth=0.7)  # each to the next one
    ax.axvline(0, color=DARK, linewidth=0.7)
    ax.set_yticks(places, labels=[short(name, LONGEST) for name in (*(name for name, _ in terms), say("in all"))])
    ax.set_ylim(len(steps) - 0.5, -0.5)
    _write(ax, starts, ends, steps)
    bare(ax, "left")
    first, second = (short(name, 12) for name in found.between)
    ax.set_xlabel(f"{said(found.scale)}\n← {second} · {first} →", fontsize=TICK)
    whole = bool((drawn == steps).all())
    if not whole:
        _break(ax, starts, drawn, steps)
    if found.scale == LOG_ODDS:
        heading(ax, f"P({first}) = {_share(total)}", f"P({second}) = {_share(-total)}")
        if whole:
            _probabilities(ax)
    return in_any_script(ax)


def _checked(row: int, rows: int) -> int:
    if not 0 <= row < rows:
        raise ParameterError(f"There are {rows} rows; there is no row {row}.")
    return row


def _share(log_odds: float) -> str:
    share = float(expit(log_odds))
    return f"{share:.1e}" if 0 < share < TINY else f"{share:.4f}"


def _cut(steps: Array) -> Array:
    """How long bars are: as they are, but for terms beside which no other could be seen, and those without end."""
    small = np.abs(steps[:-1][np.abs(steps[:-1]) <= HUGE]).sum()
    most = max(HUGE, 3 * float(small))
    parts = np.clip(steps[:-1], -most, most)
    return np.append(parts, parts.sum() if (parts != steps[:-1]).any() else steps[-1])


def _break(ax: "Axes", starts: Array, drawn: Array, steps: Array) -> None:
    """Bars that are cut short say so, and no scale is there to be read off."""
    ax.set_xticks([])
    for place in np.flatnonzero(drawn != steps).tolist():
        look: Look = {"ha": "center", "va": "center", "color": "white", "fontweight": "bold", "fontsize": LABEL}
        ax.text(starts[place] + drawn[place] / 2, place, "//", **look)


def _write(ax: "Axes", starts: Array, ends: Array, steps: Array) -> None:
    """Numbers beside the bars, on the side that they point to, and room for them."""
    low, high = float(np.minimum(starts, ends).min()), float(np.maximum(starts, ends).max())
    texts = [signed(float(step)) for step in steps]
    unit = (high - low or 1.0) / max(room(ax) - 2 * points(max(texts, key=len), TICK), 40.0)
    wide = unit * (points(max(texts, key=len), TICK) + 6)
    ax.set_xlim(min(low, 0.0) - wide, max(high, 0.0) + wide)
    for place, (end, step, text) in enumerate(zip(ends, steps, texts, strict=True)):
        look: Look = {"ha": "left", "xytext": (3, 0)} if step >= 0 else {"ha": "right", "xytext": (-3, 0)}
        ax.annotate(text, (end, place), textcoords="offset points", va="center", fontsize=TICK, bbox=BLANK, **look)


def _probabilities(ax: "Axes") -> None:
    """The same axis as probabilities, at the top; of those that would touch, the ones nearer to a half."""
    left, right = ax.get_xlim()
    shown: dict[float, str] = {}
    for share in sorted(PROBABILITIES, key=lambda share: abs(share - 0.5)):
        text, x = f"{share:.6g}", float(logit(share))
        room_for = [(points(text, TICK) + points(other, TICK)) / 2 + 3 for other in shown.values()]
        apart = [abs(x - other) * room(ax) / (right - left) for other in shown]
        if left < x < right and all(a > b for a, b in zip(apart, room_for, strict=True)):
            shown[x] = text
    top = ax.secondary_xaxis("top")
    top.set_xticks(list(shown), labels=list(shown.values()))
    top.tick_params(labelsize=TICK, length=2.5, width=0.7, color=LIGHT)
    top.spines["top"].set(color=LIGHT, linewidth=0.7)
