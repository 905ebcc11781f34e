"""Models by the names of the command line, and the choice among them where none is named.

In:  a name, kinds and other settings.
Out: a model; for "auto" the best over the same folds: by log loss, or by what answers cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from suffice.cli.output import Refused
from suffice.cli.tables import classes_of
from suffice.estimators.registry import BY_COMMAND

if TYPE_CHECKING:
    import pyarrow as pa

    from suffice.data.levels import Level
    from suffice.decisions.loss import Loss
    from suffice.estimators.named import Named
    from suffice.judge.comparison import Comparison
    from suffice.judge.validation import Validation
    from suffice.judge.validation_in_batches import BatchedValidation
    from suffice.learn.model import Settings

AUTO = "auto"
LOG_LOSS, ACCURACY = "log-loss", "accuracy"
FOLDS = 10


@dataclass(frozen=True)
class Chosen:
    """A fitted model by its name, and how it was chosen where that was left to the rows."""

    name: str
    model: "Named"
    comparison: "Comparison | None" = None
    by: str = LOG_LOSS

    @property
    def reason(self) -> str:
        """Why this one, in a sentence."""
        if self.comparison is None:
            return ""
        best, least = self.comparison.best, self.comparison.least
        others = [trial.name for trial in self.comparison.trials if trial.validation is not None and trial is not best]
        rank = "highest" if self.by == ACCURACY else "lowest"
        why = f"the {rank} of {len(others) + 1} tried" + (f"; {others[0]} comes next" if others else "")
        if best is not least:
            why = f"within two standard errors of {least.name}, which is less plain; {len(others) + 1} were tried"
        expected = "less" if self.by == ACCURACY else "more"
        return (
            f"{self.name}: {self._score(best.validation)} over {FOLDS} folds, {why}. It was chosen among several, so "
            f"expect a little {expected} on new rows."
        )

    def _score(self, found: "Validation | BatchedValidation | None") -> str:
        assert found is not None  # as of whatever is the best
        if self.by == LOG_LOSS:
            return f"log loss {float(found.log_loss):.4g}"
        if self.by == ACCURACY:
            return f"accuracy {float(found.accuracy):.4g}"
        return f"mean cost {float(found.mean_loss):.4g}"


def named(name: str, settings: "Settings") -> "Named":
    """A model with those of the settings that are given; one that it does not have is an error of usage."""
    if name not in BY_COMMAND:
        raise Refused(f"there is no model {name!r}; the models are {', '.join(BY_COMMAND)}")
    entry = BY_COMMAND[name]
    kind = entry.model
    given = _given(settings)
    unknown = [key for key in given if key not in kind().get_params()]
    if unknown:
        options = ", ".join(f"--{key.replace('_', '-')}" for key in unknown)
        raise Refused(f"{name} does not take {options}")
    model: Named = kind(**entry.posteriors, **given)  # all commands ask for posteriors
    return model


def chosen(
    name: str, table: "pa.Table", label: str, settings: "Settings", weight: str | None, by: str = LOG_LOSS
) -> Chosen:
    """The model of that name, or the best of several by the same folds, fitted."""
    if name != AUTO:
        return Chosen(name, named(name, settings).fit(table, label, sample_weight=weight))
    from suffice import auto

    given, loss = _given(settings), judged_by(by, classes_of(table, label))
    comparison = auto(table, label, sample_weight=weight, loss=loss, **given)
    return Chosen(comparison.best.name, comparison.best.model, comparison, by)


def judged_by(by: str, classes: "Sequence[Level]") -> "Loss | None":
    """What answers cost; None where log loss is the judge."""
    from suffice import Loss
    from suffice.cli.deciding import read_costs

    if by == LOG_LOSS:
        return None
    return Loss.zero_one(classes) if by == ACCURACY else read_costs(by, None, classes)


def _given(settings: "Settings") -> "Settings":
    return {key: value for key, value in settings.items() if value is not None}
