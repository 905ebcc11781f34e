"""Pictures by name, from a model and rows: which function draws each, and what it is given.

In:  the name of a picture, a model, rows and the name of their class.
Out: a figure; and its file, whole or not at all.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import suffice
from suffice.cli.output import STANDARD, Refused
from suffice.store import replacing

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from suffice.estimators.named import Named
    from suffice.model.tree import Tree

FORMS = ("svg", "png", "pdf", "eps", "ps", "jpg", "jpeg", "webp", "tif", "tiff", "svgz")  # .svg without an ending
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


def form_of_picture(output: str, as_json: bool) -> str:
    """What a file is written as, by the ending of its name; one without an ending, and stdout, get the first form."""
    if output == STANDARD and as_json:
        raise Refused("with --json, stdout says where the picture was written: name a file with -o")
    form = Path(output).suffix.lower().removeprefix(".") or FORMS[0]
    if form not in FORMS:
        raise Refused(f"-o {output}: pictures are written as .{', .'.join(FORMS)}; found .{form}")
    return form


def write_picture(figure: "Figure", output: str, form: str) -> None:
    """Into the very file that was named, in whose place it is put once it is whole; or to stdout."""
    if output == STANDARD:
        figure.savefig(sys.stdout.buffer, format=form, bbox_inches="tight")
        return
    with replacing(output) as beside:
        figure.savefig(beside, format=form, bbox_inches="tight")


def drawn(picture: str, model: "Named", rows: "pa.Table", label: str | None, row: int, pair: Any) -> "Figure":
    """A picture; `row` counts from 1, `pair` are the two classes that it is about, if it is about two."""
    if picture not in PICTURES:
        raise Refused(f"there is no picture {picture!r}; the pictures are {', '.join(PICTURES)}")
    if picture in LABELLED and label is None:
        raise Refused(f"{picture} needs the classes of the rows: name their column with -y")
    if row > len(rows):
        raise Refused(f"the table has {len(rows)} rows, so there is no row {row}")
    columns = rows if label is None else rows.drop_columns([label])
    if picture in LABELLED:
        named = {"positive": pair[0]} if pair and picture in CURVES else {}
        ax = getattr(suffice.plots, picture)(model, columns, rows.column(label), **named)
    else:
        ax = OTHERS[picture](model, columns, row - 1, pair)
    figure: Figure = ax.figure
    return figure
