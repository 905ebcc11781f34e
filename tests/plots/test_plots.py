"""Every picture, drawn: what is on it, and that nothing global changes."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.contour import QuadContourSet
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

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
from suffice.decisions.explain import Explanation
from suffice.errors import ParameterError
from suffice.plots.style import DARK, colour

mpl.use("Agg")
# not every machine has a Chinese font: test_fonts.py is about those
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.MissingFontWarning")


@pytest.fixture(autouse=True)
def settings_stay():
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def panels(frame):
    """The axes drawn below a frame."""
    return [ax for ax in frame.figure.axes if ax is not frame]


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
    wrong = int((model.predict(table) != np.array(labels)).sum())
    kinds = ["Adelie", "Chinstrap", "Gentoo", f"wrong: {wrong} of 344", "posterior 0.9", "posterior 0.99"]
    assert legend(ax) == kinds
    lines = [c for c in ax.collections if isinstance(c, QuadContourSet) and not c.filled]
    exact = [c for c in lines if mpl.colors.same_color(c.get_edgecolor()[0], DARK)]
    assert bool(exact) == (model.estimate_ != "predictive")
    ringed = next(c for c in ax.collections if c.get_label() == kinds[3]).get_offsets()
    assert len(ringed) == wrong


def test_rejection_is_in_the_legend_and_its_edge_lies_where_costs_are_equal():
    model = LinearDiscriminant.from_parameters({"a": {"x": 0.0, "y": 0.0}, "b": {"x": 2.0, "y": 0.0}}, np.eye(2))
    table, labels = model.sample(200, random_state=0)
    ax = plots.regions(model, table, labels, Loss.zero_one(["a", "b"], reject=0.1))
    assert "reject" in legend(ax)
    filled = [c for c in ax.collections if c.get_alpha() == 0.35]
    across = np.abs(filled[0].get_paths()[0].vertices[:, 0] - 1)  # ln odds = 2 (x − 1), and 0.9 : 0.1 is ln 9
    assert across.max() == pytest.approx(np.log(9) / 2, abs=2e-3)
    assert (across > np.log(9) / 2 - 2e-3).sum() > 2 * 198  # straight edges, from the bottom to the top


def test_a_row_that_is_rejected_is_not_wrong():
    table, labels = bills()
    model = QuadraticDiscriminant().fit(table, labels)
    loss = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
    actions = decide(model.predict_proba(table), loss, model.classes_).action
    wrong = sum(a not in ("reject", b) for a, b in zip(actions, labels, strict=True))
    assert f"wrong: {wrong} of 344" in legend(plots.regions(model, table, labels, loss))


def test_a_class_keeps_its_colour_where_another_has_no_rows(penguins):
    columns, labels = penguins
    kept = [i for i, label in enumerate(labels) if label != "Chinstrap"]
    some, few = {name: cells[kept] for name, cells in columns.items()}, [labels[i] for i in kept]
    model = LinearDiscriminant().fit(columns, labels)
    of_all, of_some = (
        {c.get_label(): tuple(c.get_facecolor()[0]) for c in plots.discriminant(model, *rows).collections[:5]}
        for rows in ((columns, labels), (some, few))
    )
    assert of_all["Gentoo"] == of_some["Gentoo"]


def test_over_one_column_the_area_of_error_is_hatched():
    """Two Gaussians of one width, two deviations apart: P(error) = Φ(−1), and the area says so."""
    model = LinearDiscriminant.from_parameters({"a": {"x": 0.0}, "b": {"x": 2.0}}, 1.0)
    rows, labels = model.sample(200, random_state=0)
    ax = plots.regions(model, rows, labels)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["a", "b", "P(error) = 0.1587"]
    [area] = [c for c in ax.collections if c.get_hatch()]
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
    assert legend(ax) == ["few", "many", "reject"]
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
    colours = {colour(1) if bar.get_width() >= 0 else colour(0) for bar in steps}  # 是 is the second class
    assert {mpl.colors.to_hex(bar.get_facecolor(), False).upper() for bar in steps} == colours
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert {"纹理 = 清晰", "密度 = 0.634"} < set(names)
    assert steps[-1].get_x() + steps[-1].get_width() == pytest.approx(found.log_odds[2])
    assert total.get_width() == pytest.approx(found.log_odds[2])
    assert [text.get_text() for text in ax.get_yticklabels()][-1] == "in all"
    assert f"P(是) = {1 / (1 + np.exp(-found.log_odds[2])):.4f}" in ax.get_title(loc="left")
    [top] = ax.child_axes  # probabilities over the log odds
    ticks = {float(text.get_text()): place for place, text in zip(top.get_xticks(), top.get_xticklabels(), strict=True)}
    assert all(1 / (1 + np.exp(-place)) == pytest.approx(share) for share, place in ticks.items())


def test_of_a_long_name_and_a_long_cell_both_are_there():
    table = {"a column with a rather long name": ["a cell with much to say", "b"] * 3}
    ax = plots.explanation(explain(NaiveBayes().fit(table, ["u", "v"] * 3), table))
    label = ax.get_yticklabels()[1].get_text()
    name, cell = label.split(" = ")
    assert name.startswith("a")
    assert "…" in name
    assert cell.endswith("say")
    assert len(label) <= 22


def test_an_impossible_cell_is_drawn_too():
    table, y = {"x": ["a", "a", "b", "b"], "z": ["u", "v", "u", "v"]}, ["no", "no", "yes", "yes"]
    found = explain(NaiveBayes(smoothing=0, estimate="ml").fit(table, y), table)
    ax = plots.explanation(found, row=0)
    assert [text.get_text() for text in ax.texts].count("−∞") == 2  # the term and the sum
    assert [text.get_text() for text in ax.texts].count("//") == 2
    assert ax.get_xticks().size == 0  # a scale would not be true


def test_a_huge_term_leaves_room_for_the_others():
    found = Explanation(
        ("a", "b"), 0.5, {"huge": np.array([-500.0]), "small": np.array([2.0]), "prior": np.array([1.0])}
    )
    ax = plots.explanation(found)
    widths = [abs(bar.get_width()) for bar in ax.patches]
    assert widths == pytest.approx([0.5, 20, 2, 1, 16.5])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["prior log odds", "huge", "small", "prior", "in all"]
    assert "−500.00" in [text.get_text() for text in ax.texts]


def test_ellipses_hold_their_share_of_the_class(penguins):
    model = LinearDiscriminant().fit(*penguins)
    ax = plots.pairs(model, *penguins, columns=list(penguins[0])[:2])
    curves = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) > 1]
    assert len(curves) == 6
    off = curves[1] - model.means_[0, :2]
    inside = np.einsum("ni,ij,nj->n", off, np.linalg.inv(model.covariance_[:2, :2]), off)
    np.testing.assert_allclose(inside, chi2.ppf(0.95, 2))


def test_a_nomogram_has_a_scale_for_each_column_the_widest_first():
    melons, good = example("watermelon")
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good)
    found = nomogram(model, melons, ("是", "否"))
    ax = plots.nomogram(found)
    *names, total, share = [text.get_text() for text in ax.get_yticklabels()]
    assert names == sorted(found.scales, key=lambda name: -np.ptp(found.scales[name].points))
    assert (total, share) == ("total: ln odds", "P(是)")


def marks(ax):
    return [line for line in ax.lines if line.get_marker() == "o"]


def test_a_row_is_marked_on_a_nomogram_and_adds_up():
    melons, good = example("watermelon")
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(melons, good)
    row = {name: cells[3] for name, cells in melons.items()}
    ax = plots.nomogram(nomogram(model, melons, ("是", "否")), row)
    (*each, total), odds = marks(ax), float(explain(model, {k: [v] for k, v in row.items()}).log_odds[0])
    prior = np.log(8 / 9)
    assert prior + sum(float(line.get_xdata()[0]) for line in each) == pytest.approx(odds, abs=2e-3)
    assert f"P = {1 / (1 + np.exp(-odds)):.3f}" in ax.get_title(loc="left")
    places = dict(zip([text.get_text() for text in ax.get_yticklabels()], ax.get_yticks(), strict=True))
    assert total.get_ydata().tolist() == [places["total: ln odds"], places["P(是)"]]


def test_a_scale_that_turns_back_is_two_lines():
    model = NaiveBayes.from_tables(
        {"class": {"class": ["a", "b"], "prior": [0.5, 0.5]}, "x": {"mean": [0.0, 0.0], "sd": [1.0, 2.0]}},
        {"x": "gaussian"},
    )
    found = nomogram(model, {"x": np.linspace(-3, 3, 61)}, ("a", "b"))
    lines = [c for c in plots.nomogram(found).collections if c.get_linewidth()[0] == 1.2]
    ends = [c.get_segments()[0] for c in lines][:2]
    assert ends[0][0, 1] != ends[1][0, 1]  # beside each other
    assert np.array(ends)[..., 0] == pytest.approx(np.array(ends)[::-1, :, 0])  # and the same points on both


def test_impossible_values_stand_at_the_edge_of_a_nomogram():
    table, y = {"x": ["a", "a", "b", "c"], "z": [1.0, 2.0, 1.5, 3.0]}, ["no", "no", "yes", "yes"]
    model = NaiveBayes(smoothing=0, estimate="ml").fit(table, y)
    ax = plots.nomogram(nomogram(model, table), {"x": "a", "z": 2.0})
    texts = [text.get_text() for text in ax.texts]
    assert "◂ a" in texts
    assert "b ▸" in texts
    assert np.isfinite(ax.get_xlim()).all()
    assert "ln odds −∞, P = 0.0000" in ax.get_title(loc="left")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"x": 9.0}, "scale of 'x' has from 0.0 to 2.0; the row holds 9.0"),
        ({"x": [1.0, 2.0]}, "Only one row can be marked, .*; found 2"),
    ],
)
def test_a_row_that_is_not_on_the_scale_is_refused(row, text):
    table = {"x": [0.0, 1.0, 0.5, 2.0]}
    found = nomogram(NaiveBayes().fit(table, ["a", "a", "b", "b"]), table)
    with pytest.raises(ParameterError, match=text):
        plots.nomogram(found, row)


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
    assert [panel.get_xlabel() for panel in panels(ax)] == labels
    assert all(len(panel.lines) == 3 for panel in panels(ax))
    assert len(ax.get_legend().get_texts()) == 4


def test_panels_need_a_place_in_a_grid():
    ax = plt.figure().add_axes((0, 0, 1, 1))
    with pytest.raises(ParameterError, match="axes in a grid"):
        plots.belief(Dirichlet({"a": 1, "b": 1, "c": 1}), ax)


# EM


@pytest.fixture
def eruptions(data):
    return data("faithful")


@pytest.mark.parametrize("names", [["waiting"], ["eruptions", "waiting"]])
def test_states_of_em_as_small_multiples(eruptions, names):
    table = {name: eruptions[name] for name in names}
    states = list(em_steps(Mixture(2, start="random"), table))
    *small, last = panels(plots.em(states, table))
    assert 2 <= len(small) <= 5
    assert small[0].get_title(loc="left") == "step 1"
    assert small[-1].get_title(loc="left") == f"step {states[-1].step}"
    assert small[0].get_xlabel() == names[0]
    every, shown = last.lines
    assert every.get_ydata() == pytest.approx([state.objective for state in states])
    assert len(shown.get_xdata()) == len(small)


def test_states_are_drawn_into_axes_given(eruptions):
    table = {"waiting": eruptions["waiting"]}
    ax = plt.subplots(1, 2)[1][1]
    assert plots.em(list(em_steps(Mixture(2), table)), table, ax) is ax


@pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")  # numbers of few values are meant
def test_states_of_many_columns_are_not_drawn(eruptions):
    table = {**eruptions, "third": eruptions["waiting"] ** 2}
    with pytest.raises(ParameterError, match="one or two numeric columns; found 3"):
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


@pytest.mark.parametrize("odd", [None, 3, "text", [None], {}, NaiveBayes()], ids=repr)
@pytest.mark.parametrize(
    "draw",
    [
        plots.belief,
        plots.choice,
        plots.comparison,
        plots.explanation,
        plots.nomogram,
        plots.tree,
        lambda odd: plots.em(odd, [[1.0]]),
        lambda odd: plots.belief(Beta(2, 2), ax=odd if odd is not None else 0),
        lambda odd: plots.posterior(odd if not isinstance(odd, NaiveBayes) else Mixture(2), [[1.0]]),
    ],
)
def test_what_it_is_no_picture_of_is_refused(draw, odd):
    refused = r"This picture shows|no state to draw|ax must be matplotlib axes|fitted classifier"
    with pytest.raises(ParameterError, match=refused):
        draw(odd)
