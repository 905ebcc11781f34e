"""Naive Bayes over any mix of columns: the product of one family for each kind of column."""

from collections.abc import Sequence
from typing import Any

from suffice.data.blocks import IGNORE_ALOUD, UNSEEN_POLICIES
from suffice.data.schema import COUNTS, Schema, listed, plan
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.estimators.base import GenerativeClassifier, left_out
from suffice.model.design import Design
from suffice.model.fit import Rules
from suffice.model.summary import Summary


class NaiveBayes(GenerativeClassifier):
    """Columns independent of each other given the class, each of its own kind.

    Parameters
    ----------
    kinds : None, str or dict
        Kinds of columns by name, or one kind for all: "gaussian", "categorical", "binary", ("binomial", n), "poisson",
        "exponential", "counts", "ignore". Columns not named go by their type: text, categories and booleans are
        categorical, numbers Gaussian.
    joint : list of lists of names
        Columns modelled together by one full Gaussian.
    counts : list of lists of names
        Columns that form one multinomial row.
    smoothing : float
        λ, rows added to every cell of a table of counts (categorical, binary, binomial, counts). 1 is Laplace's rule,
        0 maximum likelihood. It holds whatever `estimate` says.
    estimate : "auto", "ml", "unbiased", "map", "mean" or "predictive"
        How the parameters of the other columns follow from the rows. "unbiased" divides variances by N − 1, "ml" by N;
        both use no prior. "auto" is "map".
    priors : None, "uniform", "smoothed", array or dict
        Class probabilities: as in the rows, even, (N_k + λ)/(N + Kλ), or given.
    parameter_prior : "flat", "reference", "weak" or dict
        What is believed about parameters beforehand; {column: belief} for single columns, overriding smoothing there,
        or {column: {class: belief}}.
    unseen : "prior", "ignore" or "error"
        A category never seen in fitting gets its smoothed mass λ/(N + (S + 1)λ), which speaks for rare classes; is
        ignored as if missing; or is an error.

    Examples
    --------
    >>> from suffice import NaiveBayes
    >>> table = {"sky": ["clear", "grey", "grey", None], "wind": [3.0, 8.0, 9.0, 2.0]}
    >>> model = NaiveBayes().fit(table, ["go", "stay", "stay", "go"])
    >>> model.predict({"sky": ["clear"], "wind": [4.0]}).tolist()
    ['go']

    """

    def __init__(
        self,
        kinds: Any = None,
        joint: Sequence[Sequence[str]] = (),
        counts: Sequence[Sequence[str]] = (),
        smoothing: float = 1.0,
        estimate: str = "auto",
        priors: Any = None,
        parameter_prior: Any = "weak",
        unseen: str = "prior",
    ) -> None:
        self.kinds = kinds
        self.joint = joint
        self.counts = counts
        self.smoothing = smoothing
        self.estimate = estimate
        self.priors = priors
        self.parameter_prior = parameter_prior
        self.unseen = unseen

    def _plan(self, table: Table) -> Schema:
        return plan(table, self.kinds, self.joint or (), self.counts or ())

    def _design(self, summary: Summary) -> Design:
        kept = [frozenset(block.names) for block in summary.schema.blocks if block.kind == COUNTS]
        for group in self.counts or ():
            if frozenset(group) not in kept:
                raise ParameterError(f"This summary has no row of counts {listed(list(group))}. Collect it so.")
        return Design(joint=self.joint or (), left_out=left_out(self.kinds, summary))

    def _rules(self) -> Rules:
        if self.unseen not in UNSEEN_POLICIES:
            raise ParameterError(f"unseen={self.unseen!r} is not known; use one of {', '.join(UNSEEN_POLICIES)}.")
        return Rules(self.estimate, "map", self.smoothing, self.priors, self.parameter_prior)

    def _settings(self) -> tuple[str, ...]:
        return (f"smoothing {self.smoothing:g}",)

    def _unseen(self) -> str:
        return IGNORE_ALOUD if self.unseen == "prior" and self.smoothing == 0 else self.unseen

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        if self.kinds == "counts":  # as scikit-learn's MultinomialNB says of itself
            tags.input_tags.sparse = tags.input_tags.positive_only = tags.classifier_tags.poor_score = True
            tags.input_tags.allow_nan = False
        return tags
