"""What a model that was loaded still knows: the same bits, how it was learned, and decisions with their costs."""

import json

import numpy as np
import pytest
from safetensors.numpy import save as as_tensors
from sklearn.linear_model import LogisticRegression

import suffice
from suffice import (
    EM,
    BayesDecision,
    Calibrated,
    GaussianDiscriminant,
    LatentClass,
    LinearDiscriminant,
    LogisticClassifier,
    Loss,
    MarginClassifier,
    Mixture,
    NaiveBayes,
    QuadraticDiscriminant,
    collect,
    store,
)
from suffice.errors import FileError, ParameterError

ROWS = 45
LABELS = np.repeat(["p", "q", "r"], ROWS // 3)


def holed(seed):
    """Correlated columns in units far apart, a quarter of whose cells are missing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, 4)) @ rng.normal(size=(4, 4)) + np.repeat(rng.normal(size=(3, 4)), ROWS // 3, axis=0)
    x = np.where(rng.random(x.shape) < 0.25, np.nan, x) * 10.0 ** rng.integers(-3, 4, 4)
    return {f"x{j}": x[:, j] for j in range(4)}


def again(model, folder):
    model.save(folder / "it")
    return suffice.load(folder / "it")


@pytest.fixture
def complete():
    rng = np.random.default_rng(5)
    return {"a": rng.normal(size=ROWS) + np.repeat([0, 2, 4], ROWS // 3), "b": rng.normal(size=ROWS)}


def same_tables(one, other):
    assert one.keys() == other.keys()
    for title, table in one.items():
        for heading, cells in table.items():
            np.testing.assert_array_equal(cells, other[title][heading])


# the same bits


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(joint=[["x0", "x1", "x2"]], estimate="map"),
        NaiveBayes(joint=[["x3", "x1"], ["x0", "x2"]], estimate="predictive"),
        GaussianDiscriminant(estimate="mean"),
        LinearDiscriminant(),
        QuadraticDiscriminant(estimate="map"),
    ],
    ids=repr,
)
def test_cells_missing_in_columns_modelled_together_come_back_as_the_same_bits(model, seed, tmp_path):
    table, seen = holed(seed), slice(0, None, 2)
    model.fit(table, LABELS)
    for when in ("before it has answered", "after it has answered"):
        loaded = again(model, tmp_path)
        np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table), err_msg=when)
        same_tables(loaded.tables(), model.tables())
        assert str(loaded) == str(model)
    more = {name: cells[seen] for name, cells in table.items()}
    both = [each.partial_fit(more, LABELS[seen]).predict_proba(table) for each in (loaded, model)]
    np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConvergedWarning")
def test_what_em_has_found_with_cells_missing_is_saved_and_is_the_same_bits(seed, tmp_path):
    """The expected scatter of missing cells is symmetric only up to rounding."""
    table = holed(seed)
    hidden = [None if i % 4 == 0 else name for i, name in enumerate(LABELS)]
    for model in (Mixture(2, restarts=1).fit(table), NaiveBayes(joint=[["x0", "x1"]]).fit(table, hidden)):
        loaded = again(model, tmp_path)
        np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
        same_tables(loaded.tables(), model.tables())


def test_the_order_of_rows_and_sums_does_not_change_the_bits_of_patterns():
    table = holed(0)
    whole = collect(table, LABELS, joint=True)
    parts = [
        collect({name: cells[part] for name, cells in table.items()}, LABELS[part], joint=True)
        for part in (np.arange(ROWS) % 2 == 0, np.arange(ROWS) % 2 == 1)
    ]
    orders = [list(each.statistics.parts[0].parts) for each in (whole, parts[0] + parts[1], parts[1] + parts[0])]
    assert orders[0] == orders[1] == orders[2] == sorted(orders[0])


# how it was learned


@pytest.mark.parametrize(
    "model",
    [Mixture(2, restarts=2), Mixture(3, shape="diagonal", restarts=1), LatentClass(2, kinds="gaussian", restarts=1)],
    ids=repr,
)
def test_a_mixture_knows_how_em_went(model, complete, tmp_path):
    loaded = again(model.fit(complete), tmp_path)
    assert (loaded.converged_, loaded.n_iter_) == (model.converged_, model.n_iter_)
    assert str(loaded.trace_) == str(model.trace_)
    assert loaded.trace_.restarts == model.trace_.restarts
    for name in ("log_likelihood", "bound", "kl", "objective"):
        np.testing.assert_array_equal(getattr(loaded.trace_, name), getattr(model.trace_, name))
    assert "log likelihood" in str(loaded)


def test_a_classifier_knows_what_a_row_without_a_label_counted_and_how_em_went(complete, tmp_path):
    hidden = [None if i % 3 == 0 else name for i, name in enumerate(LABELS)]
    for weight in (0.5, "auto"):
        model = NaiveBayes(em=EM(unlabelled_weight=weight)).fit(complete, hidden)
        loaded = again(model, tmp_path)
        assert loaded.unlabelled_weight_ == model.unlabelled_weight_
        assert loaded.n_iter_ == model.n_iter_


def test_linear_models_know_their_objective_and_how_many_rows_hold_the_margin(complete, tmp_path):
    logistic = LogisticClassifier().fit(complete, LABELS)
    assert again(logistic, tmp_path).objective_ == logistic.objective_
    for labels in (LABELS, LABELS == "p"):
        margin = MarginClassifier().fit(complete, labels)
        loaded = again(margin, tmp_path)
        assert loaded.support_count_.tolist() == [len(rows) for rows in margin.support_]
        assert str(loaded) == str(margin)


@pytest.mark.parametrize("name", ["slack_", "support_"])
def test_files_hold_nothing_about_single_rows_and_say_so(name, complete, tmp_path):
    loaded = again(MarginClassifier().fit(complete, LABELS), tmp_path)
    with pytest.raises(AttributeError, match=rf"{name} is about the rows .* files hold nothing"):
        getattr(loaded, name)


# decisions


DECISIONS = [
    BayesDecision(NaiveBayes(), reject=0.1),
    BayesDecision(NaiveBayes(), {"go": {"p": 0, "q": 5, "r": 1}, "stay": 1}, priors={"p": 0.8, "q": 0.1, "r": 0.1}),
    BayesDecision(LogisticClassifier(), Loss.of_missing({"p": 1, "q": 2, "r": 9}), priors="uniform"),
    BayesDecision(Calibrated(LogisticClassifier(), "platt"), training_priors=np.full(3, 1 / 3), priors=[0.2, 0.3, 0.5]),
    BayesDecision(MarginClassifier(probabilities=True)),
]


@pytest.mark.parametrize("model", DECISIONS, ids=lambda model: repr(model)[:60])
def test_decisions_come_back_with_their_costs_and_priors(model, complete, tmp_path):
    loaded = again(model.fit(complete, LABELS), tmp_path)
    np.testing.assert_array_equal(loaded.predict_proba(complete), model.predict_proba(complete))
    np.testing.assert_array_equal(loaded.predict(complete), model.predict(complete))
    np.testing.assert_array_equal(loaded.conditional_risk(complete), model.conditional_risk(complete))
    assert str(loaded) == str(model)
    loaded.fit(complete, LABELS)  # with the parameters that it came back with
    np.testing.assert_array_equal(loaded.predict(complete), model.predict(complete))


def test_costs_set_after_fitting_are_not_saved(complete, tmp_path):
    model = BayesDecision(NaiveBayes(), reject=0.3).fit(complete, LABELS)
    model.set_params(reject=0.0)
    assert again(model, tmp_path).reject == 0.3


def test_decisions_of_another_package_are_refused_with_what_to_do(complete, tmp_path):
    model = BayesDecision(LogisticRegression()).fit(np.column_stack(list(complete.values())), LABELS)
    with pytest.raises(ParameterError, match=r"sklearn's LogisticRegression\. Save that classifier as its own package"):
        model.save(tmp_path / "it")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("model", [Calibrated(NaiveBayes()), DECISIONS[1]], ids=["calibrated", "decision"])
def test_what_was_loaded_answers_files(model, complete, tmp_path):
    loaded = again(model.fit(complete, LABELS), tmp_path)
    lines = [f"{a!r},{b!r}" for a, b in zip(complete["a"].tolist(), complete["b"].tolist(), strict=True)]
    (tmp_path / "rows.csv").write_text("a,b\n" + "\n".join(lines) + "\n")
    loaded.predict_file(tmp_path / "rows.csv", tmp_path / "out.csv")
    out = np.genfromtxt(tmp_path / "out.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    answer = [cell.strip('"') for cell in out["action" if isinstance(model, BayesDecision) else "class"]]
    assert answer == model.predict(complete).tolist()


# sizes that a file declares


def sparse(path, header, shape):
    """A file whose one array is a hole: as long as it says, and of no weight on the disk."""
    text = json.dumps({"version": store.VERSION, "digest": "", **header})
    content = as_tensors({"weight": np.zeros(1)}, metadata={"suffice": text})
    length = int.from_bytes(content[:8], "little")
    said = json.loads(content[8 : 8 + length])
    said["weight"] |= {"shape": shape, "data_offsets": [0, 8 * int(np.prod(shape))]}
    start = json.dumps(said).encode()
    path.write_bytes(len(start).to_bytes(8, "little") + start)
    with path.open("rb+") as file:
        file.truncate(8 + len(start) + 8 * int(np.prod(shape)))


@pytest.mark.parametrize("shape", [[800_000_000], [2, 30_000, 30_000]])
@pytest.mark.parametrize("model", [NaiveBayes(), LogisticClassifier(), Calibrated(NaiveBayes())], ids=repr)
def test_arrays_larger_than_columns_and_classes_allow_are_refused_unread(model, shape, complete, monkeypatch, tmp_path):
    model.fit(complete, LABELS).save(tmp_path / "it")
    header, _ = store.read(tmp_path / "it")
    sparse(tmp_path / "it", header, shape)
    monkeypatch.setattr(store, "safe_open", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(FileError, match="more than its columns and classes can have"):
        suffice.load(tmp_path / "it")


@pytest.mark.parametrize("lost", [1, 8, 100])
def test_a_file_that_is_shorter_than_it_says_is_refused(lost, complete, tmp_path):
    NaiveBayes().fit(complete, LABELS).save(tmp_path / "it")
    content = (tmp_path / "it").read_bytes()
    (tmp_path / "it").write_bytes(content[:-lost])
    with pytest.raises(FileError, match="not as long as it says"):
        suffice.load(tmp_path / "it")


def test_a_panic_while_a_file_is_read_is_an_error_of_ours(complete, monkeypatch, tmp_path):
    class PanicException(BaseException):  # as Rust calls it
        pass

    NaiveBayes().fit(complete, LABELS).save(tmp_path / "it")
    monkeypatch.setattr(store, "safe_open", lambda *_, **__: (_ for _ in ()).throw(PanicException("alloc")))
    with pytest.raises(FileError, match="not enough memory"):
        suffice.load(tmp_path / "it")
