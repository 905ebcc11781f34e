"""Pictures by name, from a model and rows: which function draws each, and what it is given.

In:  the name of a picture, a model, rows and the name of their class. Out: a figure.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import suffice
from suffice.cli.output import Refused

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from suffice.estimators.parameters import Named
    from suffice.model.tree import Tree

CURVES = ("calibration", "cost", "margin", "roc")  # of one class
LABELLED = (
    *CURVES,
    "confusion",
    "densities",
    "discriminant",
    "pairs",
    "regions",
    "risk_coverage",
)  # of labelled rows
OTHERS: dict[str, Callable[["Named", "pa.Table", int, Any], "Axes"]] = {
    "explanation": lambda model, rows, row, pair: suffice.plots.explanation(suffice.explain(model, rows, pair), row),
    "missing": lambda model, rows, row, pair: suffice.plots.missing(rows),
    "nomogram": lambda model, rows, row, pair: suffice.plots.nomogram(
        suffice.nomogram(model, rows, pair), rows.slice(row, 1)
    ),
    "posterior": lambda model, rows, row, pair: suffice.plots.posterior(model, rows, row),
    "tree": lambda model, rows, row, pair: suffice.plots.tree(_tree_of(model)),
}


def _tree_of(model: "Named") -> "Tree":
    if not isinstance(model, suffice.TreeAugmentedBayes):
        raise Refused(
            f"tree needs a model whose columns form a tree (suffice fit -m tree); this is {type(model).__name__}"
        )
    return model.tree_


PICTURES = tuple(sorted((*LABELLED, *OTHERS)))


def drawn(picture: str, model: "Named", rows: "pa.Table", label: str, row: int, pair: Any) -> "Figure":
    """A picture; `row` counts from 0, `pair` are the two classes that it is about, if it is about two."""
    if picture not in PICTURES:
        raise Refused(f"there is no picture {picture!r}; the pictures are {', '.join(PICTURES)}")
    if picture in LABELLED and not label:
        raise Refused(f"{picture} needs the classes of the rows: name their column with -y")
    columns = rows.drop_columns([label]) if label else rows
    if picture in LABELLED:
        named = {"positive": pair[0]} if pair and picture in CURVES else {}
        ax = getattr(suffice.plots, picture)(model, columns, rows.column(label), **named)
    else:
        ax = OTHERS[picture](model, columns, row, pair)
    figure: Figure = ax.figure
    return figure
