"""What every model whose scores have a formula can do in a database: score a table there, by one SQL text.

In:  a model that says its Scoring.
Out: the text, which `engines.scoring` writes.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from suffice.data.levels import Levels
from suffice.decisions.loss import IntoLoss, Loss
from suffice.engines.scoring.answers import ACTION, ANSWERS, OUTPUTS, Answer, action, written
from suffice.engines.scoring.dialects import DIALECTS
from suffice.errors import LossError, ParameterError
from suffice.learn.model import Model
from suffice.options import one_of

TABLE = "table must be the name of a table, or (schema, name)"
KEY = "key must be the name of the column that identifies rows, or a list of such names"


class InSql(ABC):
    @abstractmethod
    def _asked(self) -> Model:
        """Return the model that was learned; raise an error if there is none."""

    def to_sql(
        self,
        dialect: str,
        table: str | Sequence[str],
        key: str | Sequence[str],
        output: str = "proba",
        loss: IntoLoss = None,
        reject: float | None = None,
    ) -> str:
        """A query that scores the rows of a table inside a database: "duckdb", "postgres" or "sqlite".

        It returns the key and, depending on `output`, "proba" (the probability of each class), "log_joint"
        (ln p(row, class)), the "class", or the "action" of least risk under a `loss` or `reject`, with its risk. For a
        row that `predict_proba` would refuse, the answer is NULL. Rows come in no particular order.

        Raises
        ------
        ParameterError
            If the dialect or the output is not known.
        LossError
            If the loss is about other classes, or the output is not an action.
        NoFormulaError
            If a kind that was registered has no formula.

        """
        one_of(output, "output", OUTPUTS)
        if output != ACTION and not (loss is None and reject is None):
            raise LossError(f"loss and reject are only for output='action'; found output={output!r}.")
        chosen, scoring = DIALECTS[one_of(dialect, "dialect", DIALECTS)], self._asked().scoring(output)
        answer = ANSWERS[output] if output != ACTION else self._action(scoring.classes, loss, reject)
        return written(scoring, chosen, _names(table, TABLE), _names(key, KEY), answer)

    def _action(self, classes: Levels, loss: IntoLoss, reject: float | None) -> Answer:
        if loss is not None and reject is not None:
            raise LossError("Give either a loss, in which rejection is an action of its own, or reject, not both.")
        wanted = Loss.zero_one(classes, reject) if loss is None else Loss(loss)
        return action(wanted.actions, wanted.on(classes))


def _names(given: Any, expected: str) -> list[str]:
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{expected}; found {given!r}.")
    return names
