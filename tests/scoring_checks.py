"""What SQL must stand, whatever the database: each check takes an engine of `databases`."""

import string
import warnings

import numpy as np
import pytest

from databases import quoted
from scoring_agreement import answers, close
from scoring_cases import CATEGORIES, NUMBERS, only, table
from suffice import (
    AveragedOneDependence,
    GaussianDiscriminant,
    LinearDiscriminant,
    LogisticClassifier,
    NaiveBayes,
    QuadraticDiscriminant,
)
from suffice.errors import KindError, ParameterError

HOSTILE = [
    "'; DROP TABLE victims; --",
    '"; DROP TABLE victims; --',
    "\\'; DROP TABLE victims; --",
    "\\",
    "''",
    "/* no */ -- comment",
    "%s %(a)s ? $1 :a {0} {}",
    "line\nbreak\tand\rreturn",
    "NULL",
    "中文 'quoted' \"twice\"",
    "é́ combining, emoji 🦆",
    " spaces ",
]
WIDE = 1000


def check_nothing_is_ever_read_as_sql(engine):
    """Names of columns, keys and actions, values of cells, classes: whatever stands in them."""
    rng = np.random.default_rng(0)
    engine.put("victims", {"x": [1, 2, 3]})
    y = rng.integers(0, len(HOSTILE), 400)
    columns = {f"{name}{i}": rng.normal(y % (i + 2), 1.0).tolist() for i, name in enumerate(HOSTILE)}
    columns |= {"level": [HOSTILE[(k + i) % len(HOSTILE)] for i, k in zip(rng.integers(0, 2, 400), y, strict=True)]}
    labels = [HOSTILE[k] for k in y]
    model = NaiveBayes(estimate="map").fit(columns, labels)
    close(answers(engine, model, columns), model.predict_proba(columns))
    assert [name for (name,) in answers(engine, model, columns, "class")] == model.predict(columns).tolist()
    loss = {f"{name}!": {other: float(other != name) for other in HOSTILE} for name in HOSTILE}
    actions = [name for name, _ in answers(engine, model, columns, "action", loss=loss)]
    assert actions == [f"{name}!" for name in model.predict(columns)]
    for name in HOSTILE:
        engine.put(name, {name: [1], **{column: cells[:1] for column, cells in columns.items()}})
        [[one, *shares]] = engine.rows(model.to_sql(engine.dialect, name, name))
        close([[one, *shares]], [[1, *model.predict_proba({c: cells[:1] for c, cells in columns.items()})[0]]])
        engine.rows(f"DROP TABLE {quoted(name)}")
    assert sorted(engine.rows("SELECT x FROM victims")) == [(1,), (2,), (3,)]
    engine.rows("DROP TABLE victims")


def check_a_thousand_columns(engine):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    numbers = {f"n{j}": rng.normal(0.1 * y, 1.0).tolist() for j in range(WIDE)}
    texts = {f"t{j}": np.array(["a", "b", "c"])[(y + rng.integers(0, 3, 60)) % 3].tolist() for j in range(WIDE)}
    numbers["n7"][3] = texts["t8"][5] = None
    for columns in (numbers, texts):
        model = NaiveBayes().fit(columns, y)
        close(answers(engine, model, columns), model.predict_proba(columns))
    narrow = only(numbers, [f"n{j}" for j in range(40)])
    for model in (LinearDiscriminant(estimate="map"), QuadraticDiscriminant(estimate="map")):
        model.fit(narrow, y)
        close(answers(engine, model, narrow, "log_joint"), model.log_joint(narrow))


def check_digits_far_from_zero(engine):
    """Columns at a million and a thousand million, with spreads of 1 and 0.01."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 500)
    columns = {"a": (1e6 + rng.normal(y, 1.0)).tolist(), "b": (1e9 + rng.normal(0.01 * y, 0.01)).tolist()}
    columns["c"] = (np.array(columns["a"]) - 1e6 + rng.normal(0, 0.1, 500)).tolist()
    for model in (NaiveBayes(), NaiveBayes(estimate="map"), LinearDiscriminant(), QuadraticDiscriminant()):
        model.fit(columns, y)
        close(answers(engine, model, columns), model.predict_proba(columns))
        close(answers(engine, model, columns, "log_joint"), model.log_joint(columns))


def check_digits_behind_many_rows(engine):
    """A Student-t of a hundred million degrees of freedom, waits for as many events."""
    rng = np.random.default_rng(3)
    y, many = rng.integers(0, 2, 200), np.full(200, 1e6)
    columns = {"a": rng.normal(1e6 + y, 1.0).tolist(), "b": rng.normal(y, 1.0).tolist()}
    columns["wait"] = rng.exponential(1.0 + y).tolist()
    for joint in (None, [["a", "b"]]):
        model = NaiveBayes(kinds={"wait": "exponential"}, joint=joint, estimate="predictive")
        model.fit(columns, y, sample_weight=many)
        close(answers(engine, model, columns), model.predict_proba(columns))
        close(answers(engine, model, columns, "log_joint"), model.log_joint(columns))


def check_counts_behind_many_rows(engine):
    """A negative binomial of a hundred million events: ln Γ(a + x) − ln Γ(a) as the sum that it is."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    visits = rng.poisson(3.0 + y)
    columns = {"visits": visits.astype(float).tolist()}
    model = NaiveBayes(kinds="poisson", estimate="predictive").fit(columns, y, sample_weight=np.full(200, 1e6))
    [density] = model.joint_.density.parts
    wanted = [
        [
            sum(np.log((a + i) / (i + 1) / (b + 1)) for i in range(x)) - a * np.log1p(1 / b) + np.log(prior)
            for a, b, prior in zip(density.shape[:, 0], density.rate[:, 0], model.priors_, strict=True)
        ]
        for x in visits
    ]
    close(answers(engine, model, columns, "log_joint"), wanted)


def check_large_counts(engine):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 100)
    columns = {"n": rng.poisson(1e5 + 1e3 * y).astype(float).tolist(), "m": rng.poisson(0.1 + y).astype(float).tolist()}
    model = NaiveBayes(kinds="poisson").fit(columns, y)
    close(answers(engine, model, columns), model.predict_proba(columns), 1e-8)  # ln Γ of 1e5 in either


def check_labels_of_every_type(engine):
    columns, _ = table(rows=80, holes=0.0)
    numbers = only(columns, NUMBERS)
    y = np.arange(80) % 2
    for labels in (y + 5, -y, y == 1, np.array(["no", "yes"])[y]):
        model = NaiveBayes().fit(numbers, labels)
        assert [name for (name,) in answers(engine, model, numbers, "class")] == model.predict(numbers).tolist()
        close(answers(engine, model, numbers), model.predict_proba(numbers))


def check_levels_of_every_type(engine):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 100)
    whole = (y + rng.integers(0, 2, 100)).tolist()
    columns = {
        "large": [2**60 + value for value in whole],
        "below": [-value for value in whole],
        "half": [value + 0.5 for value in whole],
        "truth": [value > 0 for value in whole],
        "text": [str(value) for value in whole],
    }
    model = NaiveBayes(kinds="categorical").fit(columns, y)
    columns["large"][0], columns["half"][1], columns["text"][2] = 7, 7.25, "seven"
    close(answers(engine, model, columns), model.predict_proba(columns))


def check_impossible_rows_get_the_priors(engine):
    columns = {"a": ["x", "x", "y", "y", "y"], "b": ["u", "u", "v", "v", "v"]}
    model = NaiveBayes(smoothing=0, estimate="ml").fit(columns, ["p", "p", "q", "q", "q"])
    rows = {"a": ["x", "x", "y"], "b": ["u", "v", "u"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = model.predict_proba(rows)
    np.testing.assert_allclose(wanted[1:], [[0.4, 0.6], [0.4, 0.6]])
    close(answers(engine, model, rows), wanted)
    assert [name for (name,) in answers(engine, model, rows, "class")] == ["p", "q", "q"]
    assert answers(engine, model, rows, "log_joint")[1] == [-np.inf, -np.inf]


def check_rows_that_python_refuses_have_no_answer(engine):
    rng = np.random.default_rng(6)
    y, n = rng.integers(0, 2, 100), 100
    kinds = {"visits": "poisson", "wins": ("binomial", 5), "income": "log-gaussian", "colour": "categorical"}
    columns = {
        "height": rng.normal(y, 1.0).tolist(),
        "visits": rng.poisson(1.0 + y).astype(float).tolist(),
        "wins": rng.binomial(5, 0.4, n).astype(float).tolist(),
        "income": np.exp(rng.normal(y, 1.0)).tolist(),
        "colour": np.array(["red", "blue"])[(y + rng.integers(0, 2, n)) % 2].tolist(),
    }
    model = NaiveBayes(kinds=kinds, unseen="error").fit(columns, y)
    odd = {"height": [np.inf, -np.inf, 1e200], "visits": [-1.0, 0.5, np.inf], "wins": [6.0, -1.0, 2.5]}
    odd |= {"income": [0.0, -1.0, np.inf], "colour": ["green"]}
    rows = {name: list(cells[:20]) for name, cells in columns.items()}
    refused = set()
    for at, (name, value) in enumerate((name, value) for name, some in odd.items() for value in some):
        rows[name][at] = value
        refused.add(at)
    good = [i for i in range(20) if i not in refused]
    wanted = model.predict_proba({name: [cells[i] for i in good] for name, cells in rows.items()})
    found = answers(engine, model, rows)
    close([found[i] for i in good], wanted)
    free = {"loss": {"nothing": 0, "act": {0: -1, 1: 1}}}  # an action that costs nothing has no risk to be missing
    for output, options in [("proba", {}), ("log_joint", {}), ("class", {}), ("action", {}), ("action", free)]:
        gone = answers(engine, model, rows, output, **options)
        assert all(value is None for i in refused for value in gone[i]), output


def check_numbers_beyond_1e150_are_answered_where_python_answers(engine):
    """As long as their squares are floats; PostgreSQL, where it is an error if they are not, has NULL beyond 1e150."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 60)
    columns = {"a": rng.normal(3.0 * y, 1.0).tolist(), "b": rng.normal(y, 2.0).tolist()}
    models = [NaiveBayes(), NaiveBayes(estimate="map"), LinearDiscriminant(estimate="map")]
    models += [
        QuadraticDiscriminant(estimate="map"),
        QuadraticDiscriminant(estimate="predictive"),
        LogisticClassifier(),
    ]
    sizes = [1e140, -1e149, 9e150, -3e151, 1e152, 1e153]
    for model in models:
        model.fit(columns, y)
        for size in sizes:
            rows = {"a": [size, 0.5], "b": [1.0, -0.5]}
            found = answers(engine, model, rows)
            close(found[1:], model.predict_proba({name: cells[1:] for name, cells in rows.items()}))
            wanted = _python_says(model, {name: cells[:1] for name, cells in rows.items()})
            if wanted is None or (engine.dialect == "postgres" and abs(size) > 1e150):
                assert found[0] == [None, None]
            else:
                close(found[:1], wanted)
        for size in (1e154, -1e200, 1.7e308, np.inf):
            assert answers(engine, model, {"a": [size], "b": [None]}) == [[None, None]]


def _python_says(model, rows):
    try:
        return model.predict_proba(rows)
    except KindError:
        return None


def check_numbers_whose_scores_are_beyond_floats_have_no_answer(engine):
    """A narrow column: squares in standard deviations are too large long before those of the cells are."""
    columns = {"a": [1e-9, 2e-9, 4e-9, 1e-9, 3e-9, 6e-9] * 4}
    model = NaiveBayes(estimate="map").fit(columns, [0, 0, 0, 1, 1, 1] * 4)
    with pytest.raises(KindError, match="too large"):
        model.predict_proba({"a": [1e151]})
    for output in ("proba", "log_joint", "class", "action"):
        [gone] = answers(engine, model, {"a": [1e151]}, output)
        assert all(value is None for value in gone)


def check_cells_of_another_type_than_in_fitting_have_no_answer(engine):
    """Text where numbers were, and the other way round, is refused by Python."""
    rng = np.random.default_rng(12)
    y = rng.integers(0, 2, 40)
    cells = {
        "number": rng.normal(y, 1.0).tolist(),
        "visits": rng.poisson(1.0 + y).astype(float).tolist(),
        "code": (y + rng.integers(0, 3, 40)).tolist(),
        "truth": (rng.random(40) < 0.5).tolist(),
        "text": np.array(["1", "0", "x"])[rng.integers(0, 3, 40)].tolist(),
    }
    odd = {"number": ["abc", "1.5"], "visits": ["2", ""], "code": ["1", "one"], "truth": ["true", "1"], "text": [1, 0]}
    kinds = {"visits": "poisson", "code": "categorical"}
    for name, strange in odd.items():
        beside = "text" if name != "text" else "number"
        columns = only(cells, [name, beside])
        model = NaiveBayes(kinds={key: kind for key, kind in kinds.items() if key in columns}).fit(columns, y)
        rows = {name: [*strange, None], beside: cells[beside][:3]}
        with pytest.raises(KindError):
            model.predict_proba(rows)
        for output in ("proba", "class"):
            found = answers(engine, model, rows, output)
            assert all(value is None for row in found[:2] for value in row), (name, output)
            assert None not in found[2]  # a missing cell is one of any type


def check_cells_that_a_chosen_kind_cannot_hold_are_missing(engine):
    """A kind by kinds="auto" was chosen by the cells there were; an infinite cell is refused all the same."""
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 300)
    columns = {"wait": np.exp(rng.normal(2.0 * y, 1.0)).tolist()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NaiveBayes(kinds="auto").fit(columns, y)
        assert model.joint_.schema.columns[0].chosen
        wanted = model.predict_proba({"wait": [1.0, -3.0, None]})
    found = answers(engine, model, {"wait": [1.0, -3.0, None, np.inf]})
    close(found[:3], wanted)
    assert found[3] == [None, None]


def check_patterns_of_missing_cells(engine):
    """Of a few columns all patterns; of more, those that fitting has met, and NULL for others."""
    rng = np.random.default_rng(7)
    y, names = rng.integers(0, 2, 200), string.ascii_lowercase[:6]
    columns = {name: rng.normal(y, 1.0).tolist() for name in names}
    for i in range(0, 200, 3):
        columns["a"][i] = columns["c"][i] = None
    model = QuadraticDiscriminant(estimate="map").fit(columns, y)
    rows = {name: [0.5, None if name in "ac" else 0.5, None, None if name == "b" else 0.5] for name in names}
    found = answers(engine, model, rows)
    close(found[:3], model.predict_proba({name: cells[:3] for name, cells in rows.items()}))
    assert found[3] == [None, None]


def check_not_a_number_is_missing(engine):
    columns, labels = table(rows=60, holes=0.0)
    numbers = only(columns, (*NUMBERS, "grade"))
    model = NaiveBayes(kinds={"grade": "categorical"}).fit(numbers, labels)
    rows = {name: [float(value) for value in cells[:9]] for name, cells in numbers.items()}
    for i, name in enumerate(rows):
        rows[name][i] = float("nan")
    close(answers(engine, model, rows), model.predict_proba(rows))


def check_several_keys_and_a_table_in_its_schema(engine):
    columns, labels = table(rows=50, holes=0.0)
    model = NaiveBayes(kinds="categorical").fit(only(columns, CATEGORIES), labels)
    engine.put("sales", {**columns, "year": [1] * 50, "P(a)": list(range(50))})
    schema = {"postgres": "public"}.get(engine.dialect, "main")
    query = model.to_sql(engine.dialect, (schema, "sales"), ["year", "P(a)"])
    assert engine.names(query) == ["year", "P(a)", "P(a)_", "P(it's)", "P(中; --)"]
    found = sorted(engine.rows(query))
    close([row[2:] for row in found], model.predict_proba(only(columns, CATEGORIES)))
    engine.rows("DROP TABLE sales")


def check_a_table_named_as_a_layer(engine):
    columns, labels = table(rows=50, holes=0.0)
    model = NaiveBayes(kinds="categorical").fit(only(columns, CATEGORIES), labels)
    engine.put("Layer0", {**columns, "id": list(range(50))})
    found = sorted(engine.rows(model.to_sql(engine.dialect, "Layer0", "id")))
    close([row[1:] for row in found], model.predict_proba(only(columns, CATEGORIES)))
    engine.rows('DROP TABLE "Layer0"')


def check_classes_that_engines_take_for_one_name(engine):
    y = ["same", "SAME", "x" * 70 + "1", "x" * 70 + "2"] * 10
    columns = {"a": np.random.default_rng(8).normal(0, 1, 40).tolist()}
    model = NaiveBayes().fit(columns, y)
    engine.put("t", {**columns, "id": list(range(40))})
    query = model.to_sql(engine.dialect, "t", "id")
    assert len(set(engine.names(query))) == 5
    close([row[1:] for row in sorted(engine.rows(query))], model.predict_proba(columns))
    engine.rows("DROP TABLE t")


def check_columns_that_differ_by_case(engine):
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 40)
    columns = {"a": rng.normal(y, 1.0).tolist(), "A": rng.normal(0, 1.0, 40).tolist()}
    model = NaiveBayes().fit(columns, y)
    if engine.dialect == "postgres":
        close(answers(engine, model, columns), model.predict_proba(columns))
        return
    with pytest.raises(ParameterError, match=f"{engine.dialect} treats 'a', 'A' as the same name"):
        model.to_sql(engine.dialect, "t", "id")


def check_an_average_without_a_parent_is_naive_bayes(engine):
    columns, labels = table(rows=60, holes=0.0)
    numbers = only(columns, NUMBERS[:2])
    model = AveragedOneDependence().fit(numbers, labels)
    close(answers(engine, model, numbers), model.predict_proba(numbers))


def check_given_parameters(engine):
    model = GaussianDiscriminant.from_parameters({"u": [0, 0], "v": [2, 1]}, [[1, 0.5], [0.5, 1]])
    rows = np.array([[0.0, 0.3], [1.5, np.nan], [np.nan, np.nan]])
    found = answers(engine, model, dict(zip(["x0", "x1"], rows.T.tolist(), strict=True)), "log_joint")
    close(found, model.log_joint(rows))


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]
