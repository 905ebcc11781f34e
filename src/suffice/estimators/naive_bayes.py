"""Naive Bayes over any mix of columns: the product of one family for each kind of column."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags

from suffice.beliefs.per_class import about_cells
from suffice.data.blocks import IGNORE_ALOUD, UNSEEN_POLICIES
from suffice.data.columns import INTEGER, NUMBER
from suffice.data.kinds import (
    CATEGORICAL,
    EXPONENTIAL,
    GAUSSIAN,
    KINDS,
    LOG_GAUSSIAN,
    POISSON,
    Chosen,
    come_back,
)
from suffice.data.planning import Kinds, by_column, grouped, plan, read_kind
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import IdleSettingWarning, KindHint, ParameterError, warn
from suffice.estimators.base import GenerativeClassifier, ignored
from suffice.estimators.classifier import Change
from suffice.estimators.face import say_what_is_taken
from suffice.estimators.parameters import Settings
from suffice.model.design import Design, likely_categories
from suffice.model.given import joint_of_tables
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.options import one_of
from suffice.printing.description import Text
from suffice.printing.language import word
from suffice.words import listed

CANDIDATES = (POISSON, EXPONENTIAL, LOG_GAUSSIAN)  # for numbers whose kind is "auto", beside what they are by default
SMOOTHINGS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # what tuning tries


@dataclass(eq=False, repr=False)
class NaiveBayes(GenerativeClassifier):
    """Naive Bayes: columns are independent of each other given the class, and each is of its own kind.

    Parameters
    ----------
    kinds : None, str or dict
        Kinds of columns by name, or one kind for all: "gaussian", "log-gaussian" (Gaussian after ln), "logit-gaussian"
        (shares, Gaussian after logit), "categorical", ("categorical", [all its values]), "binary", ("binomial", n),
        ("negative-binomial", r) (failures before r successes), "poisson", "exponential", ("gamma", shape),
        ("von-mises", κ) (angles in radians), ("von-mises-degrees", κ), "counts", "ignore", and "auto", which picks
        the kind that predicts best. Columns not named go by their type: text, categories and booleans are categorical,
        and numbers are Gaussian, except for whole numbers with at most ten values that repeat, which are categorical.
    joint : list of lists of names
        Columns modelled together by one full Gaussian.
    counts : list of lists of names
        Columns that together form one row of multinomial counts.
    smoothing : float or "auto"
        λ, the number of rows added to every cell of a table of counts (categorical, binary, binomial, negative
        binomial, counts). 1 is Laplace's rule, 0 maximum likelihood. It applies whatever `estimate` says. "auto"
        chooses it by exact leave-one-out log loss; `settings_` holds what was chosen, `tuned_` all
        that was tried.
    estimate : "auto", "ml", "unbiased", "map", "mean" or "predictive"
        How the parameters of the other columns are estimated. "unbiased" divides variances by N − 1 and "ml" by N;
        neither uses a prior. "auto" is "predictive", which integrates parameters out and so allows for how few rows
        there are, or "map" if a prior is given or most labels are hidden, and for tables of counts. Where the
        parameters themselves are needed (to print or draw them, to fill in cells, to count them for aic and bic), it
        uses "map".
    priors : None, "uniform", "smoothed", array or dict
        Class probabilities: their shares of the rows (None), all equal, (N_k + λ)/(N + Kλ), or as given.
    parameter_prior : "flat", "reference", "weak" or dict
        What is believed about the parameters beforehand; {column: belief} for single columns, which replaces smoothing
        there, or {column: {class: belief}}.
    unseen : "prior", "ignore" or "error"
        What happens to a category never seen in fitting: it gets the smoothed probability λ/(N + (S + 1)λ), which
        favours rare classes; it is ignored, as if missing; or it is an error.
    components : int or {class: int}
        The number of components in each class; if there are several, EM finds them.
    unknown : a label
        The value of y that means "not known"; None and NaN always mean that. EM learns from such rows.
    em : EM, optional
        Settings of EM, which matter only where something is hidden: see EM.

    Examples
    --------
    >>> from suffice import NaiveBayes
    >>> table = {"sky": ["clear", "grey", "grey", None], "wind": [3.0, 8.0, 9.0, 2.0]}
    >>> model = NaiveBayes().fit(table, ["go", "stay", "stay", "go"])
    >>> model.predict({"sky": ["clear"], "wind": [4.0]}).tolist()
    ['go']

    """

    kinds: Kinds = None
    joint: Sequence[Sequence[str]] = ()
    counts: Sequence[Sequence[str]] = ()
    smoothing: float = 1.0
    estimate: str = "auto"
    priors: Any = None
    parameter_prior: Any = "weak"
    unseen: str = "prior"

    TUNABLE: ClassVar[tuple[str, ...]] = ("smoothing", "kinds")

    @classmethod
    def from_tables(cls, tables: Any, kinds: Kinds = None, joint: Any = None, unseen: str = "error") -> Self:
        """A model from given parameters, in the form of tables(): the class priors, and a table for each column.

        The headings of a table tell the kind of its column (mean and sd, success and failure, rate, otherwise
        categories), unless `kinds` does, as for the constructor; `joint` may name the columns modelled together. If
        all headings of categories spell numbers or truth values, they are taken as such; ("categorical", ["1", "2"])
        keeps them as text. Such a model has no summary_ of rows, and `unseen` says what happens to a category that is
        in no table.

        Raises
        ------
        ParameterError
            If the tables do not have the form of tables(), or probabilities do not sum to 1.

        >>> tables = {"class": {"class": ["ill", "well"], "prior": [0.01, 0.99]},
        ...           "test": {"positive": [0.9, 0.1], "negative": [0.1, 0.9]}}
        >>> NaiveBayes.from_tables(tables).predict_proba({"test": ["positive"]}).round(3).tolist()
        [[0.083, 0.917]]

        """
        found = joint_of_tables(tables, cls.NOUN, "prior", kinds, joint)
        together = [block.names for block in found.schema.blocks if block.crosswise]
        return cls(kinds=kinds, joint=together, smoothing=0.0, unseen=unseen)._hold(found)

    def _plainest(self, names: Sequence[str]) -> Settings:
        """Columns whose kind is open go by their type at first."""
        given = self.kinds if isinstance(self.kinds, Mapping) else {}
        kinds = {name: kind for name, kind in given.items() if kind != "auto"}
        return super()._plainest(names) | ({"kinds": kinds} if "kinds" in names else {})

    def _stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """As it is, then smoothing."""
        stages: list[list[Change]] = [[lambda best: best]]
        if "smoothing" in names and self._smooths(names, table):
            stages.append([with_smoothing(amount) for amount in SMOOTHINGS])
        return stages

    def _open_kinds(self, table: Table) -> dict[str, list[str]]:
        return {name: kinds_for(table, name) for name in self._open(table)}

    def _smooths(self, names: Sequence[str], table: Table) -> bool:
        """Whether smoothing changes anything: said aloud where it was asked for and does not."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KindHint)  # said when the model is fitted
            schema = clone(self).set_params(**self._plainest(names))._plan(table)
        smooths = self.priors == "smoothed" or any(KINDS[block.kind].counted for block in schema.blocks)
        if not smooths and (names != self.TUNABLE or "smoothing" in self._unsettled()):
            warn(
                "smoothing adds rows to tables of counts, but none of these columns is counted (categorical, binary, "
                "binomial, negative binomial, counts), so it has no effect and is not tried. Leave it out, or declare "
                "kinds.",
                IdleSettingWarning,
            )
        return smooths

    def _open(self, table: Table) -> list[str]:
        """Columns of numbers whose kind is "auto", or where none is, not declared."""
        given = self.kinds if isinstance(self.kinds, Mapping) else {}
        if "auto" in given.values():
            return [str(name) for name, kind in given.items() if kind == "auto"]
        spoken_for = {name for group in (*grouped(self.joint), *grouped(self.counts)) for name in group}
        spoken_for |= {str(name) for name in given}
        return [name for name in table.names if name not in spoken_for and table.type(name) in (NUMBER, INTEGER)]

    def _plan(self, table: Table) -> Schema:
        return plan(table, self.kinds, self.joint, self.counts, tallied=True)

    def _design(self, summary: Summary) -> Design:
        rows_of_counts = [block for block in summary.schema.blocks if block.words]
        for group in grouped(self.counts):
            if all(frozenset(group) != frozenset(block.names) for block in rows_of_counts):
                raise ParameterError(
                    f"This summary does not hold {listed(list(group))} as counts. Collect the rows again "
                    "with these columns as counts."
                )
        joint, believed = grouped(self.joint), self.parameter_prior if isinstance(self.parameter_prior, Mapping) else {}
        cells = {str(name) for name in believed if about_cells(believed[name])}
        numbers = {*map(str, believed), *(name for group in joint for name in group)} - cells  # by what is said of them
        categories = categories_of(summary, self.kinds, numbers)
        declared = by_column(self.kinds, summary.schema.tallied)
        categories |= cells.intersection(summary.schema.tallied) - declared.keys()
        return Design(joint, ignored=ignored(self.kinds, summary), categories=categories)

    def _rules(self) -> Rules:
        one_of(self.unseen, "unseen", UNSEEN_POLICIES)
        return Rules(
            self.estimate,
            ("predictive",),
            self.smoothing,
            self.priors,
            self.parameter_prior,
            self.__dataclass_fields__,
        )

    def _settings(self) -> tuple[Text, ...]:
        return (word("smoothing {number}", number=self.smoothing),)

    def _unseen(self) -> str:
        return IGNORE_ALOUD if self.unseen == "prior" and self.smoothing == 0 else self.unseen

    def __sklearn_tags__(self) -> Tags:
        tags = say_what_is_taken(super().__sklearn_tags__(), self.kinds)
        if tags.input_tags.sparse:  # as scikit-learn's MultinomialNB says of itself
            tags.classifier_tags.poor_score = True
        return tags


def categories_of(summary: Summary, kinds: Kinds, numbers: Iterable[str] = ()) -> frozenset[str]:
    """Integers of few values that are taken for categories: those declared so, or of which nothing else is said."""
    tallied = summary.schema.tallied  # no others are in doubt
    declared = {name: kind for name, kind in by_column(kinds, tallied).items() if name in tallied}
    named = {name for name, kind in declared.items() if read_kind(name, kind)[0] == CATEGORICAL}
    return (likely_categories(summary) - {*declared, *numbers}) | named


def with_smoothing(amount: float) -> Change:
    return lambda best: best | {"smoothing": amount}


def kinds_for(table: Table, name: str) -> list[str]:
    """What else than by default a column of numbers can be, by its cells."""
    cells = table.numbers([name], slice(0, table.rows))[:, 0]
    cells = cells[~np.isnan(cells)]
    able: list[str] = [Chosen(kind) for kind in CANDIDATES if KINDS[kind].allows().holds(cells)]
    categories = come_back(len(np.unique(cells)), len(cells)) and (cells % 1 == 0).all()
    return [Chosen(GAUSSIAN), *able] if categories else able
