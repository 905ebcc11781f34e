"""Any sequence of operations on summaries and models comes to the same as learning from the rows that are left.

What the machine remembers is only that: which rows each summary and each model stands for. The oracle fits them anew.
"""

import copy
import pickle
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, multiple, rule
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from fuzz import oracle
from fuzz.budget import quiet, steps
from fuzz.oracle import Rows, Settings, UndeterminedError
from fuzz.tables import (
    CELLS,
    LABELS,
    Plain,
    dressed_by_name,
    labels_in,
    plain_column,
    texts,
    types_of_labels,
    weights_in,
)
from suffice import LinearDiscriminant, NaiveBayes, collect, load
from suffice.errors import HiddenLabelsError, NotInSummaryError, SufficeError

weights_of_rows = st.sampled_from([0.5, 1.0, 1.0, 2.0])


@dataclass(frozen=True)
class Batch:
    columns: tuple[Plain, ...]
    labels: tuple[Any, ...]
    weights: tuple[float, ...]

    @property
    def rows(self) -> tuple[Any, ...]:
        cells = ({c.name: c.cells[i] for c in self.columns} for i in range(len(self.labels)))
        return tuple(zip(cells, self.labels, self.weights, strict=True))


@dataclass(frozen=True)
class Held:
    """A summary, or a model, and the rows that it stands for."""

    what: Any
    rows: tuple[Any, ...] = ()
    declared: dict[str, frozenset[Any]] = field(default_factory=dict)  # levels that types of columns have declared
    settings: Settings | None = None  # of a model, when it last learned
    waiting: Settings | None = None  # of a model, set since

    @property
    def fitted(self) -> bool:
        return bool(self.rows)


def united(a: dict[str, frozenset[Any]], b: dict[str, frozenset[Any]]) -> dict[str, frozenset[Any]]:
    return {name: a.get(name, frozenset()) | b.get(name, frozenset()) for name in {*a, *b}}


class Operations(RuleBasedStateMachine):
    summaries = Bundle("summaries")
    models = Bundle("models")

    @initialize(data=st.data())
    def begin(self, data):
        names = data.draw(st.lists(texts, min_size=1, max_size=3, unique=True))
        self.kinds = {name: data.draw(st.sampled_from(list(CELLS))) for name in names}
        self.classes = data.draw(types_of_labels.flatmap(LABELS.__getitem__))
        self.together = data.draw(st.booleans())
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "温度 é"

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    # rows

    def batch(self, data, most=6):
        rows = data.draw(st.integers(1, most))
        columns = tuple(data.draw(plain_column(name, rows, [kind])) for name, kind in self.kinds.items())
        labels = data.draw(st.lists(st.sampled_from(self.classes), min_size=rows, max_size=rows))
        return Batch(columns, tuple(labels), tuple(data.draw(st.lists(weights_of_rows, min_size=rows, max_size=rows))))

    def batch_of(self, rows):
        cells, labels, weights = zip(*rows, strict=True)
        columns = (Plain(name, *kind, tuple(c[name] for c in cells)) for name, kind in self.kinds.items())
        return Batch(tuple(columns), labels, weights)

    def dressed(self, data, batch):
        """A table, its labels and its weights, and what the types of its columns declare."""
        table = data.draw(dressed_by_name(batch.columns))
        declared = {name: frozenset(levels) for name, levels in table.declared.items()}
        return table.X, data.draw(labels_in(batch.labels)), data.draw(weights_in(batch.weights)), declared

    @property
    def declarations(self):
        return {name: Plain(name, *kind, ()).declaration for name, kind in self.kinds.items()}

    def collected(self, data, rows):
        X, y, weights, declared = self.dressed(data, self.batch_of(rows))
        summary = collect(X, y, sample_weight=weights, kinds=self.declarations, joint=self.together)
        return Held(summary, tuple(rows), declared)

    def settings(self, data):
        columns = tuple(Plain(name, *kind, ()).modelled() for name, kind in self.kinds.items())
        estimate, smoothing = (
            data.draw(st.sampled_from(["ml", "unbiased"])),
            data.draw(st.sampled_from([0.0, 0.5, 1.0])),
        )
        return Settings(columns, estimate, smoothing, data.draw(st.sampled_from([None, "uniform", "smoothed"])))

    def options(self, settings):
        return {
            "estimate": settings.estimate,
            "smoothing": settings.smoothing,
            "priors": settings.priors,
            "kinds": self.declarations,
        }

    # summaries

    @rule(target=summaries, data=st.data())
    def collect(self, data):
        return self.collected(data, self.batch(data).rows)

    @rule(target=summaries, data=st.data(), pieces=st.integers(1, 3))
    def collect_batches(self, data, pieces):
        batches = [self.batch(data, 3) for _ in range(pieces)]
        dressed = [self.dressed(data, batch) for batch in batches]
        given = ((X, y, weights) for X, y, weights, _ in dressed)
        declared: dict[str, frozenset[Any]] = {}
        for *_, some in dressed:
            declared = united(declared, some)
        summary = collect(given, kinds=self.declarations, joint=self.together)
        return Held(summary, sum((batch.rows for batch in batches), ()), declared)

    @rule(target=summaries, a=summaries, b=summaries)
    def add(self, a, b):
        if len(a.rows) + len(b.rows) > 40:
            return a
        return Held(a.what + b.what, a.rows + b.rows, united(a.declared, b.declared))

    @rule(target=summaries, a=summaries, data=st.data())
    def take_away(self, a, data):
        """Rows leave in another grouping, and other clothes, than they came in."""
        order = data.draw(st.permutations(range(len(a.rows))))
        number = data.draw(st.integers(1, len(order)))
        leaving = self.collected(data, [a.rows[i] for i in order[:number]])
        left = tuple(a.rows[i] for i in sorted(order[number:]))
        rest = a.what - leaving.what
        if not left:
            assert rest.n == 0
            return a
        return Held(rest, left, united(a.declared, leaving.declared))

    @rule(a=summaries, data=st.data())
    def take_away_what_is_not_there(self, a, data):
        """More of a class than there is."""
        label = data.draw(st.sampled_from(self.classes))
        mass = sum(weight for _, mine, weight in a.rows if mine == label)
        cells = {name: data.draw(CELLS[kind]) for name, kind in self.kinds.items()}
        strange = self.collected(data, [(cells, label, 1.0 + 2 * mass)])
        with pytest.raises(NotInSummaryError):
            a.what - strange.what

    @rule(target=summaries, a=summaries, how=st.sampled_from(["file", "pickle", "copy", "sum"]))
    def keep(self, a, how):
        kept = self.kept(a.what, how) if how != "sum" else sum([a.what])
        assert kept == a.what
        return replace(a, what=kept)

    def kept(self, what, how):
        if how == "pickle":
            return pickle.loads(pickle.dumps(what))
        if how == "copy":
            return copy.deepcopy(what)
        what.save(self.file)
        return load(self.file)

    @rule(a=summaries, data=st.data())
    def models_of_a_summary(self, a, data):
        settings = self.settings(data)
        self.compare(
            data, lambda: NaiveBayes.from_summary(a.what, **self.options(settings)), replace(a, settings=settings)
        )

    @rule(a=summaries, data=st.data())
    def marginal(self, a, data):
        settings = self.settings(data)
        self.compare(
            data,
            lambda: NaiveBayes.from_summary(a.what.marginal(), **self.options(settings)),
            replace(a, settings=settings),
        )

    @rule(a=summaries, data=st.data())
    def discriminant_of_a_summary(self, a, data):
        complete = all(cell is not None for cells, _, _ in a.rows for cell in cells.values())
        if not (complete and self.together and all(kind == "gaussian" for kind, _ in self.kinds.values())):
            return
        settings = replace(
            self.settings(data), columns=(oracle.Column("joint", tuple(self.kinds)),), smoothing=1.0, shared=True
        )
        options = {"estimate": settings.estimate, "priors": settings.priors}
        self.compare(data, lambda: LinearDiscriminant.from_summary(a.what, **options), replace(a, settings=settings))

    # models

    @rule(target=models, data=st.data())
    def model(self, data):
        settings = self.settings(data)
        return Held(NaiveBayes(**self.options(settings)), waiting=settings)

    @rule(target=models, a=consumes(models), data=st.data())
    def set_params(self, a, data):
        """Parameters wait for the next time that the model learns."""
        settings = self.settings(data)
        assert a.what.set_params(**self.options(settings)) is a.what
        return replace(a, waiting=settings)

    @rule(target=models, a=consumes(models), data=st.data())
    def fit(self, a, data):
        """Anew: what came before is forgotten."""
        batch = self.batch(data)
        X, y, weights, declared = self.dressed(data, batch)
        fresh = replace(a, rows=batch.rows, declared=declared, settings=a.waiting)
        if self.expected(fresh) is None:
            with pytest.raises(SufficeError, match="not determined"):
                a.what.fit(X, y, weights)
            return a  # as it was
        assert a.what.fit(X, y, weights) is a.what
        return fresh

    @rule(target=models, a=consumes(models), data=st.data())
    def partial_fit(self, a, data):
        batch = self.batch(data)
        if len(a.rows) > 40:
            return a
        X, y, weights, declared = self.dressed(data, batch)
        a.what.partial_fit(X, y, sample_weight=weights)
        return replace(a, rows=a.rows + batch.rows, declared=united(a.declared, declared), settings=a.waiting)

    @rule(a=models, data=st.data())
    def partial_fit_of_labels_not_known(self, a, data):
        """Refused, and nothing is learned from the rows that have one."""
        batch = self.batch(data)
        hidden = [None, *batch.labels[1:]] if len(batch.labels) > 1 else [None, self.classes[0]]
        columns = {c.name: list(c.cells) for c in batch.columns}
        if len(batch.labels) == 1:
            columns = {name: cells * 2 for name, cells in columns.items()}
        with pytest.raises(HiddenLabelsError):
            a.what.partial_fit(columns, hidden)
        assert a.fitted == a.what.__sklearn_is_fitted__()

    @rule(target=models, a=models, how=st.sampled_from(["file", "pickle", "copy"]))
    def keep_model(self, a, how):
        if a.fitted:
            waiting = a.settings if how == "file" else a.waiting  # a file has what was fitted
            return replace(a, what=self.kept(a.what, how), waiting=waiting)
        if how == "file":
            with pytest.raises(NotFittedError):
                a.what.save(self.file)
            return multiple()
        return replace(a, what=self.kept(a.what, how))

    @rule(target=models, a=models)
    def clone(self, a):
        """The same parameters, and nothing learned."""
        fresh = clone(a.what)
        with pytest.raises(NotFittedError):
            fresh.predict({name: [None] for name in self.kinds})
        return Held(fresh, waiting=a.waiting)

    @rule(a=models, data=st.data())
    def answers(self, a, data):
        if a.fitted:
            self.compare(data, lambda: a.what, a)

    # answers

    def expected(self, a):
        columns = tuple(replace(c, declared=tuple(a.declared.get(c.names[0], ()))) for c in a.settings.columns)
        try:
            return oracle.fit(Rows.of(*zip(*a.rows, strict=True)), replace(a.settings, columns=columns))
        except UndeterminedError:
            return None

    def compare(self, data, model, a):
        """Ln p(row, class) of rows that were learned from and of others, asked by several threads at once."""
        batch = self.batch_of([*a.rows[:5], *self.batch(data, 2).rows])
        X = data.draw(dressed_by_name(batch.columns)).X
        expected = self.expected(a)
        if expected is None:
            with pytest.raises(SufficeError, match="not determined"):
                model().log_joint(X)
            return
        asked = model()
        with ThreadPoolExecutor(3) as threads:
            found = list(threads.map(lambda _: asked.log_joint(X), range(3)))
        assert asked.classes_.tolist() == list(expected.classes)
        wanted = np.array([expected.log_joint(cells) for cells, _, _ in batch.rows])
        for some in found:
            np.testing.assert_array_equal(np.isneginf(some), np.isneginf(wanted))
            np.testing.assert_allclose(some, wanted, rtol=1e-8, atol=1e-8)


TestOperations = Operations.TestCase
TestOperations.settings = steps(60)
TestOperations.pytestmark = quiet
