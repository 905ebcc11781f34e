"""What a database answers, beside what Python answers."""

import warnings

import numpy as np

from scoring_cases import KEY, LOSS
from suffice import BayesDecision, Loss, decide

TABLE = 't; "中"'
REJECT = 0.3


def answers(engine, model, columns, output="proba", **options):
    """By row, in the order of the rows."""
    keys = [3 * i for i in range(len(next(iter(columns.values()))))]
    engine.put(TABLE, {**columns, KEY: keys})
    found = {key: row for key, *row in engine.rows(model.to_sql(engine.dialect, TABLE, KEY, output, **options))}
    engine.rows('DROP TABLE "t; ""中"""')
    assert sorted(found) == keys
    return [found[key] for key in keys]


def close(found, wanted, tolerance=1e-9):
    np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=tolerance, atol=tolerance)


def agree(case, engine):
    """Which outputs were compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that are impossible, levels that are ignored
        for output in case.outputs:
            COMPARED[output](engine, case.fitted(), case.rows())
    return list(case.outputs)


def _proba(engine, model, columns):
    close(answers(engine, model, columns), model.predict_proba(columns))


def _log_joint(engine, model, columns):
    asked = model.model_
    wanted = model.log_joint(columns) if hasattr(model, "log_joint") else asked.log_components(asked.table(columns))
    close(answers(engine, model, columns, "log_joint"), wanted)


def _class(engine, model, columns):
    found = [name for (name,) in answers(engine, model, columns, "class")]
    decides = isinstance(model, BayesDecision)  # then it predicts actions
    likely = model.classes_[model.predict_proba(columns).argmax(axis=1)] if decides else model.predict(columns)
    assert found == likely.tolist()


def _action(engine, model, columns):
    if isinstance(model, BayesDecision):
        return _decided(engine, model, columns, model.loss_)
    if not hasattr(model, "classes_"):  # components have no names that a loss could know
        found = [name for name, _ in answers(engine, model, columns, "action")]
        return np.testing.assert_array_equal(found, model.predict(columns))
    _decided(engine, model, columns, Loss(LOSS), loss=LOSS)
    return _decided(engine, model, columns, Loss.zero_one(model.classes_, REJECT), reject=REJECT)


def _decided(engine, model, columns, costs, **options):
    wanted = decide(model.predict_proba(columns), costs, model.classes_)
    actions, risks = zip(*answers(engine, model, columns, "action", **options), strict=True)
    assert list(actions) == wanted.action.tolist()
    close(risks, wanted.risk)


COMPARED = {"proba": _proba, "log_joint": _log_joint, "class": _class, "action": _action}
