"""One row: the posterior of each class as a bar, and the log odds between two as a waterfall."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from suffice.arrays import Array
from suffice.data.table import IntoTable
from suffice.decisions.explain import Explanation
from suffice.decisions.votes import Votes
from suffice.errors import ParameterError
from suffice.estimators.decision import classifies
from suffice.lazy import lazy
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
from suffice.printing.text import width

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

LONGEST = 22  # characters of a column and its cell
LOG_ODDS = "ln odds"
HUGE = 20.0  # nats beyond which a term may be cut short
TINY = 5e-5  # a probability whose first four digits are 0
CUT: Look = {"ha": "center", "va": "center", "color": "white", "fontweight": "bold", "fontsize": LABEL}
PROBABILITIES = np.array([1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6])


def posterior(model: Classifier, X: IntoTable, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw how probable each class is for one row.

    >>> from suffice import NaiveBayes, example, plots
    >>> columns, species = example("penguins")
    >>> ax = plots.posterior(NaiveBayes(kinds={"year": "ignore"}).fit(columns, species), columns, row=3)

    """
    if not classifies(model):
        raise ParameterError(f"Posteriors need a fitted classifier; found {model!r}.")
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


def explanation(found: Explanation | Votes, row: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw an explanation as bars, strongest first: to the right for the first class, to the left for the second.

    Each bar begins where the one before it ends; the last is their sum, whose probability can be read off at the top. A
    term so large that no other could be seen beside it is cut short.

    >>> from suffice import NaiveBayes, example, explain, plots
    >>> columns, species = example("penguins")
    >>> model = NaiveBayes(kinds={"year": "ignore"}).fit(columns, species)
    >>> ax = plots.explanation(explain(model, columns, between=("Adelie", "Chinstrap")), row=2)

    """
    if isinstance(found, Votes):
        one = next(iter(found.terms), "")
        raise ParameterError(f"Votes are drawn one parent at a time: explanation(found.of({one!r})).")
    expected(found, Explanation, "what explain(model, X) gives")
    _checked(row, len(found.log_odds))
    terms = found.strongest(row)
    labels = [found.beginning, *(found.label(name, row) for name in terms), say("in all")]
    total = float(found.log_odds[row])
    fall = Waterfall(np.array([found.prior, *terms.values(), total]))
    ax = axes(ax, 1.1 + 0.2 * len(labels))
    _draw(ax, fall, [colour(place) for place in found.places])
    ax.set_yticks(range(len(labels)), labels=[_fitting(str(label)) for label in labels])
    ax.set_ylim(len(labels) - 0.5, -0.5)
    bare(ax, "left")
    first, second = (short(name, 12) for name in found.between)
    ax.set_xlabel(f"{said(found.scale)}\n← {second} · {first} →", fontsize=TICK)
    if found.scale == LOG_ODDS:
        heading(ax, f"P({first}) = {_share(total)}", f"P({second}) = {_share(-total)}")
    if found.scale == LOG_ODDS and fall.whole:
        _probabilities(ax)
    return in_any_script(ax)


@dataclass(frozen=True, eq=False)
class Waterfall:
    """Steps that begin where the one before ends, and their sum, which begins at 0."""

    steps: Array  # the last is the sum

    @lazy
    def lengths(self) -> Array:
        """As they are, but for terms beside which no other could be seen, and those without end: these are cut."""
        terms = self.steps[:-1]
        most = max(HUGE, 3 * float(np.abs(terms[np.abs(terms) <= HUGE]).sum()))
        parts = np.clip(terms, -most, most)
        return np.append(parts, self.steps[-1] if (parts == terms).all() else parts.sum())

    @property
    def cut(self) -> list[int]:
        return [int(place) for place in np.flatnonzero(self.lengths != self.steps)]

    @property
    def whole(self) -> bool:
        return not self.cut

    @property
    def starts(self) -> Array:
        terms = self.lengths[:-1]
        return np.append(np.cumsum(terms) - terms, 0.0)

    @property
    def ends(self) -> Array:
        return self.starts + self.lengths


def _fitting(label: str) -> str:
    """A column and its cell, both still there where they are long."""
    name, equals, cell = label.rpartition(" = ")
    cell = short(cell, LONGEST if not equals else LONGEST // 2)
    return f"{short(name, LONGEST - width(equals + cell))}{equals}{cell}" if equals else cell


def _checked(row: int, rows: int) -> int:
    if not 0 <= row < rows:
        raise ParameterError(f"There is no row {row}; there are {rows} rows, counted from 0.")
    return row


def _share(log_odds: float) -> str:
    share = float(expit(log_odds))
    return f"{share:.1e}" if 0 < share < TINY else f"{share:.4f}"


def _draw(ax: "Axes", fall: Waterfall, colours: list[str]) -> None:
    places, ends = np.arange(len(fall.steps)), fall.ends
    shades = [*(colours[int(step < 0)] for step in fall.steps[:-1]), DARK]
    ax.barh(places, fall.lengths, left=fall.starts, color=shades, height=0.6)
    ax.vlines(ends[:-1], places[:-1] + 0.3, places[1:] - 0.3, color=GREY, linewidth=0.7)  # each to the next one
    ax.axvline(0, color=DARK, linewidth=0.7)
    _write(ax, fall)
    if not fall.whole:
        ax.set_xticks([])  # a scale would not be true
    for place in fall.cut:
        ax.text(float(fall.starts[place] + ends[place]) / 2, place, "//", **CUT)


def _write(ax: "Axes", fall: Waterfall) -> None:
    """Numbers beside the bars, on the side that they point to, and room for them."""
    texts, every = [signed(float(step)) for step in fall.steps], np.append(fall.ends, 0.0)
    low, high = float(every.min()), float(every.max())
    longest = max(points(text, TICK) for text in texts)
    unit = (high - low or 1.0) / max(room(ax) - 2 * longest, 40.0)
    ax.set_xlim(low - unit * (longest + 6), high + unit * (longest + 6))
    for place, (end, step, text) in enumerate(zip(fall.ends, fall.steps, texts, strict=True)):
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
