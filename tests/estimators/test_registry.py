"""The registry of models: every public one is in it, and what it says of each is so."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

import suffice
from suffice.cli.models import named
from suffice.errors import SufficeError
from suffice.estimators import load
from suffice.estimators.automatic import candidates
from suffice.estimators.registry import BY_COMMAND, MODELS, Kept, Registered, Tried

# tables are small, and their numbers few
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
RNG = np.random.default_rng(3)
Y = np.repeat(["p", "q"], 20)
X = {"a": RNG.poisson(2, 40), "b": RNG.poisson(np.where(Y == "p", 1, 4))}
WORDS = {"a": [str(cell) for cell in X["a"] % 3], "b": [str(cell) for cell in X["b"] % 3]}
CATEGORIES = {"AveragedOneDependence", "LatentClass"}  # which take no numbers


def made(entry: Registered):
    first = [suffice.NaiveBayes()] if entry.around else []
    model = entry.model(*first, **entry.posteriors)
    return model.set_params(components=2) if not entry.labelled else model


def cells(entry: Registered):
    return WORDS if entry.name in CATEGORIES else X


def named_by_registry(wanted):
    return {entry.name for entry in MODELS if wanted(entry)}


def test_every_public_model_is_in_the_registry_once():
    public = [name for name in suffice.__all__ if inspect.isclass(getattr(suffice, name))]
    learn = [name for name in public if hasattr(getattr(suffice, name), "fit")]
    models = [name for name in learn if issubclass(getattr(suffice, name), BaseEstimator)]
    assert sorted(entry.name for entry in MODELS) == sorted(models)


def test_no_two_models_share_a_name_on_the_command_line():
    commands = [entry.command for entry in MODELS if entry.command]
    assert len(set(commands)) == len(commands)


def test_what_auto_tries_has_a_name_to_be_listed_by():
    assert named_by_registry(lambda entry: entry.tried is not Tried.NEVER) <= {e.name for e in BY_COMMAND.values()}


@pytest.mark.parametrize("costs", [False, True])
def test_auto_tries_what_the_registry_says(costs):
    wanted = {Tried.ALWAYS, Tried.FOR_COSTS} if costs else {Tried.ALWAYS}
    found = {type(model).__name__ for model in candidates({}, costs).values()}
    assert found == named_by_registry(lambda entry: entry.tried in wanted)


@pytest.mark.parametrize("command", BY_COMMAND)
def test_the_command_line_makes_the_model_of_the_registry(command):
    assert type(named(command, {})).__name__ == BY_COMMAND[command].name


@pytest.mark.parametrize("command", BY_COMMAND)
def test_a_model_of_the_command_line_gives_posteriors(command):
    model = named(command, {}).fit(cells(BY_COMMAND[command]), Y)
    np.testing.assert_allclose(model.predict_proba(cells(BY_COMMAND[command])).sum(axis=1), 1.0)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_a_model_is_in_its_file_as_the_registry_says(entry, tmp_path):
    model = made(entry).fit(cells(entry), Y) if entry.labelled else made(entry).fit(cells(entry))
    model.save(tmp_path / "model")
    assert type(suffice.load(tmp_path / "model")) is type(model)
    readers = {Kept.SUMMARY: load.MODELS, Kept.COUNTS: load.WITHOUT_DENSITIES, Kept.ITSELF: load.WITHOUT_SUMMARY}
    assert [how for how, known in readers.items() if entry.name in known] == [entry.kept]


@pytest.mark.parametrize("entry", [e for e in MODELS if e.labelled and not e.around], ids=lambda entry: entry.name)
def test_a_model_learns_from_rows_without_a_class_only_where_the_registry_says_so(entry):
    some = [None if row % 7 == 0 else str(label) for row, label in enumerate(Y)]
    settings = {"estimate": "map"} if entry.unlabelled and entry.name != "TreeAugmentedBayes" else {}
    model = made(entry).set_params(**settings)
    if entry.unlabelled:
        assert set(model.fit(cells(entry), some).classes_) == {"p", "q"}
    else:
        with pytest.raises(SufficeError):
            model.fit(cells(entry), some)


@pytest.mark.parametrize("entry", [e for e in MODELS if not e.labelled], ids=lambda entry: entry.name)
def test_a_model_without_labels_learns_from_rows_alone(entry):
    assert made(entry).fit(cells(entry)).predict(cells(entry)).shape == (40,)


@pytest.mark.parametrize("entry", [e for e in MODELS if e.around], ids=lambda entry: entry.name)
def test_a_model_around_another_takes_it_first(entry):
    inner = suffice.NaiveBayes() if entry.name == "Calibrated" else LogisticRegression()
    table = X if entry.name == "Calibrated" else np.stack(list(X.values()), axis=1)
    assert entry.model(inner).fit(table, Y).predict(table).shape == (40,)


def test_the_names_of_models_are_known_before_a_model_is_loaded():
    """The command line lists them, and does not wait for scikit-learn."""

    says = (
        "import sys; from suffice.estimators.registry import BY_COMMAND; print(*BY_COMMAND, 'sklearn' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", says], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [*BY_COMMAND, "False"]
