"""Every picture, drawn: what is on it, and that nothing global changes."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from suffice import (
    Beta,
    Dirichlet,
    LinearDiscriminant,
    Loss,
    Mixture,
    NaiveBayes,
    NormalInverseWishart,
    QuadraticDiscriminant,
    TreeAugmentedBayes,
    choose,
    decide,
    em_steps,
    example,
    explain,
    nomogram,
    plots,
)
from suffice.errors import ParameterError

mpl.use("Agg")
# not every machine has a Chinese font: test_fonts.py is about those
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.MissingFontWarning")


@pytest.fixture(autouse=True)
def closed():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


@pytest.fixture
def penguins():
    columns, labels = example("penguins")
    return {name: values for name, values in columns.items() if name not in ("island", "sex", "year")}, labels


def test_rows_in_two_directions(penguins):
    model = LinearDiscriminant().fit(*penguins)
    ax = plots.discriminant(model, *penguins)
    shown = np.concatenate([points.get_offsets() for points in ax.collections[::2]])
    expected = model.transform(penguins[0])
    assert sorted(np.ma.filled(shown[:, 0], np.nan)[:20]) == pytest.approx(sorted(expected[:20, 0]), nan_ok=True)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    assert ax.get_xlabel().startswith("LD1 (87%")


def test_one_direction_is_a_strip(penguins):
    columns, labels = penguins
    two = ["Adelie" if label == "Adelie" else "other" for label in labels]
    ax = plots.discriminant(LinearDiscriminant().fit(columns, two), columns, two)
    assert ax.get_yticks().tolist() == []


def test_axes_in_axes_out(penguins):
    _, ax = plt.subplots()
    assert plots.discriminant(LinearDiscriminant().fit(*penguins), *penguins, ax=ax) is ax


def test_only_linear_discriminants_have_directions(penguins):
    with pytest.raises(ValueError, match="Only a LinearDiscriminant"):
        plots.discriminant(QuadraticDiscriminant().fit(*penguins), *penguins)


def bills():
    columns, labels = example("penguins")
    return {name: columns[name] for name in ("bill_length_mm", "flipper_length_mm")}, labels


@pytest.mark.parametrize("model", [QuadraticDiscriminant(), LinearDiscriminant(), NaiveBayes(estimate="predictive")])
def test_regions_have_the_rows_and_the_boundaries(model):
    table, labels = bills()
    ax = plots.regions(model.fit(table, labels), table, labels)
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(table)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    rows = 3
    assert (len(ax.collections) > rows) == (model.estimate_ != "predictive")  # contours are collections too


def test_the_rejection_zone_is_grey():
    table, labels = bills()
    loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    ax = plots.regions(QuadraticDiscriminant().fit(table, labels), table, labels, loss=loss)
    assert ax.get_title() == "grey: reject"
    assert set(np.unique(ax.images[0].get_array())) == {0, 1, 2, 3}


def test_over_one_column_the_area_of_error_is_hatched():
    """Two Gaussians of one width, two deviations apart: P(error) = Φ(−1), and the area says so."""
    model = LinearDiscriminant.from_parameters({"a": {"x": 0.0}, "b": {"x": 2.0}}, 1.0)
    rows, labels = model.sample(200, random_state=0)
    ax = plots.regions(model, rows, labels)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["a", "b", "P(error) = 0.1587"]
    [area] = ax.collections
    edge = area.get_paths()[0].vertices
    x, y = edge[: len(edge) // 2].T
    assert np.trapezoid(y, x) == pytest.approx(0.1587, abs=2e-3)
    assert [round(float(mark.get_xdata()[0]), 2) for mark in ax.lines if mark.get_linestyle() == ":"] == [1.0]
    assert ax.get_ylabel() == "p(x | class) P(class)"


def test_one_column_with_rejection_counts_and_other_classifiers():
    rng = np.random.default_rng(0)
    calls, kind = np.concatenate([rng.poisson(2, 40), rng.poisson(6, 40)]), np.repeat(["few", "many"], 40)
    model = NaiveBayes(kinds="poisson").fit({"calls": calls}, kind)
    ax = plots.regions(model, {"calls": calls}, kind, Loss.zero_one(["few", "many"], reject=0.2))
    assert ax.get_title() == "grey: reject"
    assert ax.lines[2].get_drawstyle() == "steps-mid"
    other = LogisticRegression().fit(calls[:, None], kind)
    assert plots.regions(other, calls[:, None], kind).get_ylabel() == "P(class | x)"
    table = {"calls": calls, "kind": kind}
    assert plots.regions(model, table, "kind").get_xlabel() == "calls"
    with pytest.raises(ValueError, match="over numbers; 'kind' holds text"):
        plots.regions(NaiveBayes().fit({"kind": kind}, kind), {"kind": kind}, kind)


def test_regions_are_over_one_or_two_columns(penguins):
    with pytest.raises(ValueError, match="over one or two columns"):
        plots.regions(LinearDiscriminant().fit(*penguins), *penguins)


def test_an_explanation_is_a_waterfall_that_ends_at_the_log_odds():
    melons, good = example("watermelon")
    found = explain(NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good), melons)
    ax = plots.explanation(found, row=2)
    *steps, total = ax.patches
    assert steps[-1].get_x() + steps[-1].get_width() == pytest.approx(found.log_odds[2])
    assert total.get_width() == pytest.approx(found.log_odds[2])
    assert [text.get_text() for text in ax.get_yticklabels()][-1] == "in all"


def test_curves_are_drawn_with_their_numbers(penguins):
    model = NaiveBayes().fit(*penguins)
    area = roc_auc_score(np.array(penguins[1]) == "Chinstrap", model.predict_proba(penguins[0])[:, 1])
    assert plots.roc(model, *penguins, positive="Chinstrap").get_title() == f"area {area:.4f}"
    assert plots.risk_coverage(model, *penguins).get_title().startswith("mean over all coverages 0.0")
    assert plots.calibration(model, *penguins, positive="Gentoo").get_xlabel() == "predicted probability of Gentoo"


def test_a_curve_needs_to_know_its_class(penguins):
    model = NaiveBayes().fit(*penguins)
    with pytest.raises(ValueError, match="Say which of"):
        plots.roc(model, *penguins)
    with pytest.raises(ValueError, match="no class 'Emperor'"):
        plots.calibration(model, *penguins, positive="Emperor")


def test_the_operating_point_is_the_one_that_the_loss_implies(penguins):
    columns, labels = penguins
    two = ["Chinstrap" if label == "Chinstrap" else "other" for label in labels]
    loss = Loss({"say so": {"Chinstrap": 0, "other": 1}, "say other": {"Chinstrap": 4, "other": 0}})
    model = NaiveBayes().fit(columns, two)
    (point,) = [line for line in plots.roc(model, columns, two, "Chinstrap", loss).lines if line.get_marker() == "o"]
    called = decide(model.predict_proba(columns), loss, model.classes_).action == "say so"
    truth = np.array(two) == "Chinstrap"
    assert (point.get_xdata()[0], point.get_ydata()[0]) == pytest.approx((called[~truth].mean(), called[truth].mean()))


def test_ellipses_hold_their_share_of_the_class(penguins):
    model = LinearDiscriminant().fit(*penguins)
    ax = plots.densities(model, *penguins)
    curves = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) > 1]
    assert len(curves) == 6
    off = curves[1] - model.means_[0, :2]
    inside = np.einsum("ni,ij,nj->n", off, np.linalg.inv(model.covariance_[:2, :2]), off)
    np.testing.assert_allclose(inside, chi2.ppf(0.95, 2))


def test_a_nomogram_has_a_scale_for_each_column():
    melons, good = example("watermelon")
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good)
    ax = plots.nomogram(nomogram(model, melons, ("是", "否")))
    assert [text.get_text() for text in ax.get_yticklabels()] == [name for name in melons if name != "编号"]


def test_a_posterior_is_a_bar_for_each_class(penguins):
    model = NaiveBayes().fit(*penguins)
    ax = plots.posterior(model, penguins[0], row=3)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], model.predict_proba(penguins[0])[3])


def test_a_belief_is_drawn_before_and_after_its_rows():
    coin = Beta(5, 5).after(heads=15, tails=10)
    ax = coin.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["prior", "likelihood", "posterior", "95%"]
    assert ax.get_xlabel() == "heads"
    prior, likelihood, posterior = (line.get_xydata().T for line in ax.lines)
    assert prior[1] == pytest.approx(Beta(5, 5).marginal().pdf(prior[0]))
    assert posterior[1] == pytest.approx(coin.marginal().pdf(posterior[0]))
    assert np.trapezoid(likelihood[1], likelihood[0]) == pytest.approx(1)
    assert likelihood[0][likelihood[1].argmax()] == pytest.approx(0.6, abs=2e-3)  # maximum likelihood
    shaded = ax.collections[0].get_paths()[0].vertices[:, 0]
    assert (shaded.min(), shaded.max()) == pytest.approx(coin.hdi(), abs=5e-3)


def test_a_belief_without_rows_is_only_a_prior():
    ax = plots.belief(Beta(0.5, 0.5))
    assert len(ax.lines) == 1
    assert np.isfinite(ax.get_ylim()).all()


@pytest.mark.parametrize(
    ("belief", "labels"),
    [
        (Dirichlet({"红": 1, "绿": 1, "蓝": 1}).after(红=3, 蓝=5), ["红", "绿", "蓝"]),
        (
            NormalInverseWishart([0, 1], 1, 5, np.eye(2)).after([[0.3, 1.2], [0.1, 2.0]]),
            ["mean x0", "variance x0", "mean x1", "variance x1"],
        ),
    ],
)
def test_several_parameters_have_a_panel_each(belief, labels):
    _, ax = plt.subplots()
    assert belief.plot(ax) is ax
    assert [panel.get_xlabel() for panel in ax.child_axes] == labels
    assert all(len(panel.lines) == 3 for panel in ax.child_axes)
    assert len(ax.get_legend().get_texts()) == 4


# EM


@pytest.fixture
def eruptions(data):
    return data("faithful")


@pytest.mark.parametrize("names", [["waiting"], ["eruptions", "waiting"]])
def test_states_of_em_as_small_multiples(eruptions, names):
    table = {name: eruptions[name] for name in names}
    states = list(em_steps(Mixture(2, start="random"), table))
    panels = plots.em(states, table)
    assert 2 <= len(panels) <= 6
    assert panels[0].get_title().startswith("step 0 ")
    assert panels[-1].get_title().startswith(f"step {states[-1].step} ")
    assert panels[0].get_xlabel() == names[0]
    panels[0].figure.canvas.draw()


def test_states_are_drawn_into_axes_given(eruptions):
    table = {"等待": eruptions["waiting"]}
    states = list(em_steps(Mixture(2), table))
    axs = plt.subplots(1, len(states))[1]
    assert plots.em(states, table, axs)[0] is np.ravel(axs)[0]


def test_states_of_many_columns_are_not_drawn(eruptions):
    table = {**eruptions, "third": eruptions["waiting"] ** 2}
    with pytest.raises(ParameterError, match="one or two numeric columns; here are 3"):
        plots.em(list(em_steps(Mixture(2), table)), table)
    with pytest.raises(ParameterError, match="no state to draw"):
        plots.em([], table)


def test_criteria_over_numbers_of_components(eruptions):
    found = choose(Mixture(), eruptions, range(1, 4), shapes=("full", "diagonal"))
    ax = plots.choice(found)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["diagonal, own", "full, own"]
    drawn = {label.get_label(): label.get_ydata() for label in ax.get_lines()}
    columns = found.table()
    np.testing.assert_allclose(drawn["full, own"], columns["bic"][columns["shape"] == "full"])


def test_a_tree_has_its_columns_and_what_each_arc_weighs(penguins):
    model = TreeAugmentedBayes(kinds={"year": "ignore"}).fit(*example("penguins"))
    ax = plots.tree(model.tree_)
    said = [text.get_text() for text in ax.texts]
    assert set(said) >= {*model.tree_.parents, *(f"{weight:.3g}" for *_, weight in model.tree_.arcs)}
    assert len(ax.lines) == len(model.tree_.arcs)
    place = {text.get_text(): text.get_position() for text in ax.texts}
    assert all(place[parent][0] < place[child][0] for parent, child, _ in model.tree_.arcs)
