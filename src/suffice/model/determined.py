"""Stage 3, which estimate "auto" is: the first of a list that the rows determine, and determine well.

In:  the pieces of a model, its Rules, and what would be better; or the error of a variance that rows leave open.
Out: Rules with the estimate decided and the doubt about the first; that error in words, and what to do about it.

Statistics decide, so that batches, files and a summary come to the same as the rows. An estimate without a prior wants
enough rows, as its family counts them, and a variance that is there; one with a prior only that it can be worked out.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from suffice.data.levels import Levels
from suffice.errors import SingularError
from suffice.model.piece import Piece
from suffice.model.rules import ESTIMATES, Rule, Rules
from suffice.words import counted, listed

MOST_SHOWN = 4
REMEDIES = {  # by parameter
    "estimate": "estimate='mean', which is between all of them",
    "shared": "shared=True, one covariance for all classes",
    "shrink_shared": "shrink_shared=1, the covariance of all classes",
    "shrink_spherical": "shrink_spherical=0.1, which shrinks towards independent columns",
}


def decided(
    pieces: Sequence[Piece], rules: Rules, preferred: Sequence[str], classes: Levels, coarse: Container[str]
) -> Rules:
    """The first of the estimates preferred to that of the rules, if any will do; some columns are hardly Gaussian."""
    doubt = ""
    for estimate in preferred:
        rule = Rule(replace(rules, estimate=estimate, doubt=doubt))
        found = next(filter(None, (_doubt(replace(piece, rule=rule), classes, coarse) for piece in pieces)), "")
        if not found:
            return rule.rules
        doubt = doubt or found
    return replace(rules, doubt=doubt)


def _doubt(piece: Piece, classes: Levels, coarse: Container[str]) -> str:
    """Why the rows do not determine the estimate of a piece; empty where they do."""
    alone = ESTIMATES[piece.rule.rules.estimate].prior is not None
    if alone and not piece.family.enough(piece.statistics.weight):
        return _few(piece, classes)
    odd = [name for name in piece.names if name in coarse]
    if alone and odd:
        return f"Too few different whole numbers to be Gaussian in {listed(odd)}"
    try:
        density = piece.density()
        if alone:
            piece.family.refuse_nearly_dependent(density)
    except SingularError as error:
        return in_words(error, piece, classes)
    return ""


def _few(piece: Piece, classes: Levels) -> str:
    rows = [f"{rows:g} of class {name!r}" for name, rows in zip(classes, piece.statistics.weight, strict=True)]
    shown = ", ".join(rows[:MOST_SHOWN]) + (", …" if len(rows) > MOST_SHOWN else "")
    return f"There are few rows ({shown}) for {counted(piece.family.columns, 'column')}"


def undetermined(error: SingularError, piece: Piece, components: Levels) -> SingularError:
    """What rows leave open, told with names and what to do about it."""
    found, advice = in_words(error, piece, components), remedies(error, piece.rule.rules)
    return SingularError(
        f"{found}, so estimate={piece.rule.rules.estimate!r} is not determined. {advice}",
        error.component,
        error.columns,
    )


def in_words(error: SingularError, piece: Piece, classes: Levels) -> str:
    """What rows leave open, with the names of columns and classes."""
    weight, columns = piece.statistics.weight, piece.family.columns
    names = listed([piece.names[j] for j in error.columns])
    rows = weight.sum() if error.component is None else weight[error.component]
    where = "Within the classes" if error.component is None else f"In class {classes[error.component]!r}"
    few = f" ({rows:g} rows for {columns} columns)" if 1 < columns >= rows else ""
    return f"{where} {error} {names}{few}"


def remedies(error: SingularError, rules: Rules) -> str:
    offered = [text for name, text in REMEDIES.items() if name in error.remedies and name in rules.offers]
    ways = [*rules.prior_remedy, *offered]
    return f"Use {', or '.join(ways)}, or leave columns out." if ways else "Leave columns out."
