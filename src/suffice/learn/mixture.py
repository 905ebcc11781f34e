"""Recipes of mixtures: rows whose component nobody has seen, found by the one EM loop, whatever families columns have.

In:  parameters, which the faces have too; a recipe says which Gaussian its numeric columns have.
Out: MixtureModel, a model whose answers are about components.
"""

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from suffice.arrays import Array, Codes, Values, log
from suffice.data.frames import named_apart
from suffice.data.kinds import CATEGORICAL
from suffice.data.labelled import Labelled, that_count
from suffice.data.labels import without_labels
from suffice.data.planning import Kinds, plan
from suffice.data.schema import Schema
from suffice.data.source import Source
from suffice.data.table import IntoTable, Table, read_table
from suffice.data.weights import Weights, row_weights
from suffice.decisions.posterior import log_shares, with_prior_where_impossible
from suffice.engines.lazy_rows import library
from suffice.engines.scoring.answers import Scoring
from suffice.errors import FileError, ParameterError, TooManyComponentsError
from suffice.families.gaussian.family import Gaussian
from suffice.learn.densities import Densities, without_hints
from suffice.learn.discriminants import covariance_in_words, gaussian
from suffice.learn.generative import refuse_intervals
from suffice.learn.model import Heard, by_name
from suffice.learn.recipe import Recipe
from suffice.model.collect import numbers_together
from suffice.model.design import Design, numbers_in
from suffice.model.em.intervals import left_open
from suffice.model.em.label_evidence import LabelEvidence
from suffice.model.em.run import Beginning, Guess, Problem, posed, run, set_up
from suffice.model.em.run import Mixed as Ended
from suffice.model.em.starts import KMEANS
from suffice.model.em.streamed import first_pass
from suffice.model.joint import Joint
from suffice.model.rules import Control, Rules
from suffice.model.summary import Summary
from suffice.model.uncertainty import Reordered
from suffice.options import Seed, generator, switch, whole
from suffice.printing.description import Text
from suffice.printing.language import word
from suffice.progress import watched


@dataclass(frozen=True, eq=False)
class MixtureModel(Densities):
    NOUN: ClassVar[str] = "component"
    SHARE: ClassVar[str] = "weight"

    def log_posterior(self, table: Table) -> Array:
        """Ln P(component | row)."""  # (N, C)
        joint = self.joint
        answers = joint.component_answers(table, self.recipe.unseen_as(), log_shares)
        return with_prior_where_impossible(answers, log(joint.prevalence), joint.schema)

    def posterior(self, table: Table) -> Array:
        """P(component | row)."""  # (N, C)
        return self.component_posterior(table)

    def answers(self, X: IntoTable, proba: bool) -> Mapping[str, Values]:
        table = self.table(X)
        found = {self.NOUN: np.asarray(np.argmax(self.log_components(table), axis=1))}
        return found | (by_name(self.names, self.posterior(table)) if proba else {})

    def scoring(self, output: str) -> Scoring:
        joint = self.joint
        return self._scored(joint.formula, joint.components, joint.prevalence)

    @property
    def names(self) -> Values:
        return np.arange(len(self.joint.prevalence))

    def called(self, components: Codes) -> Values:
        return components

    def reordered(self, order: Codes) -> Self:
        """The same with its components in another order."""
        joint, summary, left = self.joint.only(order), self.summary, self.left_open
        if summary is not None:
            summary = replace(summary, statistics=summary.statistics.only(order))
        left = None if left is None else Reordered(left, order, joint)
        return replace(self, found=joint, summary=summary, left_open=left)


@dataclass(eq=False, repr=False)
class UnlabelledParameters:
    """The parameters of every mixture that users set; Mixture tells what each of them means."""

    components: int = 1
    _: KW_ONLY
    kinds: Kinds = None
    start: Any = KMEANS
    restarts: int = 10
    parameter_prior: Any = "weak"
    tol: float = 1e-6
    max_iter: int = 500
    smoothing: float = 1.0
    warm_start: bool = False
    random_state: Seed = 0
    intervals: Any = None


class UnlabelledRecipe(UnlabelledParameters, Recipe):
    POSTERIORS = False  # of classes

    @abstractmethod
    def gaussian(self) -> Gaussian:
        """The shape of the covariance of numeric columns, and whether components share it."""

    # what its parameters mean

    def check(self) -> None:
        whole(self.components, "components must be a whole number, 1 or more")
        switch(self.warm_start, "warm_start")
        self.gaussian()
        self.rules().check()
        self.control()

    def control(self) -> Control:
        """The settings of the search by EM."""
        return Control(self.tol, self.max_iter, self.restarts, self.random_state, self.intervals, watch=watched)

    def plan(self, head: Table) -> Schema:
        """Plan the kind of each column, and which columns are modelled together."""
        schema = plan(head, self.kinds)
        return numbers_together(schema) if self.gaussian().shape.crosswise else schema

    def design(self, summary: Summary) -> Design:
        """Divide the columns of a summary among families."""
        numbers = numbers_in(summary)
        return Design([numbers] if numbers else [], self.gaussian())

    def rules(self) -> Rules:
        """The rules of the estimate: what to believe beforehand, and what to make of the belief."""
        return Rules("map", ("map",), self.smoothing, None, self.parameter_prior, self.offers())

    def unseen_as(self) -> str:
        """The treatment of categories never seen in fitting."""
        return "ignore"

    def headline(self, found: Densities) -> tuple[Text, ...]:
        """Describe how a model was learned, for the line beside its sizes."""
        numeric = any(block.numeric for block in found.joint.schema.blocks)
        shape = [covariance_in_words(self.gaussian())] if numeric else []
        course = found.trace
        if course is None:  # of given parameters, or a file of the first format
            return tuple(shape)
        steps = word("{n} step|{n} steps", n=len(course.objective))
        return (
            *shape,
            word("log likelihood {value} after {steps}", value=f"{course.log_likelihood[-1]:.6g}", steps=steps),
        )

    def uncertain(self, joint: Joint, summary: Summary) -> None:
        """Nothing is known in closed form."""

    # learning

    def learn(self, known: Labelled) -> MixtureModel:
        return self.learn_from(known, KMEANS)

    def learn_from(self, known: Labelled, start: Beginning) -> MixtureModel:
        """Run EM from a start, only once if there is but one start."""
        schema, control = self.plan(known.table), self.control()
        if not isinstance(start, str) or self.components == 1:
            control = replace(control, restarts=1)
        problem = self.posed(known, schema)
        ended = run(problem, start, control)
        found = self._ended(schema, ended)
        return replace(found, left_open=left_open(problem, ended.joint, control), library=known.table.library)

    def posed(self, known: Labelled, schema: Schema) -> Problem:
        """Set up the problem that EM solves."""
        evidence = LabelEvidence(known.labels, self._owners)
        return set_up(known.table, schema, evidence, known.weights, self.design, self.rules())

    def refuse_few(self, rows: int) -> None:
        """An error where there are fewer rows than components."""
        if rows < self.components:
            raise TooManyComponentsError(
                f"Found {rows} samples for {self.components} components; there must be at least one for each. Use "
                "fewer components."
            )

    @property
    def _owners(self) -> Codes:
        """The class of each component: there is but one."""
        return np.zeros(self.components, dtype=np.intp)

    def _ended(self, schema: Schema, ended: Ended) -> MixtureModel:
        return MixtureModel(self, schema, ended.joint.classes, ended.summary, ended.joint, ended.trace)

    def learn_in_batches(self, source: Source, start: Beginning) -> MixtureModel:
        """A pass for each step of EM, from where it ends for a sample of the rows."""
        refuse_intervals(self.control())
        with closing(source.in_batches()) as named:
            rows = named.taken(replace(named.roles, label=None, left_out=named.roles.label))
            found = first_pass(rows, self.plan, None, generator(self.random_state), Heard())
            sample = unlabelled(*named_apart(found.sample, source.weights))
            if found.whole:
                return without_hints(self.learn_from(sample, start))
            if not isinstance(start, str | Joint):
                raise ParameterError("For rows that come in batches, start must be a name, a model or its tables.")
            problem = posed(
                found.apart,
                found.schema,
                LabelEvidence(found.labels, self._owners),
                self.design,
                self.rules(),
                found.cut_to,
            )
            begun = start if isinstance(start, Joint) else Guess(self.learn_from(sample, start).joint)
            ended = run(problem, begun, replace(self.control(), restarts=1))
            model = replace(
                self._ended(found.schema, ended), start_rows=len(found.sample), library=library(source.rows)
            )
            return without_hints(model)

    def given(self, joint: Joint) -> MixtureModel:
        """The model with parameters that somebody gives."""
        self.check()
        return MixtureModel(self, joint.schema, joint.classes, None, joint)

    def restored(self, summary: Summary | None, joint: Joint | None) -> MixtureModel:
        """The model that a file holds."""
        if joint is None:
            raise FileError("The file holds a mixture without its parameters.")
        return replace(self.given(joint), schema=joint.schema if summary is None else summary.schema, summary=summary)


@dataclass(eq=False, repr=False)
class MixtureParameters(UnlabelledParameters):
    shape: str = "full"
    shared: bool = False


@dataclass(eq=False, repr=False)
class MixtureRecipe(MixtureParameters, UnlabelledRecipe):
    name = "Mixture"

    def gaussian(self) -> Gaussian:
        return gaussian(self.shape, self.shared, 0.0, 0.0)


@dataclass(eq=False, repr=False)
class LatentClassParameters(UnlabelledParameters):
    components: int = 2
    kinds: Any = CATEGORICAL


@dataclass(eq=False, repr=False)
class LatentClassRecipe(LatentClassParameters, UnlabelledRecipe):
    name = "LatentClass"

    def gaussian(self) -> Gaussian:
        return gaussian("diagonal", False, 0.0, 0.0)


def unlabelled(X: IntoTable, weights: Weights) -> Labelled:
    """The rows that count, of which nobody knows a class."""
    table = read_table(X)
    return that_count(table, without_labels(table.rows), row_weights(weights, table.rows), None)
