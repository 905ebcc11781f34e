"""Curves, confusion and costs: drawn from rows left out wherever that can be, with their numbers."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score

from suffice import (
    EM,
    Calibrated,
    GaussianDiscriminant,
    LinearDiscriminant,
    LogisticClassifier,
    Loss,
    MarginClassifier,
    NaiveBayes,
    compare,
    cross_validate,
    decide,
    example,
    leave_one_out,
    plots,
)
from suffice.errors import LossError, ParameterError
from suffice.plots import style

mpl.use("Agg")
COLUMNS, SPECIES = example("penguins")
HERE = ~np.isnan(COLUMNS["body_mass_g"])  # rows that were measured
MEASURED = {name: COLUMNS[name][HERE] for name in ("bill_length_mm", "flipper_length_mm", "body_mass_g")}
BILLS = {name: MEASURED[name] for name in ("bill_length_mm", "flipper_length_mm")}
TRUTH = np.array(SPECIES)[HERE]
SPECIES = TRUTH.tolist()
ROWS = len(SPECIES)
CAREFUL = Loss({"say so": {"Chinstrap": 0, "other": 1}, "say other": {"Chinstrap": 4, "other": 0}})
IN_SAMPLE, AS_FITTED, LEFT_OUT = "in-sample: rows it learned from", "model as fitted, on rows given", "leave-one-out"


def head(ax):
    legend = ax.get_legend()
    return (legend.get_title().get_text() if legend else ax.get_title(loc="left")).replace("\n", " · ")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def halves():
    first = np.arange(len(TRUTH)) % 2 == 0
    return [({name: cells[part] for name, cells in BILLS.items()}, TRUTH[part]) for part in (first, ~first)]


# where posteriors come from


@pytest.mark.filterwarnings("ignore::suffice.errors.MissingFontWarning")
def test_melons_left_out_and_in_sample():
    melons, ripe = example("watermelon")
    model = NaiveBayes(estimate="mean", kinds={"编号": "ignore"}).fit(melons, ripe)
    left_out = roc_auc_score(np.array(ripe) == "是", leave_one_out(model, melons, ripe).posterior[:, 1])
    in_sample = roc_auc_score(np.array(ripe) == "是", model.predict_proba(melons)[:, 1])
    assert (left_out, in_sample) == (pytest.approx(0.7361, abs=1e-4), pytest.approx(0.9306, abs=1e-4))
    assert head(plots.roc(model, melons, ripe)).startswith(f"{LEFT_OUT} · area {left_out:.4g} ±")
    assert head(plots.roc(model, melons, ripe, left_out=False)).startswith(f"{IN_SAMPLE} · area {in_sample:.4g} ±")


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), LogisticClassifier(), Calibrated(NaiveBayes()), LogisticClassifier(scale=False)],
    ids=["naive", "logistic", "calibrated", "unscaled"],
)
def test_a_model_that_has_seen_the_rows_is_asked_without_each(model):
    how = "10-fold cross-validation" if isinstance(model, Calibrated) else LEFT_OUT
    assert head(plots.confusion(model.fit(BILLS, SPECIES), BILLS, SPECIES)).startswith(how)
    assert head(plots.confusion(model, BILLS, SPECIES, left_out=False)).startswith(IN_SAMPLE)


@pytest.mark.parametrize("model", [NaiveBayes(), LogisticClassifier()])
def test_a_model_fitted_on_other_rows_is_asked_as_it_is(model):
    learned, new = halves()
    ax = plots.confusion(model.fit(*learned), *new)
    right = int((model.predict(new[0]) == new[1]).sum())
    assert head(ax) == f"{AS_FITTED} · right {right} of {len(new[1])}"
    assert head(plots.confusion(model, *new, left_out=True)).startswith(LEFT_OUT)


def test_a_class_without_rows_does_not_hide_what_was_seen():
    classes = ["Adelie", "Chinstrap", "Emperor", "Gentoo"]
    model = NaiveBayes().fit(BILLS, SPECIES, classes=classes)
    assert head(plots.confusion(model, BILLS, SPECIES, left_out=False)).startswith(IN_SAMPLE)
    ax = plots.confusion(model, BILLS, SPECIES, Loss.zero_one(classes, reject=0.1))
    assert head(ax).startswith(LEFT_OUT)
    assert [text.get_text() for text in ax.get_yticklabels()] == classes


def test_a_model_that_is_not_fitted_and_a_validation_of_folds():
    assert head(plots.risk_coverage(NaiveBayes(), BILLS, SPECIES)).startswith(LEFT_OUT)
    found = cross_validate(NaiveBayes(), BILLS, SPECIES, folds=5)
    assert head(plots.risk_coverage(found)).startswith(found.how)


def test_hidden_components_and_models_of_others():
    model = GaussianDiscriminant(components=2, em=EM(restarts=1)).fit(BILLS, SPECIES)
    assert head(plots.confusion(model, BILLS, SPECIES, left_out=False)).startswith(IN_SAMPLE)
    X = np.column_stack(list(BILLS.values()))
    other = LogisticRegression(max_iter=5000).fit(X, SPECIES)
    assert head(plots.confusion(other, X, SPECIES)).startswith(AS_FITTED)


def test_names_of_columns_stand_for_labels():
    table = BILLS | {"kind": SPECIES}
    assert head(plots.confusion(NaiveBayes(), table, "kind")) == head(plots.confusion(NaiveBayes(), BILLS, SPECIES))


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (lambda found: plots.roc(NaiveBayes()), "Give a Validation, such as .* found NaiveBayes alone"),
        (lambda found: plots.roc(found, BILLS, SPECIES), "A Validation has its rows already"),
        (lambda found: plots.roc(found, left_out=False), "A Validation has its rows already"),
        (lambda found: plots.roc(found, loss=CAREFUL), "say which of .* it is about: positive="),
        (lambda found: plots.cost(found, loss=CAREFUL), "say which of .* it is about: positive="),
        (lambda found: plots.calibration(found, positive="Emperor"), "no class 'Emperor'"),
        (
            lambda found: plots.confusion(NaiveBayes().fit(BILLS, SPECIES), BILLS, ["a"] * ROWS, left_out=False),
            r"y holds \['a'\], but the model knows",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said(draw, text):
    with pytest.raises(ParameterError, match=text):
        draw(leave_one_out(NaiveBayes(), BILLS, SPECIES))


# what they show


@pytest.mark.parametrize("draw", [plots.roc, plots.calibration, plots.cost])
@pytest.mark.parametrize("classes", [3, 5])
def test_of_more_than_two_classes_each_has_its_curve_and_its_name(draw, classes):
    y = TRUTH if classes == 3 else np.where(np.arange(ROWS) % 3 == 0, TRUTH, np.char.add(TRUTH, "s"))
    y = np.where(y == "Chinstraps", "Chinstrap", y) if classes == 5 else y
    found = leave_one_out(NaiveBayes(), BILLS, y)
    ax = draw(found)
    assert [text.split(" · ")[0] for text in legend(ax)] == list(found.classes)
    assert head(ax).startswith(LEFT_OUT)
    for k, name in enumerate(found.classes):
        alone, curve = draw(found, positive=name), style.colour(k)
        mine = [line.get_xydata() for line in ax.get_lines() if line.get_color() == curve]
        assert any(
            len(a) == len(b) and np.allclose(a, b) for a in mine for b in map(xydata, alone.get_lines()) if len(a) > 2
        )


def xydata(line):
    return line.get_xydata()


def test_areas_are_told_by_class():
    found = leave_one_out(NaiveBayes(), BILLS, SPECIES)
    for name, text in zip(found.classes, legend(plots.roc(found)), strict=True):
        area = roc_auc_score(name == TRUTH, found.posterior[:, found.classes.index(name)])
        assert text.startswith(f"{name} · area {area:.3f}"[:-1])


def test_a_loss_of_all_classes_marks_no_point_on_their_curves():
    loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    found, plain = (leave_one_out(NaiveBayes(), BILLS, SPECIES, loss=given) for given in (loss, None))
    points = [
        sum(line.get_linestyle() == "None" for line in plots.roc(judged).get_lines()) for judged in (found, plain)
    ]
    assert points == [0, 3]


TWO = np.where(TRUTH == "Chinstrap", "Chinstrap", "other")


def test_the_operating_point_is_the_one_that_the_loss_implies():
    found = leave_one_out(NaiveBayes(), BILLS, TWO)
    ax = plots.roc(found, positive="Chinstrap", loss=CAREFUL)
    [point] = [line for line in ax.lines if line.get_marker() == "o"]
    called = decide(found.posterior, CAREFUL, found.classes).action == "say so"
    truth = TWO == "Chinstrap"
    assert (point.get_xdata()[0], point.get_ydata()[0]) == pytest.approx((called[~truth].mean(), called[truth].mean()))
    assert legend(ax) == ["95%", "posterior ≥ 0.2"]


def test_the_cost_at_the_threshold_of_the_loss_is_the_mean_loss():
    found = leave_one_out(NaiveBayes(), BILLS, TWO, loss=CAREFUL)
    ax = plots.cost(found, positive="Chinstrap")
    [point] = [line for line in ax.lines if line.get_marker() == "o"]
    assert float(point.get_ydata()[0]) == pytest.approx(float(found.mean_loss))
    assert legend(ax)[1] == f"threshold 0.2: mean cost {found.mean_loss}"


def test_without_a_threshold_there_is_no_point():
    uneven = Loss(
        {
            "ring": {"Adelie": 0, "Chinstrap": 2, "Gentoo": 5},
            "let go": {"Adelie": 3, "Chinstrap": 0, "Gentoo": 0},
        }
    )
    ax = plots.cost(NaiveBayes(), BILLS, SPECIES, "Adelie", uneven)
    assert [line for line in ax.lines if line.get_marker() == "o"] == []
    with pytest.raises(LossError, match="costs of the other classes differ"):
        plots.roc(NaiveBayes(), BILLS, SPECIES, "Adelie", uneven)
    with pytest.raises(LossError, match="One threshold separates two actions"):
        plots.cost(NaiveBayes(), BILLS, SPECIES, "Adelie", Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"]))


def test_risk_and_coverage_of_rejection():
    loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    found = leave_one_out(NaiveBayes(), BILLS, SPECIES)
    ax = plots.risk_coverage(found, loss=loss)
    answered = found.posterior.max(axis=1) > 0.9
    wrong = np.array(found.classes)[found.posterior.argmax(axis=1)] != TRUTH
    [point] = [line for line in ax.lines if line.get_marker() == "o"]
    expected = answered.mean(), wrong[answered].mean()
    assert (point.get_xdata()[0], point.get_ydata()[0]) == pytest.approx(expected)
    [all_answered] = [line for line in plots.risk_coverage(found).lines if line.get_marker() == "o"]
    assert (all_answered.get_xdata()[0], all_answered.get_ydata()[0]) == pytest.approx((1.0, wrong.mean()))


def test_an_action_that_is_no_class_answers_no_row():
    ring = {"ring": {"Adelie": 1, "Chinstrap": 0, "Gentoo": 1}, "let go": {"Adelie": 0, "Chinstrap": 5, "Gentoo": 0}}
    with pytest.raises(LossError, match=r"action for each class, .*'Gentoo'\].*\['ring', 'let go'\]"):
        plots.risk_coverage(leave_one_out(NaiveBayes(), BILLS, SPECIES, loss=ring))


def test_confusion_is_scikit_learns_and_rejection_has_a_column():
    found = leave_one_out(NaiveBayes(), BILLS, SPECIES)
    predicted = np.array(found.classes)[found.posterior.argmax(axis=1)]
    counts = confusion_matrix(TRUTH, predicted)
    ax = plots.confusion(found)
    shown = {tuple(map(int, text.get_position())): int(text.get_text()) for text in ax.texts}
    assert shown == {(k, i): counts[i, k] for i in range(3) for k in range(3) if counts[i, k]}
    assert head(ax) == f"{LEFT_OUT} · right {np.trace(counts)} of {ROWS}"
    sure = plots.confusion(found, loss=Loss.zero_one(list(found.classes), reject=0.1))
    assert [text.get_text() for text in sure.get_xticklabels()] == [*found.classes, "reject"]
    turned = plots.confusion(found, loss=Loss.zero_one(list(found.classes)[::-1]))
    np.testing.assert_allclose(turned.images[0].get_array(), ax.images[0].get_array())


def test_calibration_has_its_intervals_and_a_strip():
    ax = plots.calibration(NaiveBayes(), BILLS, SPECIES, "Gentoo", bins=5)
    assert ax.get_xlabel() == "predicted probability of Gentoo"
    bars = [bar for bar in ax.patches if bar.get_width() == pytest.approx(0.2)]
    assert len(bars) == len(ax.lines[1].get_xdata())
    assert all(bar.get_y() + bar.get_height() <= 0 for bar in bars)  # below the curve


# models side by side


def test_the_best_model_is_first_and_the_rest_have_the_error_of_their_difference():
    found = compare([NaiveBayes(), LinearDiscriminant(), LogisticClassifier()], BILLS, SPECIES)
    ax = plots.comparison(found)
    ordered = sorted(found.trials, key=lambda trial: trial.validation.log_loss)
    assert [text.get_text() for text in ax.get_yticklabels()] == [trial.name for trial in ordered]
    bars = [line for line in ax.lines if line.get_linewidth() == 5]
    errors = [found.difference(trial.name, ordered[0].name).se for trial in ordered[1:]]
    assert [np.ptp(bar.get_xdata()) / 2 for bar in bars] == pytest.approx(errors)
    assert [text.get_text() for text in plots.comparison(found, "accuracy").get_yticklabels()] == [
        trial.name for trial in sorted(found.trials, key=lambda trial: -trial.validation.accuracy)
    ]


def test_a_loss_is_the_measure_where_one_was_given():
    models = [NaiveBayes(), LinearDiscriminant()]
    loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    assert plots.comparison(compare(models, BILLS, SPECIES, loss=loss)).get_xlabel() == "mean loss"


@pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowWarning")
def test_infinite_losses_are_said_and_models_without_validation_left_out():
    table, y = {"x": list("ababcc")}, list("uvuvuv")
    found = compare({"smooth": NaiveBayes(), "rough": NaiveBayes(smoothing=0, estimate="ml")}, table, y)
    ax = plots.comparison(found)
    assert [text.get_text() for text in ax.texts] == ["∞"]
    with pytest.raises(ParameterError, match="not known; use one of accuracy, log loss"):
        plots.comparison(found, "speed")
    with pytest.raises(ParameterError, match="None of the models has been validated"):
        plots.comparison(compare([MarginClassifier()], table, y))


# missing cells and the margin


def test_patterns_of_missing_cells():
    ax = plots.missing(COLUMNS)
    image = ax.images[0].get_array()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["333", "9", "2"]
    assert names[0] == "sex"
    gone = {name: int(text.get_text()) for name, text in zip(names, ax.texts, strict=True)}
    assert gone["sex"] == 11
    assert gone["body_mass_g"] == 2
    assert image.sum(axis=0).tolist() == [0, 1, 5]
    assert head(ax).startswith("333 of 344 rows have every cell")


def test_the_margin_has_rings_around_its_support():
    model = MarginClassifier().fit(BILLS, TWO)
    ax = plots.margin(model, BILLS, TWO)
    cells = np.column_stack(list(BILLS.values()))
    rings = [c.get_offsets() for c in ax.collections if len(c.get_offsets()) == len(model.support_[0])]
    assert any(np.allclose(ring, cells[model.support_[0]]) for ring in rings)
    assert legend(ax)[-1] == f"support: {len(model.support_[0])} of {ROWS} rows"
    lines = ax.collections[-2]  # the contours, before the sample of a ring
    on_line = lines.get_paths()[1].vertices
    assert model.decision_function(dict(zip(BILLS, on_line.T, strict=True))) == pytest.approx(0, abs=1e-6)


def test_over_more_columns_the_margin_is_of_scores():
    model = MarginClassifier().fit(MEASURED, SPECIES)
    ax = plots.margin(model, MEASURED, SPECIES, positive="Adelie")
    shown = np.concatenate([c.get_offsets()[:, 0] for c in ax.collections[:3]])
    assert sorted(shown) == pytest.approx(sorted(model.decision_function(MEASURED)[:, 0]))


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (lambda: plots.margin(NaiveBayes(), BILLS, SPECIES), "Only a MarginClassifier"),
        (lambda: plots.margin(MarginClassifier().fit(BILLS, SPECIES), BILLS, SPECIES), "against the rest: positive="),
        (
            lambda: plots.margin(MarginClassifier().fit(*halves()[0]), BILLS, SPECIES, "Adelie"),
            "171 rows that the model was fitted on; found 342",
        ),
    ],
)
def test_what_has_no_margin(draw, text):
    with pytest.raises(ParameterError, match=text):
        draw()
