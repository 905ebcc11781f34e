"""What classifiers and mixtures share that are densities: parameters by name, filling cells, drawing rows, intervals.

In:  a face that has learned Densities.
Out: what users ask of the densities, under the names that people know.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.beliefs.intervals import checked as checked_level
from suffice.data.table import IntoTable
from suffice.estimators.face import Face
from suffice.estimators.in_sql import InSql
from suffice.learn.densities import Densities
from suffice.learn.face import tell_estimate
from suffice.model.em.search import Trace
from suffice.model.joint import Joint
from suffice.model.summary import Summary
from suffice.options import Seed, generator, whole

DRAWS = "draws must be the number of parameter sets to draw, from 1 to 1,000,000,000"


class DensityFace(Face, InSql):
    model_: Densities

    def _asked(self) -> Densities:
        """Return the model that was learned, and tell which estimate is used if the rows have decided that."""
        super()._asked()
        if self.model_.found is None and self.model_.joint.doubt:
            tell_estimate(self.model_.joint, self.told)
        return self.model_

    # what it has learned, under the names that people know

    @property
    def joint_(self) -> Joint:
        """The joint model itself: fitted from summary_, found by EM, or given."""
        return self._asked().joint

    @property
    def summary_(self) -> Summary:
        """The statistics of the rows that it follows from."""
        check_is_fitted(self)
        if self.model_.summary is None:
            raise AttributeError(
                f"The parameters of this {type(self).__name__} were given: there is no summary_ of rows."
            )
        return self.model_.summary

    @property
    def trace_(self) -> Trace | None:
        """The worth of each step of EM, or None if nothing was hidden."""
        check_is_fitted(self)
        return self.model_.trace

    @property
    def start_rows_(self) -> int:
        """The number of rows from which EM over batches began."""
        check_is_fitted(self)
        if self.model_.start_rows is None:
            raise AttributeError("EM did not go over batches of rows, so there is no start_rows_.")
        return self.model_.start_rows

    @property
    def means_(self) -> Array:
        """The means of the classes or components, (K, D), over the Gaussian columns modelled."""
        return self._asked().gaussians()[0]

    @property
    def covariances_(self) -> Array:
        """The covariances of the classes or components, (K, D, D), over the Gaussian columns modelled."""
        return self._asked().gaussians()[1]

    @property
    def class_count_(self) -> Array:
        """The weight of the rows in each class or component, (K,)."""
        check_is_fitted(self)
        return self.model_.rows.statistics.weight

    @property
    def cell_counts_(self) -> dict[str, dict[str, Array]]:
        """The weight of the rows of each class with each value of a counted column: {column: {value: (K,)}}."""
        check_is_fitted(self)
        return self.model_.rows.moments().cells

    # what all do with it

    def impute(self, X: IntoTable, draw: bool = False, random_state: Seed = None) -> Any:
        """The table with its missing cells filled in from the cells that are there, over all classes or components.

        A number becomes its conditional mean and a category the most probable one; or each is drawn from its
        conditional distribution.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.

        """
        model = self._asked()
        return model.imputed(model.table(X), draw, random_state)

    def sample(self, n: int = 1, random_state: Seed = None) -> tuple[Any, Values]:
        """Draw rows from the model: first a class or component, then its cells. Gives the rows and their classes.

        Rows come in the form of the table fitted on; columns that the model left out are missing.

        Raises
        ------
        ParameterError
            If `n` is below 0.

        """
        model, rng = self._asked(), generator(random_state)
        rows, which = model.drawn(whole(n, "n must be the number of rows to draw, 0 or more", least=0), rng)
        return rows, model.called(which)

    @abstractmethod
    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) or P(component | row), as (N, K)."""

    # how sure it is

    def predict_interval(
        self, X: IntoTable, level: float = 0.95, draws: int = 1000, random_state: Seed = 0
    ) -> tuple[Array, Array]:
        """Intervals for what predict_proba gives: lower and upper ends, each (N, K).

        Parameters are drawn from what the rows and the priors leave uncertain about them, around the estimate in use.
        Each draw gives posteriors; the interval covers the middle `level` of those, and the value of predict_proba.
        Models found by EM have intervals if they are made with intervals="information" (or "scores", "bootstrap"),
        classifiers with em=EM(intervals="information").

        Raises
        ------
        ParameterError
            If `level` is not between 0 and 1, or `draws` is not 1 or more.
        HiddenLabelsError
            If the parameters were found by EM, and the model was made without `intervals`.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        model, level, draws = self._asked(), checked_level(level), whole(draws, DRAWS, most=10**9)
        model.uncertain()  # or an error, before rows are read
        table, point = model.table(X), self.predict_proba(X)
        low, high = model.posterior_intervals(table, level, draws, random_state)
        return np.fmin(low, point), np.fmax(high, point)

    def tables(self, level: float | None = None) -> dict[str, Any]:
        """The parameters as tables, with a row for each class or component.

        They come in the frame library of the table fitted on, or as dicts of arrays. With a `level`, such as 0.95,
        there are also the ends of an interval, "… low" and "… high": credible intervals where the posterior of a
        parameter has a closed form, or those that `intervals` asks for where EM found the parameters.
        """
        return self._asked().tables(None if level is None else checked_level(level))

    def standard_errors(self) -> dict[str, Any]:
        """The standard errors of the parameters, as tables like those of `tables`.

        Raises
        ------
        HiddenLabelsError
            If the parameters were found by EM, and the model was made without `intervals`.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        return self._asked().standard_errors()
