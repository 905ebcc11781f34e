"""Stage 5, what all classifiers that are densities share with scikit-learn: fit, partial_fit, predict and their kin.

In:  the user's table and labels, in any form that stage 1 reads.
Out: answers in scikit-learn's manner, from the model that the classifier's recipe learns.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from suffice.arrays import Array, Values
from suffice.data.batches import IntoRows, named_apart
from suffice.data.labelled import Classes
from suffice.data.labels import IntoLabels, known_labels
from suffice.data.levels import Level, array_of
from suffice.data.planning import Kinds
from suffice.data.source import Source
from suffice.data.table import IntoTable
from suffice.data.weights import Weights, row_weights
from suffice.errors import ParameterError, UnknownParameterError
from suffice.estimators.accuracy import Scored
from suffice.estimators.batchwise import batchwise
from suffice.estimators.density_face import DensityFace
from suffice.judge.comparison import Comparison
from suffice.judge.tuning import settings_for
from suffice.learn.densities import Densities
from suffice.learn.em import where_now, with_own_em
from suffice.learn.generative import Generative
from suffice.learn.model import Settings
from suffice.model.criteria import Criteria
from suffice.model.joint import Joint
from suffice.model.summary import Summary


class GenerativeClassifier(Scored, DensityFace):
    """A prior over classes times a density of the columns given the class."""

    RECIPE: ClassVar[type[Generative]]

    kinds: Kinds
    tuned_: Comparison  # everything that was tried for settings left to the rows

    def recipe(self) -> Generative:
        """The parameters as a value, from which models are learned."""
        found = super().recipe()
        assert isinstance(found, Generative)  # as RECIPE says
        return found

    def set_params(self, **given: Any) -> Self:
        """Change parameters, or by `em__…` settings of EM, in a copy: an EM that somebody holds stays as it is."""
        own = self.get_params(deep=False)
        if "em" in own:
            for name in given:
                if instead := where_now(name):
                    raise UnknownParameterError(f"{type(self).__name__} has no parameter {name!r}. {instead}")
            given = with_own_em(given, own["em"])
        changed: Self = super().set_params(**given)
        return changed

    # learning

    def fit(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None, classes: Classes = None) -> Self:
        """Learn from these rows alone.

        `y` holds the class of each row and `sample_weight` how often the row counts. Either may be the name of a
        column of X, which is then not used as a feature. `classes` lists every possible class, in case some have
        no rows.

        Raises
        ------
        TableError
            If the rows cannot be read as a table, or there is not one label for each.
        KindError
            If a column holds cells that its kind does not allow.
        ParameterError
            If a setting is not known, or does not fit the rows or another setting.
        SingularError
            If the rows do not determine a variance that `estimate` asks for.

        """
        return self.fit_source(Source.of(X, y, sample_weight, classes, kinds=self.kinds))

    def fit_source(self, source: Source) -> Self:
        """Learn from rows that may have been read already; what is "auto" is chosen by rows left out."""
        self.start_anew()
        recipe, tried = self.recipe(), None
        if recipe.open:
            chosen, tried = settings_for(self, recipe.open, source)
            recipe = recipe.but(chosen)
        recipe.check()
        found = replace(recipe.learn_of(source), declared=None if source.classes is None else tuple(source.classes))
        found.joint  # noqa: B018 # parameters that cannot be estimated are an error now
        self.hold(found)
        self.__dict__.pop("tuned_", None)
        if tried is not None:
            self.tuned_ = tried
        self._asked()  # which tells of the estimate
        return self

    def partial_fit(self, X: IntoRows, y: IntoLabels, classes: Classes = None, sample_weight: Weights = None) -> Self:
        """Learn from more rows, given as for `fit`. Parameters are worked out when they are first needed.

        Raises
        ------
        HiddenLabelsError
            If the class of some row is not known; `fit` can learn from such rows.
        GivenParametersError
            If the parameters were given, not learned from rows.

        """
        before, recipe = self.fitted, self.settled()
        assert isinstance(recipe, Generative)  # as RECIPE says
        if isinstance(before, Densities):
            source = Source.of(X, y, sample_weight, classes, before.schema, self.kinds)
            return self.hold(recipe.more(before, source))
        return self.hold(recipe.first_of(Source.of(X, y, sample_weight, classes, None, self.kinds)))

    @classmethod
    def from_summary(cls, summary: Summary, **parameters: Any) -> Self:
        """The model that `fit` would give for the rows behind a summary; takes the parameters of the constructor.

        Raises
        ------
        ParameterError
            If `summary` is not what `collect` gives.
        HiddenLabelsError
            If a class has several components, or labels may be wrong; `fit` can learn that.

        """
        if not isinstance(summary, Summary):
            raise ParameterError(f"from_summary takes what collect() gives; found {type(summary).__name__}. Use fit.")
        model = cls(**parameters)
        recipe = model.settled()
        assert isinstance(recipe, Generative)  # as RECIPE says
        model.hold(recipe.of_summary(summary)).joint_  # noqa: B018 # parameters that cannot be estimated are an error now
        return model

    # answers

    @batchwise
    def log_joint(self, X: IntoTable) -> Array:
        """Ln p(row, class) as (N, K), the quantity that Bayes' rule starts from."""
        model = self._asked()
        return model.log_joint(model.table(X))

    @batchwise
    def log_density(self, X: IntoTable) -> Array:
        """Ln p(row | class) as (N, K), in the order of classes_."""
        model = self._asked()
        return model.log_density(model.table(X))

    @batchwise
    def decision_function(self, X: IntoTable) -> Array:
        """Log odds ln P(second | row) − ln P(first | row), (N,); of more than two classes ln p(row, class), (N, K).

        Always finite: values beyond ±1e100 are clipped, and a row that no class can have produced gets the priors.
        """
        model = self._asked()
        return model.scores(model.table(X))

    def log_likelihood(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """The log likelihood of labelled rows, Σ ln p(row, its class); rows are given as for `fit`."""
        return self._criteria(self._asked().joint, X, y, sample_weight).log_likelihood

    def bic(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Bayes' information criterion, −2 ln p(rows, classes) + parameters · ln N; smaller is better."""
        return self._criteria(self._asked().counted, X, y, sample_weight).bic

    def aic(self, X: IntoRows, y: IntoLabels, sample_weight: Weights = None) -> float:
        """Akaike's criterion, −2 ln p(rows, classes) + 2 · parameters; smaller is better."""
        return self._criteria(self._asked().counted, X, y, sample_weight).aic

    def _criteria(self, joint: Joint, X: IntoRows, y: IntoLabels, sample_weight: Weights) -> Criteria:
        model = self._asked()
        X, y, sample_weight = named_apart(X, y, sample_weight)
        logs = joint.log_joint(model.table(X), model.recipe.unseen_as())
        codes, found = known_labels(y, len(logs), model.recipe.unknown)
        places = np.array([joint.position(name) for name in found], dtype=np.intp)
        weights, own = row_weights(sample_weight, len(logs)), logs[np.arange(len(logs)), places[codes]]
        log_likelihood = float(weights @ own) if np.isfinite(own).all() else -np.inf
        return Criteria(log_likelihood, joint.parameters, float(weights.sum()))

    @batchwise
    def score_samples(self, X: IntoTable) -> Array:
        """Ln p(row), summed over all classes."""
        model = self._asked()
        return model.log_rows(model.table(X))

    @batchwise
    def predict_log_proba(self, X: IntoTable) -> Array:
        """Ln P(class | row) as (N, K), in the order of classes_."""
        model = self._asked()
        return model.log_posterior(model.table(X))

    @batchwise
    def predict_proba(self, X: IntoTable) -> Array:
        """P(class | row) as (N, K), in the order of classes_.

        Raises
        ------
        TableError
            If the rows cannot be read, or lack a column of the model.
        UnseenCategoryError
            If a category is new, and the model was made with unseen="error".
        NotFittedError
            If the model has not been fitted.

        """
        model = self._asked()
        return model.posterior(model.table(X))

    @batchwise
    def predict(self, X: IntoTable) -> Values:
        """The most probable class of each row; ties go to the class that comes first in classes_."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def _means_unknown(self) -> Level | None:
        return self._asked().recipe.unknown

    # what was learned

    @property
    def classes_(self) -> Values:
        """The classes, in the order of every answer."""
        check_is_fitted(self)
        return array_of(self.model_.classes)

    @property
    def priors_(self) -> Array:
        """Class probabilities in use, in the order of classes_."""
        return self._asked().shares

    @property
    def settings_(self) -> Settings:
        """The parameters that may be "auto", as they were given or chosen in fitting."""
        recipe: Any = self._asked().recipe
        found: Settings = recipe.settings
        return found

    @property
    def unlabelled_weight_(self) -> float:
        """The weight that each row without a label counted with, if there were such rows."""
        check_is_fitted(self)
        if self.model_.unlabelled_weight is None:
            raise AttributeError("Every row had a label, so there is no unlabelled_weight_.")
        return self.model_.unlabelled_weight

    @property
    def n_iter_(self) -> int:
        """The number of EM steps; 1 where nothing was hidden."""
        model = self._asked()
        if model.trace is None and model.found is not None:
            raise AttributeError(
                "There is no number of EM steps: given parameters need none, and files of the first format do not say."
            )
        return 1 if model.trace is None else len(model.trace.objective)

    @property
    def confusion_(self) -> Array:
        """P(label | class), labels down and classes across, for models with em=EM(label_noise=…)."""
        found = self._asked().found
        if found is None or found.confusion is None:
            raise AttributeError(
                "There is no confusion_: this model assumes that labels are never wrong (em=EM(label_noise=None))."
            )
        return found.confusion

    @property
    def estimate_(self) -> str:
        """The estimate that the model uses."""
        return self._asked().joint.estimate

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
