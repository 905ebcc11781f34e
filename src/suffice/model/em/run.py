"""Stage 3, models with hidden components, from rows to Joint: labels, pieces, starts and search put together.

In:  a table, what labels say, the Design and the Rules of the model, and how to search.
Out: Mixed: the joint model, its statistics by component, and the trace of EM.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from suffice.arrays import Array, Codes, Values, repeated, softmax
from suffice.data.blocks import Blocks, cut
from suffice.data.labels import Labels
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import CollapsedError, ConstantColumnWarning, HiddenLabelsError, ParameterError
from suffice.families.capabilities import Shaped
from suffice.families.memberships import Memberships, memberships
from suffice.families.product import Product, ProductDensity, ProductStatistics, Volumes
from suffice.families.volumes import Volume
from suffice.model.design import Design
from suffice.model.em.columns import HiddenColumns, Pieces, initially, together
from suffice.model.em.hidden import HiddenRows, Parameters
from suffice.model.em.information import gathered
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.parts import Batched, Part
from suffice.model.em.scouting import Scouts
from suffice.model.em.search import Fitted, Start, Trace, search
from suffice.model.em.starts import KMEANS, allowed, drawn_or_given
from suffice.model.fit import pieces_of
from suffice.model.joint import Joint, Tables
from suffice.model.piece import Piece
from suffice.model.rules import MONOTONE, Control, Rules
from suffice.model.summary import Summary, product_of, summarise
from suffice.threads import blas_alone

REMEDIES = {  # by parameter, of components that collapse
    "components": "fewer components",
    "shared": "shared=True, one covariance for all",
    "shape": "shape='diagonal'",
}

Beginning = str | Values | Joint  # the name of a way, labels or memberships of the rows, or a model


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, and everything about the model but its parameters."""

    rows: HiddenRows
    schema: Schema  # its blocks are the pieces
    rules: Rules
    answered_by: str = ""  # the estimate of answers, where EM goes by another

    def joint(self, parameters: Parameters) -> Joint:
        label_evidence = self.rows.label_evidence
        names, shares = label_evidence.labels.classes, parameters.prevalence
        return Joint(
            replace(self.schema, pairs=()),
            names,
            shares,
            parameters.density,
            self.rules.estimate,
            owners=label_evidence.owners,
            parameters=self.rows.parameters,
            tree=self.rows.columns.tree,
            confusion=parameters.confusion,
            answered_by=self.answered_by,
        )

    def summed(self, fitted: Fitted) -> ProductStatistics:
        """The rows by component as EM has ended with them, with pairs of columns where those are kept."""
        if self.schema.pairs:
            return gathered(self.rows, fitted.parameters, product_of(self.schema))
        return replace(fitted.statistics.parts, volumes=self._volumes(fitted))

    def _volumes(self, fitted: Fitted) -> Volumes:
        transforms = [block.transform for block in self.schema.blocks]
        if any(transforms):
            return self.rows.volumes(fitted.parameters, transforms)
        return tuple(Volume.none(len(fitted.parameters.prevalence)) for _ in transforms)

    @property
    def remedy(self) -> str:
        """What to do where all components collapse, by parameters that the model has."""
        families = zip(self.rows.columns.families, self.schema.blocks, strict=True)
        shaped = [part for part, block in families if isinstance(part, Shaped) and block.numeric]
        fits = {
            "components": len(self.rows.label_evidence.owners) > len(self.rows.label_evidence.labels.classes),
            "shared": any(not part.shared for part in shaped),
            "shape": any(part.crosswise and part.columns > 1 for part in shaped),
        }
        offered = [text for name, text in REMEDIES.items() if fits[name] and name in self.rules.offers]
        return f"Use {', or '.join([*offered, *self.rules.prior_remedy, 'more rows'])}."

    def resumed(self, joint: Joint) -> Parameters:
        """The parameters of a model of the same columns and components, to go on from."""
        evidence = self.rows.label_evidence
        found, wanted, density = len(joint.prevalence), len(evidence.owners), self._carried(joint)
        several = len(joint.classes) > 1 < len(evidence.labels.classes)
        if found != wanted or density is None or (several and joint.classes != evidence.labels.classes):
            columns = "other" if density is None else "the same"
            raise ParameterError(
                "EM can start only from a model (start=..., or with warm_start=True the last fit) of the same columns "
                f"and components. That one has {found} components of {columns} columns (kinds and categories included) "
                f"and the classes {list(joint.classes)}; this one has {wanted} and {list(evidence.labels.classes)}. "
                "Use another start, or warm_start=False."
            )
        if not joint.plug_in:
            raise ParameterError(
                "EM starts from parameters, but the model given as start has integrated them out "
                f"(estimate={joint.estimate!r}). Give one with estimate='map'."
            )
        confusion = evidence.confusion if joint.confusion is None else joint.confusion
        return Parameters(joint.prevalence, self._apart(density), confusion)

    def _carried(self, joint: Joint) -> ProductDensity | None:
        """The densities of a model, by the pieces of this one; None where it has other columns."""
        if joint.schema.blocks == self.schema.blocks and isinstance(joint.density, ProductDensity):
            return joint.density
        tables, pieces = joint.tables(), zip(self.rows.columns.families, self.schema.blocks, strict=True)
        try:
            parts = tuple(family.from_tables(tables, block.titles) for family, block in pieces)
        except (KeyError, ParameterError):
            return None
        mine = replace(joint, schema=self.schema, density=ProductDensity(parts)).tables()
        return ProductDensity(parts) if _headings(mine) == _headings(tables) else None

    def _apart(self, density: ProductDensity) -> ProductDensity:
        """What components share there and have each for themselves here, once for each of them."""
        everyone, parts = np.zeros(len(self.rows.label_evidence.owners), dtype=np.intp), []
        mine = self.rows.pieces
        for family, part, prior, pooled in zip(mine.families, density.known, mine.priors, mine.pooled, strict=True):
            filled, _ = initially(family, pooled.only(everyone))
            sizes = [len(array) for array in prior.after(filled).mode().arrays().values()]
            arrays = {
                name: repeated(array, max(size, len(array)))
                for size, (name, array) in zip(sizes, part.arrays().items(), strict=True)
            }
            parts.append(family.density(arrays, len(everyone)))
        return ProductDensity(tuple(parts))


def _headings(tables: Tables) -> dict[str, set[str]]:
    return {title: set(table) for title, table in tables.items()}


@dataclass(frozen=True, eq=False)
class Guess:
    """What a model that was learned from some of the rows says of all."""

    joint: Joint

    def memberships(self, part: Part, possible: NDArray[np.bool_]) -> Memberships:
        """Of the components that labels allow; a level that those rows have not says nothing."""
        shares = np.nan_to_num(softmax(self.joint.log_components(part.blocks.table, "ignore")))
        return memberships(allowed(shares, possible[part.codes]), shares.shape[1], part.weights)


@dataclass(frozen=True, eq=False)
class Mixed:
    joint: Joint
    summary: Summary  # by component
    trace: Trace


def set_up(
    table: Table,
    schema: Schema,
    label_evidence: LabelEvidence,
    weights: Array,
    design_of: Callable[[Summary], Design],
    rules: Rules,
) -> Problem:
    apart = _by_label(table, schema, label_evidence.labels, weights)
    return posed(
        apart,
        schema,
        label_evidence,
        design_of,
        rules,
        lambda schema: (cut(table, schema).turned_once(), weights, None),
    )


def posed(
    apart: Summary,
    schema: Schema,
    label_evidence: LabelEvidence,
    design_of: Callable[[Summary], Design],
    rules: Rules,
    rows_of: Callable[[Schema], tuple[Blocks, Array, Batched | None]],
) -> Problem:
    """The problem of rows whose summary by class, and of those of none, is known."""
    classes = label_evidence.labels.classes
    design = design_of(apart)
    alone = _estimate_without(apart, design_of, rules, label_evidence)
    rules = replace(rules, auto=("ml" if alone == "unbiased" else "map",))
    pieces, rules = pieces_of(apart, design, rules, classes)
    altered = any(piece.altered for piece in pieces)
    if rules.estimate not in MONOTONE or altered:
        why = "shrinkage or inflate" if altered else f"estimate={rules.estimate!r}"
        raise HiddenLabelsError(
            f"Components are hidden (unknown labels, or several for a class), and with {why} EM may not converge. "
            + ("Leave both out." if altered else "Use estimate='map' or 'ml'.")
        )
    modelled = {name for piece in pieces for name in piece.names}
    kept = tuple(name for name in schema.pairs if name in modelled)
    schema = replace(schema, blocks=tuple(piece.block for piece in pieces), pairs=kept)
    blocks, weights, batched = rows_of(schema)
    if design.dependence is None:
        columns: HiddenColumns = pieces_apart(pieces, label_evidence)
    else:
        columns = design.dependence.hidden_columns(apart, pieces, label_evidence, blocks)
    volume = sum(piece.volume.total for piece in pieces)
    rows = HiddenRows(
        blocks, weights, label_evidence, columns, rules.priors, rules.smoothing, batched=batched, volume=volume
    )
    tied = design.dependence is not None or label_evidence.confusion is not None  # to what EM has found
    *labelled, others = apart.statistics.weight
    answered_by = "" if tied or alone in MONOTONE or sum(labelled) <= others else alone
    return Problem(rows, schema, rules, answered_by)


def pieces_apart(pieces: Sequence[Piece], label_evidence: LabelEvidence) -> Pieces:
    """As columns that do not depend on each other."""
    pooled = tuple(together(piece.statistics) for piece in pieces)
    priors = tuple(
        piece.rule.prior_of_hidden(piece.family, piece.statistics, whole, label_evidence.owners)
        for piece, whole in zip(pieces, pooled, strict=True)
    )
    return Pieces(Product(tuple(piece.family for piece in pieces)), priors, pooled)


def _by_label(table: Table, schema: Schema, labels: Labels, weights: Array) -> Summary:
    """A group of rows for each class, and a last one for those whose class is not certain."""
    last = len(labels.classes)
    codes = np.where(labels.certain < 0, last, labels.certain)
    return summarise(table, schema, tuple(range(last + 1)), codes, weights)


def _estimate_without(
    apart: Summary, design_of: Callable[[Summary], Design], rules: Rules, label_evidence: LabelEvidence
) -> str:
    """What "auto" would be without the rows of no label; empty where a class is no component, or has no other row.

    EM can go by a mode only: by maximum likelihood where this is unbiased, which is next to it. If most rows have
    labels, answers are by this estimate from the rows as EM ends with them, so that a label more changes little.
    Where cells are missing, or columns vary among the other rows only, it has a prior.
    """
    classes = label_evidence.labels.classes
    labelled = replace(apart, classes=classes, statistics=apart.statistics.only(np.arange(len(classes))))
    simple = len(label_evidence.owners) == len(classes) > 1 and labelled.statistics.weight.all()
    if rules.estimate != "auto" or not simple:
        return ""
    missing = any(piece.statistics.hidden for piece in apart.pieces())
    if missing or _varying(labelled, design_of) != _varying(apart, design_of):
        return rules.candidates(hidden=True)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)  # said of all rows
        return pieces_of(labelled, design_of(labelled), rules)[1].estimate


def _varying(summary: Summary, design_of: Callable[[Summary], Design]) -> set[str]:
    """The columns that do not have one value only."""
    pieces = design_of(summary).pieces(summary)
    return {
        name
        for piece in pieces
        for j, name in enumerate(piece.names)
        if j not in piece.family.constant(piece.statistics)
    }


def run(problem: Problem, start: Beginning | Guess, control: Control) -> Mixed:
    rows = problem.rows
    if not rows.label_evidence.hidden:  # every start is the same
        control = replace(control, restarts=1)
    with blas_alone():  # between the passes over rows too, where matrices are small
        try:
            scouts = Scouts.of(rows) if isinstance(start, str) and start == KMEANS else None
            fitted = search(rows, lambda rng: initial_memberships(problem, start, rng), control, scouts)
        except CollapsedError as error:
            raise CollapsedError(f"EM failed from every start: {error}. {problem.remedy}") from None
    order = _order(fitted.parameters.prevalence, rows.label_evidence.owners, keep=not isinstance(start, str | Guess))
    parameters = fitted.parameters.only(order)
    summary = Summary(problem.schema, tuple(range(len(order))), problem.summed(fitted).only(order))
    return Mixed(problem.joint(parameters), summary, fitted.trace)


def initial_memberships(problem: Problem, start: Beginning | Guess, rng: np.random.Generator) -> Start:
    """What rows are expected to be at first: as a model has it, or by memberships."""
    rows = problem.rows
    if isinstance(start, Guess):
        possible = np.isfinite(rows.label_evidence.log_table)
        return Start(rows.expected_by(partial(start.memberships, possible=possible)))
    if not isinstance(start, Joint):
        return Start(rows.initial_expectation(_members(problem, start, rng)))
    parameters = problem.resumed(start)
    expected = rows.expect(parameters)
    same = parameters.form == rows.learn(expected).form  # else these parameters are none that the search could reach
    return Start(expected, expected.log_likelihood + rows.log_prior(parameters) if same else -np.inf)


def _members(problem: Problem, start: str | Values, rng: np.random.Generator) -> Memberships:
    """Where labels know a row of every component, those rows alone; elsewhere as asked for."""
    rows = problem.rows
    label_evidence, everyone = rows.label_evidence, np.arange(len(rows.label_evidence.owners))
    certain = label_evidence.labels.certain
    if (
        isinstance(start, str)
        and len(np.unique(label_evidence.owners)) == len(everyone)
        and len(label_evidence.owners) > 1
    ):
        known = certain >= 0
        if set(certain[known]) == set(everyone):
            return memberships(certain, len(everyone), rows.weights)
    return drawn_or_given(start, rows.blocks, rows.columns.families, label_evidence, rows.weights, rng)


def _order(prevalence: Array, owners: Codes, keep: bool) -> Codes:
    """By decreasing weight within each class; a start that was given keeps its order."""
    return np.arange(len(owners)) if keep else np.lexsort((-prevalence, owners))
