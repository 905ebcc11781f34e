"""Mixtures: any family or mix of families for rows that nobody has labelled."""

from dataclasses import dataclass
from typing import Any, Self

from suffice.estimators.unlabelled import Unlabelled
from suffice.learn.mixture import LatentClassParameters, LatentClassRecipe, MixtureParameters, MixtureRecipe
from suffice.model.given_gaussians import read_gaussians


@dataclass(eq=False, repr=False)
class Mixture(MixtureParameters, Unlabelled):
    """A mixture model: groups of rows that nobody has labelled, found by EM.

    Parameters
    ----------
    components : int
        How many groups.
    shape : "full", "diagonal" or "spherical"
        The shape of the covariance of the numeric columns.
    shared : bool
        Whether all components share one covariance, or each has its own.
    kinds : None, str or dict
        As for NaiveBayes; columns that are not Gaussian are independent given the component.
    start : "kmeans", "random", labels, memberships, a model or its tables
        Where EM starts: from rows far apart as first members, from memberships drawn at random, from a component
        0 … K − 1 for each row, from (N, K) memberships, or from parameters: a fitted model, one made by from_tables or
        from_parameters, or what `tables()` gives.
    restarts : int
        The number of runs, of which the best is kept; more runs are never worse in what EM raises, log likelihood and
        log prior together (`trace_.objective`; the likelihood alone may fall). The first begins at `start`. On small
        tables, each other run begins at the best of a dozen candidates after a few steps: some are drawn anew, most are
        the best run so far with one component put elsewhere. On large tables, or if components share a covariance or
        have no prior, all runs are short and only those ahead are continued. A start given by you has a single run.
    parameter_prior : "weak", "flat" or dict
        "weak" keeps components from collapsing, "flat" is maximum likelihood; {column: belief} for single columns.
    tol : float
        EM goes on as long as a step gains at least this many nats per row.
    max_iter : int
    smoothing : float
        The number of rows added to every cell of a table of counts, as in NaiveBayes.
    warm_start : bool
        Whether to begin where the last fit ended.
    random_state : int
    intervals : None, "information", "scores", "bootstrap" or ("bootstrap", draws)
        What `tables(level=…)`, `predict_interval` and `standard_errors` are based on, worked out at the end of fit:
        the observed information (Louis), outer products of scores, or EM run again on resampled rows.

    After `fit`: `weights_`, `tables()`, `trace_` (log likelihood, bound, KL gap, objective of every step), `predict`,
    `predict_proba`, `predict_interval`, `standard_errors`, `score_samples`, `sample`, `impute`, `bic`, `aic`, `icl`,
    `relabelled`, `matched`, `save`.


    Examples
    --------
    >>> from suffice import Mixture
    >>> x = [[1.0], [1.2], [0.9], [5.0], [5.2], [4.9]]
    >>> model = Mixture(2).fit(x)
    >>> sorted(model.means_.ravel().round(1).tolist())
    [1.0, 5.0]

    """

    RECIPE = MixtureRecipe

    @classmethod
    def from_parameters(cls, means: Any, covariances: Any, weights: Any = None, columns: Any = None) -> Self:
        """A mixture of Gaussians with given parameters, as for GaussianDiscriminant.from_parameters.

        All weights are equal unless given.

        Raises
        ------
        ParameterError
            If a covariance is not symmetric with variances above 0, or weights do not sum to 1.

        """
        found = read_gaussians(means, covariances, columns)
        form = {"shape": found.density.shape.name, "shared": len(found.density.covariance) < len(found.names)}
        return cls._holding(found.joint(weights, "weights"), form)


@dataclass(eq=False, repr=False)
class LatentClass(LatentClassParameters, Unlabelled):
    """Latent classes: a mixture of categorical columns, independent given the class.

    It takes the parameters of Mixture; columns are categories unless `kinds` says otherwise.

    >>> from suffice import LatentClass
    >>> answers = {"a": ["y", "y", "y", "n", "n", "n"], "b": ["y", "y", "y", "n", "n", "n"]}
    >>> found = LatentClass(2).fit(answers).predict(answers)
    >>> bool(found[0] == found[2] != found[3] == found[5])
    True
    """

    RECIPE = LatentClassRecipe
