"""Mixtures: any family or mix of families for rows that nobody has labelled."""

from dataclasses import dataclass
from typing import Any, Self

from suffice.data.kinds import CATEGORICAL
from suffice.estimators.discriminants import gaussian
from suffice.estimators.unlabelled import Unlabelled
from suffice.families.gaussian.family import Gaussian
from suffice.model.given_gaussians import read_gaussians


@dataclass(eq=False, repr=False)
class Mixture(Unlabelled):
    """A mixture of components that nobody has labelled.

    Parameters
    ----------
    components : int
    shape : "full", "diagonal" or "spherical"
        Of the covariance of the numeric columns.
    shared : bool
        One covariance for all components, or one for each.
    kinds : None, str or dict
        As for NaiveBayes; columns of other kinds than numbers are independent given the component.
    start : "kmeans", "random", labels, memberships, a model or its tables
        Rows far apart as first members, shares drawn at random, a component 0 … K − 1 for each row, (N, K) shares, or
        parameters: a fitted model, one made by from_tables or from_parameters, or what `tables()` gives.
    restarts : int
        Runs, of which the best is kept; more are never worse. The first is from its start. Others, on small tables,
        are from the best of a dozen candidates after a few steps: some drawn anew, most like the best run so far with
        one component put elsewhere; on large tables, or where components share a covariance or have no prior, runs are
        short and those ahead are continued. A start that is given has one run.
    parameter_prior : "weak", "flat" or dict
        "weak" keeps components from collapsing, "flat" is maximum likelihood; {column: belief} for single columns.
    tol : float
        Nats per row that a step must gain to go on.
    max_iter : int
    smoothing : float
        Rows added to every cell of a table of counts, as in NaiveBayes.
    warm_start : bool
        Begin where the last fit ended.
    random_state : int
    intervals : None, "information", "scores", "bootstrap" or ("bootstrap", draws)
        What `tables(level=…)`, `predict_interval` and `standard_errors` are to rest on, worked out at the end of fit:
        the observed information (Louis), outer products of scores, or EM again on rows drawn from the rows.

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

    shape: str = "full"
    shared: bool = False

    def _gaussian(self) -> Gaussian:
        return gaussian(self.shape, self.shared, 0.0, 0.0)

    @classmethod
    def from_parameters(cls, means: Any, covariances: Any, weights: Any = None, columns: Any = None) -> Self:
        """A mixture of Gaussians of given parameters, as for GaussianDiscriminant.from_parameters; weights are even
        unless given.
        """
        found = read_gaussians(means, covariances, columns)
        form = {"shape": found.density.shape.name, "shared": len(found.density.covariance) < len(found.names)}
        return cls._holding(found.joint(weights, "weights"), form)


@dataclass(eq=False, repr=False)
class LatentClass(Unlabelled):
    """Latent classes: a mixture of categorical columns, independent given the class.

    Its parameters are those of Mixture; columns are categories unless `kinds` says otherwise.

    >>> from suffice import LatentClass
    >>> answers = {"a": ["y", "y", "y", "n", "n", "n"], "b": ["y", "y", "y", "n", "n", "n"]}
    >>> found = LatentClass(2).fit(answers).predict(answers)
    >>> bool(found[0] == found[2] != found[3] == found[5])
    True
    """

    components: int = 2
    kinds: Any = CATEGORICAL

    def _gaussian(self) -> Gaussian:
        return gaussian("diagonal", False, 0.0, 0.0)
