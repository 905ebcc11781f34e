"""Left-out scores column by column: what a model is worth with one of its columns of another kind.

In:  a model whose columns are independent given the class, and columns whose kinds are open.
Out: trials. ln p(row, class) is a sum over columns, also of a model that has not learned from the row, so another kind
     for a column takes its term off and puts another on; nothing else is learned again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from typing import Self

import numpy as np

from suffice.arrays import Array, Codes, log
from suffice.decisions.posterior import log_posterior
from suffice.errors import SufficeError
from suffice.judge.comparison import Trial
from suffice.judge.validation import Examination
from suffice.lazy import Known
from suffice.learn.face import HasRecipe
from suffice.learn.generative import Generative, left_out
from suffice.model.criteria import log_evidence
from suffice.model.evidence import Evidence
from suffice.model.fit import fit, pieces_of
from suffice.model.folds import Plan
from suffice.model.left_out import LeftOutRows
from suffice.model.validate import Rows

Weighed = Evidence | SufficeError | None  # an evidence, or why there is none


@dataclass(frozen=True, eq=False)
class Term:
    """The log densities that some columns give to rows left out, and the log evidence."""

    log_density: Array  # (T, K), −inf nowhere
    impossible: Codes  # (T, K) the number of columns that rule the class out
    evidence: Weighed

    @classmethod
    def of(cls, log_density: Array, evidence: Weighed) -> Self:
        never = np.isneginf(log_density)
        return cls(np.where(never, 0.0, log_density), never.astype(np.intp), evidence)

    def __add__(self, other: "Term") -> "Term":
        """Add the densities of other columns; the evidence stays, as it is already that of all."""
        return replace(
            self, log_density=self.log_density + other.log_density, impossible=self.impossible + other.impossible
        )

    def exchanged(self, old: "Term", new: "Term") -> "Term":
        """Take the old term off and put the new one on."""
        return Term(
            self.log_density - old.log_density + new.log_density,
            self.impossible - old.impossible + new.impossible,
            _exchanged(self.evidence, old.evidence, new.evidence),
        )

    @property
    def whole(self) -> Array:
        return np.where(self.impossible > 0, -np.inf, self.log_density)


@dataclass(frozen=True, eq=False)
class ByColumn:
    exam: Examination
    plan: Plan | None
    plain: Rows  # the rows as read by the model as it was
    of_kind: Mapping[str, Rows]  # the same by kind: read by models with every column of that kind that can be
    left_out: LeftOutRows  # predictions of the model as it was
    total: Term  # the term of the model with the kinds chosen so far
    terms: Known[tuple[str, str | None], Term] = field(default_factory=Known)  # by column and kind

    @classmethod
    def of(cls, trial: Trial, columns: Mapping[str, Sequence[str]], exam: Examination) -> Self | None:
        """None where columns do not stand by themselves: something is hidden, or a belief names them."""
        (known, plan), recipe = exam.read(trial.model), trial.model.settled()
        assert isinstance(recipe, Generative)  # as others have no kinds to choose
        named = isinstance(recipe.rules().parameter_prior, Mapping)
        if named or known.kept is not None or recipe.label_evidence(known.labels) is not None:
            return None
        plain = recipe.rows(known)
        _, rules = pieces_of(plain.summary, plain.design, plain.rules)  # what "auto" is for all columns together
        found = left_out(plain, plan)
        of_kind = {}
        for kind in {kind for kinds in columns.values() for kind in kinds}:
            able = {column: kind for column, kinds in columns.items() if kind in kinds}
            of_kind[kind] = replace(_with_kinds(recipe, able).rows(known), rules=rules)
        total = Term.of(found.log_joint, trial.evidence or trial.error)
        scores = cls(exam, plan, replace(plain, rules=rules), of_kind, found, total)
        return replace(scores, total=scores.summed(columns)) if total.impossible.any() else scores

    def trial(self, column: str, kind: str, name: str, model: HasRecipe) -> Trial:
        """Judge the model with one column of another kind."""
        try:
            total = self.with_kind(column, kind).total
        except SufficeError as error:
            return Trial(name, model, None, None, error)
        known, found = self.plain.known, self.left_out
        logs = log_posterior(total.whole, found.prevalence, self.plain.schema)
        how = self.plan.title if self.plan else "leave-one-out"
        validation = self.exam.laid(known, logs, known.rows[found.rows], known.codes, how)
        if isinstance(total.evidence, Evidence):
            return Trial(name, model, validation, total.evidence)
        return Trial(name, model, validation, None, total.evidence)

    def with_kind(self, column: str, kind: str) -> Self:
        """The column, which is as it was, of that kind from now on."""
        old, new = (self.terms.get((column, of), partial(self._term, column, of)) for of in (None, kind))
        return replace(self, total=self.total.exchanged(old, new), terms=Known())

    def summed(self, columns: Iterable[str]) -> Term:
        """The total with all that is finite in it, term by term."""
        others = replace(
            self.plain, design=replace(self.plain.design, ignored=self.plain.design.ignored | set(columns))
        )
        rest = Term.of(left_out(others, self.plan).log_joint, self.total.evidence)
        return reduce(add, (self._term(column, None) for column in columns), rest)

    def _term(self, column: str, kind: str | None) -> Term:
        """Compute the term of a column by itself, of another kind or as it was."""
        rows = self.plain if kind is None else self.of_kind[kind]
        others = frozenset(rows.schema.names) - {column}
        design, rules = replace(rows.design, joint=(), ignored=others), replace(rows.rules, priors="uniform")
        alone = replace(rows, design=design, rules=rules)
        fit(alone.summary, design, rules)  # what cannot be fitted at all is an error, whatever rows are left out
        found = left_out(alone, self.plan)
        try:
            evidence: Weighed = log_evidence(alone.summary, design, rules)
        except SufficeError as error:
            evidence = error
        return Term.of(found.log_joint - log(found.prevalence), evidence)


def _with_kinds(recipe: Generative, kinds: Mapping[str, str]) -> Generative:
    return recipe.but({"kinds": {**(recipe.parameters["kinds"] or {}), **kinds}})


def _exchanged(whole: Weighed, old: Weighed, new: Weighed) -> Weighed:
    if isinstance(whole, Evidence) and isinstance(old, Evidence) and isinstance(new, Evidence):
        return whole.exchanged(old, new)
    return next(part for part in (whole, old, new) if not isinstance(part, Evidence))
