"""What tests of EM share: problems of every kind, and parameters in one form."""

import warnings

import numpy as np

from suffice import Mixture
from suffice.errors import NotConvergedWarning

SIX = [(shape, shared) for shape in ("full", "diagonal", "spherical") for shared in (False, True)]


def unsettled(model, X, **options):
    """Fit for as many steps as max_iter says, settled or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(X, **options)


def steps(X, number, **settings):
    """A mixture by maximum likelihood after that many M steps."""
    return unsettled(Mixture(parameter_prior="flat", tol=1e-300, max_iter=number, **settings), X)


def moments(model):
    """Means (K, D) and covariances (K, D, D) of a model of numbers only, whatever its shape."""
    (part,) = model.joint_.density.parts
    components, columns = part.mean.shape
    if part.covariance.ndim == 3:
        covariance = part.covariance
    else:
        covariance = part.shape.diagonal(part.covariance, columns)[:, :, None] * np.eye(columns)
    return part.mean, np.broadcast_to(covariance, (components, columns, columns))


def clumps(rows=120, columns=2, components=2, apart=4.0, seed=0):
    """Rows around centres that lie apart, each with a spread of its own, and where each is from."""
    rng = np.random.default_rng(seed)
    which = np.arange(rows) % components
    roots = rng.normal(scale=0.4, size=(components, columns, columns)) + np.eye(columns)
    centres = apart * np.arange(components)[:, None] * np.where(np.arange(columns) % 2, -1.0, 1.0)
    return centres[which] + np.einsum("nij,nj->ni", roots[which], rng.normal(size=(rows, columns))), which


def holed(X, share=0.2, seed=1):
    """The rows with cells missing here and there, but never all of a row."""
    rng = np.random.default_rng(seed)
    gone = rng.random(X.shape) < share
    gone[np.arange(len(X)), rng.integers(0, X.shape[1], len(X))] = False
    return np.where(gone, np.nan, X)


def shares(rows, components, seed=2):
    """Memberships drawn at random."""
    return np.random.default_rng(seed).dirichlet(np.ones(components), rows)
