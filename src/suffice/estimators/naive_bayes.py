"""Naive Bayes over any mix of columns: the product of one family for each kind of column."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.utils import Tags

from suffice.data.planning import Kinds
from suffice.estimators.face import say_what_is_taken
from suffice.estimators.generative import GenerativeClassifier
from suffice.learn.densities import Densities
from suffice.learn.naive_bayes import NaiveBayesParameters, NaiveBayesRecipe
from suffice.model.given import joint_of_tables


@dataclass(eq=False, repr=False)
class NaiveBayes(NaiveBayesParameters, GenerativeClassifier):
    """Naive Bayes: columns are independent of each other given the class, and each is of its own kind.

    Parameters
    ----------
    kinds : None, str or dict
        Kinds of columns by name, or one kind for all: "gaussian", "log-gaussian" (Gaussian after ln), "logit-gaussian"
        (shares, Gaussian after logit), "categorical", ("categorical", [all its values]), "binary", ("binomial", n),
        ("negative-binomial", r) (failures before r successes), "poisson", "exponential", ("gamma", shape),
        "inverse-gaussian" (waits for a drifting walk), ("von-mises", κ) (angles in radians), ("von-mises-degrees", κ),
        "counts", "ignore", and "auto", which picks the kind that predicts best. Columns not named go by their type:
        text, categories and booleans are categorical, and numbers are Gaussian, except for whole numbers with at most
        ten values that repeat, which are categorical.
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

    RECIPE: ClassVar[type[NaiveBayesRecipe]] = NaiveBayesRecipe

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
        found = joint_of_tables(tables, Densities.NOUN, Densities.SHARE, kinds, joint)
        together = [block.names for block in found.schema.blocks if block.crosswise]
        face = cls(kinds=kinds, joint=together, smoothing=0.0, unseen=unseen)
        return face.hold(face.recipe().given(found))

    def __sklearn_tags__(self) -> Tags:
        tags = say_what_is_taken(super().__sklearn_tags__(), self.kinds)
        if tags.input_tags.sparse:  # as scikit-learn's MultinomialNB says of itself
            tags.classifier_tags.poor_score = True
        return tags
