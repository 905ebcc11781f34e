"""Settings left to the rows: "auto" is chosen by exact leave-one-out when a model is fitted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.estimators.comparison import tuned
from suffice.estimators.tables import TableEstimator
from suffice.estimators.validation import Examination, Source

Change = Callable[[dict[str, Any]], dict[str, Any]]  # settings so far → settings to try


class Tunable(TableEstimator):
    """An estimator some of whose parameters may be "auto"."""

    TUNABLE: tuple[str, ...] = ()  # parameters that may be "auto", and that tune() varies

    def _stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """What to try: in each stage, changes to the best settings so far."""
        raise NotImplementedError

    def _plainest(self, names: Sequence[str]) -> dict[str, Any]:
        """Where tuning begins: the settings, "auto" ones as if they had not been given."""
        defaults = type(self)().get_params(deep=False)
        given = {name: getattr(self, name) for name in names}
        return {name: defaults[name] if _auto(value) else value for name, value in given.items()}

    def _tuned(self, source: Source) -> Self:
        """With what is "auto" chosen by exact leave-one-out, and everything that was tried in tuned_."""
        names = self._unsettled()
        self.__dict__.pop("tuned_", None)
        if not names:
            return self._noted({})
        self.tuned_ = tuned(self, names, Examination(source))
        return self._noted({name: getattr(self.tuned_.best.model, name) for name in names})

    def _settled(self) -> Self:
        """With what is "auto" as it was chosen before."""
        return self._noted({name: self._setting(name) for name in self._unsettled()})

    def _unsettled(self) -> list[str]:
        return [name for name in self.TUNABLE if _auto(getattr(self, name))]

    def _setting(self, name: str) -> Any:
        """A parameter, as given or as chosen."""
        value = getattr(self, name)
        if not _auto(value):
            return value
        if "_as_fitted" not in vars(self):
            raise ParameterError(f"{name}='auto' is chosen by fit(X, y), which sees the rows one by one.")
        return getattr(self._as_fitted, name)


def _auto(value: Any) -> bool:
    """Whether a parameter, or a part of it, is left to the rows."""
    return (isinstance(value, str) and value == "auto") or (
        isinstance(value, Mapping) and any(map(_auto, value.values()))
    )
