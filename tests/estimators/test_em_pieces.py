"""All pieces of EM, by hand: Q, L(q, θ), KL and entropy of each state, for any q, and from any start."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import entr, logsumexp

from suffice import EM, LatentClass, Mixture, NaiveBayes, QuadraticDiscriminant, bound, em_steps
from suffice.errors import HiddenLabelsError, ParameterError

same = partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-10)
HEADS, TOSSES = np.array([5, 9, 8, 4, 7]), 10
KINDS = {"heads": ("binomial", TOSSES)}
COINS = {"heads": HEADS}


def coins(chances, weights=(0.5, 0.5)):
    """A mixture of two coins, from its parameters."""
    first = {"component": [0, 1], "weight": list(weights)}
    chances = np.array(chances)
    return {"component": first, "heads": {"success": chances, "failure": 1 - chances}}


def log_joint(chances, weights):
    return stats.binom.logpmf(HEADS[:, None], TOSSES, np.array(chances)) + np.log(weights)


def by_hand(chances, weights, steps, learn_weights):
    """Q, entropy, bound, KL and log likelihood of each step, by the definitions."""
    for _ in range(steps):
        logs = log_joint(chances, weights)
        q = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        chances = (q * HEADS[:, None]).sum(axis=0) / (TOSSES * q.sum(axis=0))
        weights = q.mean(axis=0) if learn_weights else weights
        after = log_joint(chances, weights)
        posterior = np.exp(after - logsumexp(after, axis=1, keepdims=True))
        complete, entropy = (q * after).sum(), entr(q).sum()
        kl = (q * np.log(q / posterior)).sum()
        yield chances, weights, [complete, entropy, complete + entropy, kl, logsumexp(after, axis=1).sum()]


def pieces(state):
    return [state.Q, state.entropy, state.bound, state.kl, state.log_likelihood]


def test_two_coins_as_a_mixture():
    model = LatentClass(2, kinds=KINDS, smoothing=0, start=coins([0.6, 0.5]))
    states = em_steps(model, COINS)
    for (chances, weights, numbers), state in zip(by_hand([0.6, 0.5], [0.5, 0.5], 6, True), states, strict=False):
        same(state.tables()["heads"]["success"], chances)
        same(state.tables()["component"]["weight"], weights)
        same(pieces(state), numbers)


def test_two_coins_that_are_equally_common():
    """The example of Do and Batzoglou (2008), whose first step is 0.71 and 0.58, and whose tenth 0.80 and 0.52."""
    guess = NaiveBayes.from_tables(
        {"class": {"class": ["A", "B"], "prior": [0.5, 0.5]}, "heads": coins([0.6, 0.5])["heads"]}, KINDS
    )
    model = NaiveBayes(kinds=KINDS, priors="uniform", smoothing=0, em=EM(unlabelled_weight=1, tol=0, max_iter=10))
    states = list(em_steps(model, COINS, {"A": [1] * 5, "B": [1] * 5}, start=guess))
    for (chances, _, numbers), state in zip(by_hand([0.6, 0.5], [0.5, 0.5], 10, False), states, strict=True):
        same(state.tables()["heads"]["success"], chances)
        same(pieces(state), numbers)
    assert states[0].tables()["heads"]["success"].round(2).tolist() == [0.71, 0.58]
    assert states[9].tables()["heads"]["success"].round(2).tolist() == [0.80, 0.52]
    same(states[9].tables()["class"]["prior"], [0.5, 0.5])


def test_the_geyser_from_given_parameters(reference, data):
    """One step of EM from a stated start, by R."""
    theirs, x = reference("em_one_step_faithful_waiting"), np.asarray(data("faithful")["waiting"], dtype=float)[:, None]
    begin = theirs["start"]
    variances = [[[sd**2]] for sd in begin["sigma"]]
    start = Mixture.from_parameters([[mean] for mean in begin["mu"]], variances, begin["alpha"])
    before = bound(start, x, start.predict_proba(x))
    same(
        [before.log_likelihood, before.Q, before.entropy, before.kl],
        [theirs["loglik_start"], theirs["Q_at_start"], theirs["entropy_minus_sum_q_log_q"], 0.0],
    )
    first = next(em_steps(Mixture(2, parameter_prior="flat", start=start), x))
    same([first.Q, first.entropy], [theirs["Q_after"], theirs["entropy_minus_sum_q_log_q"]])
    same(first.log_likelihood, theirs["loglik_after"])
    same(first.bound + first.kl, first.log_likelihood)
    same(first.tables()["x0"]["mean x0"], theirs["mu"])


def test_the_bound_for_a_q_of_ones_own():
    chances, weights = np.array([0.8, 0.4]), np.array([0.3, 0.7])
    model = LatentClass.from_tables(coins(chances, weights), KINDS)
    q = np.random.default_rng(0).dirichlet([1, 1], 5)
    logs = log_joint(chances, weights)
    found = bound(model, COINS, q, sample_weight=[1, 2, 1, 0.5, 1])
    complete = np.array([1, 2, 1, 0.5, 1]) @ (q * logs).sum(axis=1)
    entropy = np.array([1, 2, 1, 0.5, 1]) @ entr(q).sum(axis=1)
    same(
        [found.Q, found.entropy, found.bound, float(found)], [complete, entropy, complete + entropy, complete + entropy]
    )
    same(found.kl, found.log_likelihood - found.bound)
    assert found.kl > 0
    same(bound(model, COINS, model.predict_proba(COINS)).kl, 0.0)
    hard = bound(model, COINS, [0, 0, 0, 1, 1])
    same([hard.entropy, hard.Q], [0.0, logs[np.arange(5), [0, 0, 0, 1, 1]].sum()])
    for wrong in (q[:3], q * 2, [0, 1, 2, 0, 0]):
        with pytest.raises(ParameterError, match=r"memberships must be \(5, 2\) shares"):
            bound(model, COINS, wrong)
    with pytest.raises(ParameterError, match="found str"):
        bound("model", COINS, q)


def clumps():
    rng = np.random.default_rng(4)
    return np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(3, 1, (40, 2))])


def test_a_start_may_be_a_model_its_tables_or_its_joint():
    rows = clumps()
    begun = Mixture(2, max_iter=2, tol=1e9, start=np.arange(80) % 2).fit(rows)
    fits = [Mixture(2, start=start).fit(rows) for start in (begun, begun.tables(), begun.joint_)]
    for fit in fits[1:]:
        same(fit.tables()["x0, x1"]["mean x0"], fits[0].tables()["x0, x1"]["mean x0"], rtol=1e-6)
    warm = begun.set_params(warm_start=True, max_iter=500, tol=1e-6).fit(rows)
    same(warm.weights_, fits[0].weights_, rtol=1e-6)
    alike = Mixture(2, shared=True).fit(rows)
    same(Mixture(2, start=alike).fit(rows).weights_, fits[0].weights_, rtol=1e-3)
    same(Mixture(2, shared=True, start=begun).fit(rows).weights_, alike.weights_, rtol=1e-3)
    taught = QuadraticDiscriminant().fit(rows, np.repeat(["a", "b"], 40))
    same(Mixture(2, start=taught).fit(rows).weights_, [0.5, 0.5], rtol=0.1)


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (Mixture(3).fit(clumps()), "3 components of the same columns"),
        (Mixture(2).fit(clumps()[:, :1]), "2 components of other columns"),
        (Mixture(2).fit(clumps() > 1), "2 components of other columns"),
    ],
)
def test_a_start_of_other_columns_or_components_is_refused(start, found):
    with pytest.raises(
        ParameterError,
        match=rf"EM can start only from .* same columns and components. That one has {found}",
    ):
        Mixture(2, start=start).fit(clumps())


def test_the_states_of_a_classifier_are_those_of_its_fit():
    rows, labels = clumps(), np.repeat(["a", "b"], 40).astype(object)
    labels[::2] = None
    model = QuadraticDiscriminant(em=EM(unlabelled_weight=1))
    states, fit = list(em_steps(model, rows, labels)), model.fit(rows, labels)
    same([state.objective for state in states], fit.trace_.objective)
    same(states[-1].tables()["class"]["prior"], fit.priors_)
    assert (states[-1].memberships[1] == [1, 0]).all()
    for state in states:
        same(state.Q + state.entropy, state.bound)
        same(state.bound + state.kl, state.log_likelihood)
        assert state.kl > -1e-9
    noisy = QuadraticDiscriminant(em=EM(label_noise="estimate"))
    assert next(em_steps(noisy, rows, np.repeat(["a", "b"], 40), start=fit)).log_likelihood < 0


@pytest.mark.parametrize("face", [QuadraticDiscriminant, NaiveBayes])
def test_a_classifier_begins_with_tables_or_memberships_too(face):
    rows, labels = clumps(), np.repeat(["a", "b"], 40).astype(object)
    labels[::2] = None
    guess, model = face(estimate="map").fit(rows, np.repeat(["a", "b"], 40)), face(em=EM(unlabelled_weight=1))
    by_model, by_tables = (next(em_steps(model, rows, labels, start=some)) for some in (guess, guess.tables()))
    same(pieces(by_tables), pieces(by_model))
    against = np.eye(2)[np.arange(80) // 40][:, ::-1]  # every label is contradicted
    wrong, alike = (next(em_steps(model, rows, labels, start=some)) for some in (against, against.argmax(axis=1)))
    assert np.isfinite(pieces(wrong)).all()
    same(pieces(wrong), pieces(alike))
    same(wrong.Q + wrong.entropy + wrong.kl, wrong.log_likelihood)


def test_what_has_no_steps_says_why():
    with pytest.raises(HiddenLabelsError, match="Nothing is hidden here"):
        em_steps(NaiveBayes(), clumps(), np.repeat(["a", "b"], 40))
    with pytest.raises(ParameterError, match="such as NaiveBayes, em_steps needs labels"):
        em_steps(NaiveBayes(), clumps())
    with pytest.raises(ParameterError, match="found int"):
        em_steps(3, clumps())
