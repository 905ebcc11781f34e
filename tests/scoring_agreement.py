"""What a database answers, beside what Python answers."""

import warnings

import numpy as np

from scoring_cases import KEY, LOSS
from suffice import BayesDecision, decide


def answers(engine, model, columns, output, **options):
    """By row, in the order of the rows."""
    rows = len(next(iter(columns.values())))
    keys = [3 * i for i in range(rows)]
    engine.put('t; "中"', {**columns, KEY: keys})
    query = model.to_sql(engine.dialect, 't; "中"', KEY, output, **options)
    found = {row[0]: row[1:] for row in engine.rows(query)}
    engine.rows('DROP TABLE "t; ""中"""')
    assert sorted(found) == keys
    return [found[key] for key in keys]


def close(found, wanted):
    np.testing.assert_allclose(np.array(found, dtype=float), wanted, rtol=1e-9, atol=1e-9)


def log_joint(model, columns):
    return model.log_joint(columns) if hasattr(model, "log_joint") else model._log_components(columns)


def agree(case, engine):
    """Which outputs were compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that are impossible, levels that are ignored
        model, columns = case.fitted(), case.rows()
        for output in case.outputs:
            COMPARED[output](engine, model, columns)
    return list(case.outputs)


def _proba(engine, model, columns):
    close(answers(engine, model, columns, "proba"), model.predict_proba(columns))


def _log_joint(engine, model, columns):
    close(answers(engine, model, columns, "log_joint"), log_joint(model, columns))


def _class(engine, model, columns):
    found = [row[0] for row in answers(engine, model, columns, "class")]
    if isinstance(model, BayesDecision):  # which predicts actions
        wanted = model.classes_[model.predict_proba(columns).argmax(axis=1)]
    else:
        wanted = model.predict(columns)
    assert found == wanted.tolist()


def _action(engine, model, columns):
    if not hasattr(model, "classes_"):  # components have no names that a loss could know
        return
    own = isinstance(model, BayesDecision)
    decided = model.decide(columns) if own else decide(model.predict_proba(columns), LOSS, model.classes_)
    found = answers(engine, model, columns, "action", **({} if own else {"loss": LOSS}))
    assert [row[0] for row in found] == decided.action.tolist()
    close([row[1] for row in found], decided.risk)
    if own:
        return
    rejected = BayesDecision(model, reject=0.3)
    rejecting = decide(model.predict_proba(columns), _chow(model), model.classes_)
    found = answers(engine, model, columns, "action", reject=rejected.reject)
    assert [row[0] for row in found] == rejecting.action.tolist()


def _chow(model):
    from suffice import Loss

    return Loss.zero_one(model.classes_, 0.3)


COMPARED = {"proba": _proba, "log_joint": _log_joint, "class": _class, "action": _action}
