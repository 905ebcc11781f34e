"""TreeAugmentedBayes: against R and Weka, brute force over all trees, sums over what is missing, and its own laws."""

import json
import pickle
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import suffice
from estimators.tree_cases import KINDS, mixed
from suffice import (
    NaiveBayes,
    TreeAugmentedBayes,
    bayes_error,
    boundary,
    collect,
    compare,
    cross_validate,
    explain,
    leave_one_out,
)
from suffice.errors import HiddenCellsError, ImproperPriorError, ParameterError, SingularError

REFERENCE = Path(__file__).parents[1] / "reference"
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.KindHint")


def reference(name):
    return json.loads((REFERENCE / f"tan_aode_{name}.json").read_text())["outputs"]["tan"]


def melons():
    table = pd.read_csv(REFERENCE / "data" / "watermelon3_english.csv")
    return table.drop(columns="melon"), table["melon"].to_numpy()


def discrete_melons():
    table, y = melons()
    return table[table.columns[:6]], y


def zoo():
    table = pd.read_csv(REFERENCE / "data" / "Zoo_categorical.csv", dtype=str)
    return table.drop(columns="type"), table["type"].to_numpy()


# against other programs


@pytest.mark.parametrize("smoothing", [0.5, 1])
def test_watermelons_as_r_has_them(smoothing):
    table, y = discrete_melons()
    theirs = reference("watermelon_discrete")
    model = TreeAugmentedBayes(smoothing=smoothing, priors="smoothed").fit(table, y)
    assert {(parent, child) for parent, child, _ in model.tree_.arcs} == set(
        map(tuple, theirs["tree_edges_parent_child"])
    )
    assert sum(weight for *_, weight in model.tree_.arcs) == pytest.approx(theirs["total_cmi"], abs=1e-12)
    found = theirs[f"posterior_alpha_{smoothing}"]
    in_order = [found["log_joint_own"]["cols"].index(name) for name in model.classes_]
    np.testing.assert_allclose(
        model.log_joint(table), np.array(found["log_joint_own"]["values"])[:, in_order], atol=1e-9
    )
    bnclassify = np.array(found["posterior_bnclassify"]["values"])[:, in_order]
    np.testing.assert_allclose(model.predict_proba(table), bnclassify, atol=1e-9)


def test_conditional_information_as_r_has_it():
    table, y = discrete_melons()
    theirs = reference("watermelon_discrete")["cmi_nats"]
    gains = TreeAugmentedBayes().fit(table, y).tree_.gains
    for (i, a), (j, b) in product(enumerate(theirs["rows"]), repeat=2):
        if a != b:
            assert gains[a, b] == pytest.approx(theirs["values"][i][j], abs=1e-12)


@pytest.mark.parametrize("smoothing", [0.5, 1])
def test_a_zoo_whose_ties_are_decided_elsewhere(smoothing):
    table, y = zoo()
    theirs = reference("zoo")
    learned = TreeAugmentedBayes().fit(table, y)
    assert sum(weight for *_, weight in learned.tree_.arcs) == pytest.approx(theirs["total_cmi"], abs=1e-9)
    tree = {child: parent for parent, child in theirs["tree_edges_parent_child"]}
    model = TreeAugmentedBayes(smoothing=smoothing, priors="smoothed", tree=tree).fit(table, y)
    found = theirs[f"posterior_alpha_{smoothing}"]["log_joint_own"]
    in_order = [found["cols"].index(name) for name in model.classes_]
    np.testing.assert_allclose(model.log_joint(table), np.array(found["values"])[:, in_order], atol=1e-9)


@pytest.mark.parametrize(("which", "smoothing"), [("BAYES", 0.5), ("ENTROPY", 1)])
def test_trees_that_begin_elsewhere_as_weka_has_them(which, smoothing):
    table, y = discrete_melons()
    theirs = reference("watermelon_discrete")
    tree = {child: parent for parent, child in theirs[f"weka_TAN_{which}_edges"]}
    model = TreeAugmentedBayes(smoothing=smoothing, priors="smoothed", tree=tree).fit(table, y)
    [[root]] = (
        [theirs[f"weka_root_{which}"]]
        if isinstance(theirs[f"weka_root_{which}"], list)
        else [[theirs[f"weka_root_{which}"]]]
    )
    assert model.tree_.children(None) == [root]
    rooted = TreeAugmentedBayes(smoothing=smoothing, priors="smoothed", root=root).fit(table, y)
    assert rooted.tree_.parents == model.tree_.parents
    posterior = np.array(theirs[f"weka_posterior_{which}_alpha{smoothing}"])[:, ::-1]  # good, bad
    np.testing.assert_allclose(model.predict_proba(table), posterior, atol=1e-9)


# against brute force


def trees_over(names, able):
    """Every tree over some columns: a parent for all but one, without circles."""
    choices = [[None, *(p for p in names if p != child and able(p, child))] for child in names]
    for chosen in product(*choices):
        parents = {child: parent for child, parent in zip(names, chosen, strict=True) if parent is not None}
        if len(parents) == len(names) - 1 and _no_circle(parents):
            yield parents


def _no_circle(parents):
    for node in parents:
        met = {node}
        while (node := parents.get(node)) is not None:
            if node in met:
                return False
            met.add(node)
    return True


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "names", [["colour", "shape", "a", "b"], ["a", "b", "c", "d"], ["colour", "shape", "visits", "a"]]
)
def test_no_tree_gains_more(seed, names):
    table, y = mixed(60, seed, holes=0.1)
    kinds = {name: KINDS[name] for name in names if name in KINDS}
    model = TreeAugmentedBayes(kinds=kinds).fit(table[names], y)
    gains, numbers = model.tree_.gains, {"a", "b", "c", "d"}
    able = lambda p, c: p in {"colour", "shape"} or {p, c} <= numbers  # noqa: E731
    totals = [sum(gains[p, c] for c, p in parents.items()) for parents in trees_over(names, able)]
    assert sum(weight for *_, weight in model.tree_.arcs) == pytest.approx(max(totals), rel=1e-12)


def test_gains_are_those_of_the_formulas():
    """With variances that carry the weak prior: many rows, so that it hardly matters, and by hand."""
    table, y = mixed(4000)
    gains = TreeAugmentedBayes(kinds=KINDS).fit(table, y).tree_.gains
    share = {k: np.mean(y == k) for k in ("no", "yes")}
    correlation = {k: np.corrcoef(table["a"][y == k], table["b"][y == k])[0, 1] for k in share}
    two = -0.5 * sum(share[k] * np.log(1 - correlation[k] ** 2) for k in share)
    assert gains["a", "b"] == gains["b", "a"] == pytest.approx(two, rel=1e-2)
    by_colour = 0.0
    for k in share:
        mine = table[y == k]
        levels = mine.groupby("colour")["a"]
        within = sum(len(cells) / len(mine) * np.log(cells.var(ddof=0)) for _, cells in levels)
        by_colour += 0.5 * share[k] * (np.log(mine["a"].var(ddof=0)) - within)
    assert gains["colour", "a"] == pytest.approx(by_colour, rel=1e-2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("estimate", ["map", "mean", "predictive"])
def test_missing_categories_are_summed_over(seed, estimate):
    table, y = mixed(80, seed)
    table = table[["colour", "shape", "a", "visits"]].assign(more=np.where(table["d"] > 0, "up", "down"))
    model = TreeAugmentedBayes(kinds=KINDS, estimate=estimate).fit(table, y)
    rows = table.iloc[:12].mask(np.random.default_rng(seed).random((12, 5)) < 0.5)
    levels = {name: sorted(table[name].unique()) for name in ("colour", "shape", "more")}
    for i in range(len(rows)):
        row = rows.iloc[[i]]
        open_ = [name for name in levels if row[name].isna().item()]
        every = [dict(zip(open_, cells, strict=True)) for cells in product(*(levels[name] for name in open_))]
        each = [model.log_density(row.assign(**cells))[0] for cells in every]
        np.testing.assert_allclose(
            model.log_density(row)[0], scipy.special.logsumexp(each, axis=0), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "mean"])
def test_missing_numbers_are_integrated_over(estimate):
    table, y = mixed(80)
    table = table[["a", "b", "c", "shape"]]
    tree = {"a": "shape", "b": "a", "c": "b"}
    model = TreeAugmentedBayes(estimate=estimate, tree=tree).fit(table, y)
    row = table.iloc[[0]]
    grid = np.linspace(-25, 25, 20_001)
    for name in "ab":
        every = pd.concat([row] * len(grid), ignore_index=True).assign(**{name: grid})
        integral = np.trapezoid(np.exp(model.log_density(every)), grid, axis=0)
        found = model.log_density(row.assign(**{name: np.nan}))[0]
        np.testing.assert_allclose(np.exp(found), integral, rtol=1e-9)
    both = np.exp([model.log_density(row.assign(b=np.nan, shape=shape))[0] for shape in ("flat", "round")]).sum(axis=0)
    np.testing.assert_allclose(np.exp(model.log_density(row.assign(b=np.nan, shape=None)))[0], both, rtol=1e-12)


def test_lines_are_those_of_least_squares():
    table, y = mixed(50)
    pair = table[["a", "b"]]
    for estimate, less in (("ml", 0), ("unbiased", 2)):
        model = TreeAugmentedBayes(estimate=estimate, tree={"b": "a"}).fit(pair, y)
        found = model.tables()["b"]
        for k, label in enumerate(model.classes_):
            x, z = pair["a"][y == label], pair["b"][y == label]
            slope, start = np.polyfit(x, z, 1)
            spread = np.sqrt(((z - start - slope * x) ** 2).sum() / (len(x) - less))
            np.testing.assert_allclose(
                [found["for each a"][k], found["at a=0"][k], found["sd"][k]], [slope, start, spread]
            )


def test_predictive_lines_are_regressions_with_parameters_integrated_out():
    """Student-t: against quadrature over the child, and the joint over the margin of the parent."""
    table, y = mixed(12)
    model = TreeAugmentedBayes(estimate="predictive", tree={"b": "a"}).fit(table[["a", "b"]], y)
    grid = np.sinh(np.linspace(-14, 14, 40_001))
    rows = pd.DataFrame({"a": 0.3, "b": grid})
    np.testing.assert_allclose(
        np.trapezoid(np.exp(model.log_density(rows)), grid, axis=0),
        np.exp(model.log_density(pd.DataFrame({"a": [0.3], "b": [np.nan]})))[0],
        rtol=1e-6,
    )
    with pytest.raises(HiddenCellsError, match="estimate='map', or fill in"):
        model.predict_proba(pd.DataFrame({"a": [np.nan], "b": [1.0]}))


def test_rows_without_a_number_between_numbers_are_answered_by_known_parameters():
    table, y = mixed(40)
    table, tree = table[["a", "b", "shape"]], {"a": "shape", "b": "a"}
    automatic, known, integrated = (
        TreeAugmentedBayes(tree=tree, estimate=estimate).fit(table, y) for estimate in ("auto", "map", "predictive")
    )
    assert automatic.estimate_ == "predictive"
    np.testing.assert_allclose(automatic.log_density(table), integrated.log_density(table), rtol=1e-12)
    holed = table.assign(a=table["a"].where(np.arange(40) % 2 == 0), shape=table["shape"].where(np.arange(40) % 3 > 0))
    found, between = automatic.log_density(holed), holed["a"].isna().to_numpy()
    np.testing.assert_allclose(found[between], known.log_density(holed[between]), rtol=1e-12)
    np.testing.assert_allclose(found[~between], integrated.log_density(holed[~between]), rtol=1e-12)


# what must come out


def test_columns_that_do_not_depend_have_no_arc_by_evidence_and_the_posteriors_of_naive_bayes():
    """A full factorial table: every combination as often as every other, in each class."""
    cells = list(product("pq", "rst", "uv", ["yes", "no"])) * 3
    table = pd.DataFrame(cells, columns=["a", "b", "c", "y"])
    y = table.pop("y").to_numpy()
    model = TreeAugmentedBayes(criterion="evidence").fit(table, y)
    assert model.tree_.arcs == []
    np.testing.assert_allclose(model.predict_proba(table), NaiveBayes().fit(table, y).predict_proba(table), atol=1e-12)


def test_a_copied_category_says_nothing_more():
    table, y = discrete_melons()
    copied = table.assign(again=table["texture"])
    plain, model = (TreeAugmentedBayes(smoothing=0).fit(some, y) for some in (table, copied))
    assert model.tree_.parents["again"] == "texture"
    np.testing.assert_allclose(model.predict_proba(copied), plain.predict_proba(table), atol=1e-12)


def test_a_copied_number_is_a_line_without_spread_that_priors_keep_finite():
    table, y = mixed(60)
    twice = table[["a", "d"]].assign(again=table["a"] * 2)
    model = TreeAugmentedBayes().fit(twice, y)
    assert model.tree_.parents["again"] == "a"
    assert np.isfinite(model.log_density(twice)).all()
    with pytest.raises(SingularError, match="linear dependence between 'again', 'a'"):
        TreeAugmentedBayes(estimate="ml").fit(twice, y)


def test_evidence_is_that_of_its_factors_and_adds_up():
    """ln p of all cells, one row after the other, each by the predictive of those before: categories."""
    table, y = mixed(40)
    table = table[["colour", "shape"]]
    tree = {"colour": "shape"}
    found = compare([TreeAugmentedBayes(tree=tree), NaiveBayes()], table, y)
    assert "log evidence" in repr(found)
    total, levels = 0.0, {name: sorted(table[name].unique()) for name in table}
    for i in range(len(y)):
        before = table.iloc[:i][y[:i] == y[i]]
        shape, colour = table["shape"].iloc[i], table["colour"].iloc[i]
        alike = before[before["shape"] == shape]
        total += np.log((len(alike) + 1) / (len(before) + len(levels["shape"])))
        total += np.log(((alike["colour"] == colour).sum() + 1) / (len(alike) + len(levels["colour"])))
    from suffice.model.criteria import log_evidence

    model = TreeAugmentedBayes(tree=tree).fit(table, y)
    ours = log_evidence(model.summary_, model.recipe().design(model.summary_), model.recipe().rules())
    assert ours.value == pytest.approx(total, rel=1e-10)


def test_by_evidence_the_tree_has_the_most_evidence_of_all():
    from suffice.model.criteria import log_evidence

    table, y = mixed(50)
    table = table[["colour", "shape", "a", "b"]]

    def worth(model):
        return log_evidence(model.summary_, model.recipe().design(model.summary_), model.recipe().rules()).value

    best = worth(TreeAugmentedBayes(criterion="evidence").fit(table, y))
    others = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        order = [*rng.permutation(["colour", "shape"]), *rng.permutation(["a", "b"])]
        tree = {child: order[rng.integers(i)] for i, child in enumerate(order) if i and rng.random() < 0.7}
        others.append(worth(TreeAugmentedBayes(tree=tree).fit(table, y)))
    assert best >= max(others) - 0.5 * np.log(50)  # lines and single numbers have other weak priors


# laws


@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_batches_summaries_files_and_pickles_are_the_same_model(holes, tmp_path):
    table, y = mixed(90, holes=holes)
    whole = TreeAugmentedBayes(kinds=KINDS).fit(table, y)
    want = whole.predict_proba(table)
    batched = TreeAugmentedBayes(kinds=KINDS)
    for rows in (slice(0, 20), slice(20, 50), slice(50, None)):
        batched.partial_fit(table.iloc[rows], y[rows], classes=["no", "yes"])
    summary = collect(table, y, kinds=KINDS, pairs=True)
    again = TreeAugmentedBayes.from_summary(summary, kinds=KINDS)
    whole.save(tmp_path / "tree.suffice")
    models = {"batches": batched, "summary": again, "file": suffice.load(tmp_path / "tree.suffice")}
    models |= {"pickle": pickle.loads(pickle.dumps(whole))}
    for name, model in models.items():
        assert model.tree_.parents == whole.tree_.parents, name
        np.testing.assert_allclose(model.predict_proba(table), want, rtol=1e-9, atol=1e-12, err_msg=name)


def test_a_summary_without_pairs_is_refused():
    table, y = mixed()
    with pytest.raises(ParameterError, match="Collect it with pairs=True"):
        TreeAugmentedBayes.from_summary(collect(table, y, kinds=KINDS), kinds=KINDS)


def test_columns_without_pairs_depend_on_none():
    table, y = mixed()
    summary = collect(table, y, kinds=KINDS, pairs=["a", "colour", "shape"])
    model = TreeAugmentedBayes.from_summary(summary, kinds=KINDS)
    assert {child for child, parent in model.tree_.parents.items() if parent is not None} < {"a", "colour", "shape"}
    assert model.predict_proba(table).shape == (120, 2)


def test_weights_are_how_often_rows_count():
    table, y = mixed(60, holes=0.1)
    often = np.arange(60) % 3
    weighed = TreeAugmentedBayes(kinds=KINDS).fit(table, y, sample_weight=often)
    repeated = np.repeat(np.arange(60), often)
    same = TreeAugmentedBayes(kinds=KINDS).fit(table.iloc[repeated], y[repeated])
    assert weighed.tree_.parents == same.tree_.parents
    np.testing.assert_allclose(weighed.predict_proba(table), same.predict_proba(table), rtol=1e-9)


def test_the_order_of_columns_matters_to_ties_only():
    table, y = mixed(100, holes=0.1)
    first = TreeAugmentedBayes(kinds=KINDS, root="shape").fit(table, y)
    turned = TreeAugmentedBayes(kinds=KINDS, root="shape").fit(table[table.columns[::-1]], y)
    assert dict(first.tree_.parents) == dict(turned.tree_.parents)
    np.testing.assert_allclose(turned.predict_proba(table), first.predict_proba(table), rtol=1e-9)


def test_units_do_not_matter():
    table, y = mixed(80)
    scaled = table.assign(a=table["a"] * 1e6 + 3e5, b=table["b"] * 1e-6)
    for estimate in ("map", "unbiased"):
        ours, theirs = (TreeAugmentedBayes(kinds=KINDS, estimate=estimate).fit(some, y) for some in (table, scaled))
        assert ours.tree_.parents == theirs.tree_.parents
        np.testing.assert_allclose(theirs.predict_proba(scaled), ours.predict_proba(table), rtol=1e-6)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 100_000))
@pytest.mark.filterwarnings(
    "ignore::suffice.errors.ConstantColumnWarning", "ignore::suffice.errors.UndeterminedWarning"
)
def test_random_mixed_tables(seed):
    """Posteriors that sum to 1, explanations that add up, cells filled in, missing cells as if summed over."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 40))
    y = np.append(rng.integers(0, rng.integers(1, 4), rows - 2), [0, 1])
    table = {}
    for j in range(rng.integers(1, 4)):
        table[f"c{j}"] = rng.choice(np.array(["p", "q", "r", None], dtype=object), rows)
    for j in range(rng.integers(0, 4)):
        table[f"n{j}"] = np.where(rng.random(rows) < 0.15, np.nan, rng.normal(size=rows) * 10.0 ** rng.integers(-3, 3))
    table = pd.DataFrame(table)
    criterion = str(rng.choice(["information", "evidence"]))
    model = TreeAugmentedBayes(criterion=criterion, estimate=str(rng.choice(["auto", "map"]))).fit(table, y)
    posterior = model.predict_proba(table)
    assert np.isfinite(posterior).all()
    np.testing.assert_allclose(posterior.sum(axis=1), 1)
    logs = model.log_joint(table)
    for k in range(1, logs.shape[1]):
        terms = explain(model, table, between=(model.classes_[0], model.classes_[k]))
        np.testing.assert_allclose(terms.log_odds, logs[:, 0] - logs[:, k], atol=1e-8)
    filled = model.impute(table)
    left = [name for name in table if name in {column.name for column in model.joint_.schema.columns}]
    assert not pd.DataFrame(filled)[left].isna().any().any()
    drawn = pd.DataFrame(model.impute(table, draw=True, random_state=0))[left]
    assert not drawn.isna().any().any()
    for name in left:
        there = table[name].notna().to_numpy()
        assert (pd.DataFrame(filled)[name][there].to_numpy() == table[name][there].to_numpy()).all()


# filling cells, drawing rows, reasons


def test_cells_are_filled_with_their_mean_over_classes_and_levels():
    table, y = mixed(100)
    table = table[["shape", "a", "b"]]
    model = TreeAugmentedBayes(tree={"a": "shape", "b": "a"}, estimate="map").fit(table, y)
    row = pd.DataFrame({"shape": [None], "a": [np.nan], "b": [0.8]})
    grid = np.linspace(-30, 30, 30_001)
    density = 0.0
    for shape in ("flat", "round"):
        every = pd.DataFrame({"shape": shape, "a": grid, "b": 0.8})
        density = density + np.exp(model.log_joint(every)).sum(axis=1)
    mean = np.trapezoid(grid * density, grid) / np.trapezoid(density, grid)
    assert model.impute(row)["a"].iloc[0] == pytest.approx(mean, rel=1e-9)
    both = {shape: np.exp(model.log_joint(row.assign(shape=shape))).sum() for shape in ("flat", "round")}
    assert model.impute(row)["shape"].iloc[0] == max(both, key=both.get)
    draws = pd.concat([row] * 4000, ignore_index=True)
    found = model.impute(draws, draw=True, random_state=0)
    assert found["a"].mean() == pytest.approx(mean, abs=4 * found["a"].std() / np.sqrt(4000))
    share = both["flat"] / sum(both.values())
    assert (found["shape"] == "flat").mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 4000))


@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_rows_drawn_are_as_the_model_expects(estimate):
    table, y = mixed(400)
    model = TreeAugmentedBayes(kinds=KINDS, estimate=estimate).fit(table, y)
    rows, labels = model.sample(6000, random_state=0)
    again = TreeAugmentedBayes(kinds=KINDS, estimate="map", tree=model.tree_.parents).fit(rows, labels)
    mine, theirs = (m.log_density(table) for m in (model, again))
    assert np.abs(mine - theirs).mean() < 0.25
    assert list(rows.columns) == list(table.columns)


def test_reasons_are_by_column_given_its_parent():
    table, y = discrete_melons()
    model = TreeAugmentedBayes(priors="uniform").fit(table, y)
    found = explain(model, table, between=("good", "bad"))
    tables = model.tables()
    good, bad = (list(model.classes_).index(name) for name in ("good", "bad"))
    for i, row in table.iterrows():
        for child, parent in model.tree_.parents.items():
            heading = row[child] if parent is None else f"{row[child]} | {parent}={row[parent]}"
            shares = np.asarray(tables[child][heading])
            assert found.terms[child][i] == pytest.approx(np.log(shares[good] / shares[bad]), abs=1e-12)


def test_levels_never_seen():
    table, y = discrete_melons()
    strange = table.iloc[[0]].assign(texture="furry")
    model = TreeAugmentedBayes(smoothing=1).fit(table, y)
    parent = table["colour"].iloc[0]
    n = {k: ((y == k) & (table["colour"] == parent)).sum() for k in ("bad", "good")}
    children = [name for name in table if name not in ("colour", "texture")]
    without = model.log_density(strange.assign(texture=None, **dict.fromkeys(children)))[0]
    found = model.log_density(strange.assign(**dict.fromkeys(children)))[0]
    np.testing.assert_allclose(found - without, np.log([1 / (n[k] + 4) for k in ("bad", "good")]), atol=1e-12)
    assert model.predict_proba(strange).sum() == pytest.approx(1)
    ignoring = TreeAugmentedBayes(unseen="ignore").fit(table, y)
    np.testing.assert_allclose(ignoring.log_density(strange), ignoring.log_density(strange.assign(texture=None)))
    with pytest.raises(suffice.errors.UnseenCategoryError):
        TreeAugmentedBayes(unseen="error").fit(table, y).predict(strange)


def test_a_class_and_level_without_rows_is_as_its_class():
    table = pd.DataFrame({"shape": ["flat"] * 6 + ["round"] * 3, "a": [1.0, 2, 3, 11, 12, 13, 4, 5, 6]})
    y = np.array(["p"] * 3 + ["q"] * 3 + ["p"] * 3)  # no round ones of class q
    for estimate in ("map", "ml"):
        model = TreeAugmentedBayes(tree={"a": "shape"}, estimate=estimate).fit(table, y)
        means = model.tables()["a"]["mean | shape=round"]
        assert np.asarray(means)[1] == pytest.approx(12, abs=1.5)


# validation


@pytest.mark.parametrize("estimate", ["auto", "map", "predictive", "unbiased"])
@pytest.mark.parametrize("names", [["colour", "shape"], ["a", "b", "c"], ["a", "colour", "b", "shape", "visits", "d"]])
@pytest.mark.parametrize("holes", [0.0, 0.15])
def test_leaving_one_out_is_refitting_with_the_tree_kept(estimate, names, holes):
    table, y = mixed(48, seed=3, holes=holes if estimate != "predictive" else 0.0)
    table, kinds = table[names], KINDS if "visits" in names else None
    if estimate == "unbiased":  # levels of few rows have no variance without a prior
        table, kinds = table.drop(columns=["colour", "visits"], errors="ignore"), None
        table = table if len(table.columns) else mixed(48, seed=3)[0][["d", "a"]]
    weights = np.where(np.arange(48) % 5, 1.0, 2.0)
    model = TreeAugmentedBayes(kinds=kinds, estimate=estimate)
    tree = {c: p for c, p in model.fit(table, y, weights).tree_.parents.items() if p is not None}
    found = leave_one_out(model, table, y, sample_weight=weights)
    assert "with the tree of all rows" in repr(found)
    for i in range(0, 48, 4):
        rest = np.arange(48) != i
        without = TreeAugmentedBayes(kinds=kinds, estimate=estimate, tree=tree).fit(table[rest], y[rest], weights[rest])
        np.testing.assert_allclose(found.posterior[i], without.predict_proba(table.iloc[[i]])[0], rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowWarning")
def test_the_last_row_of_a_class_and_of_a_level_is_left_out_too():
    table = pd.DataFrame({"a": ["x", "x", "y", "y", "z", "x"], "b": [1.0, 2.0, 3.5, 4.0, 9.0, 1.5]})
    y = np.array(["p", "p", "q", "q", "p", "r"])
    for smoothing in (0, 1):
        model = TreeAugmentedBayes(tree={"b": "a"}, smoothing=smoothing, estimate="map")
        found = leave_one_out(model, table, y)
        assert found.posterior[5, 2] == 0.0
        rest = np.arange(6) != 4
        kinds = {"a": ("categorical", ["x", "y", "z"])}
        without = TreeAugmentedBayes(tree={"b": "a"}, smoothing=smoothing, estimate="map", kinds=kinds)
        expected = without.fit(table[rest], y[rest], classes=["p", "q", "r"]).predict_proba(table.iloc[[4]])[0]
        np.testing.assert_allclose(found.posterior[4], expected, rtol=1e-7, atol=1e-12)


def test_folds_learn_trees_anew():
    table, y = mixed(60, holes=0.1)
    fold = np.arange(60) % 4
    found = cross_validate(TreeAugmentedBayes(kinds=KINDS), table, y, folds=fold)
    for number in range(4):
        learned, some = fold != number, fold == number
        model = TreeAugmentedBayes(kinds=KINDS).fit(table[learned], y[learned])
        np.testing.assert_allclose(found.posterior[some], model.predict_proba(table[some]), rtol=1e-8, atol=1e-12)


def test_smoothing_can_be_tuned():
    table, y = discrete_melons()
    model = TreeAugmentedBayes(smoothing="auto").fit(table, y)
    assert len(model.tuned_.table()) >= 8


# refusals


def test_trees_that_cannot_be_are_refused():
    table, y = mixed(40)
    fits = lambda **given: TreeAugmentedBayes(kinds=KINDS, **given).fit(table, y)  # noqa: E731
    with pytest.raises(ParameterError, match="'colour' depend on 'a', but columns can depend only"):
        fits(tree={"colour": "a"})
    with pytest.raises(ParameterError, match="must have no cycles, but 'a', 'b'"):
        fits(tree={"a": "b", "b": "a"})
    with pytest.raises(ParameterError, match="tree names 'z'"):
        fits(tree={"a": "z"})
    with pytest.raises(ParameterError, match="tree must be a dict"):
        fits(tree=["a"])
    with pytest.raises(ParameterError, match="is numeric, and categories"):
        fits(root="a")
    with pytest.raises(ParameterError, match="root must be the name of a column"):
        fits(root=np.zeros(2))
    with pytest.raises(ParameterError, match="root='visits' is not a column that others can depend on"):
        fits(root="visits")
    with pytest.raises(ParameterError, match="Leave out root"):
        fits(root="shape", criterion="evidence")
    with pytest.raises(ParameterError, match="criterion='best' is not known"):
        fits(criterion="best")
    with pytest.raises(ImproperPriorError, match="smoothing above 0"):
        fits(criterion="evidence", smoothing=0)
    with pytest.raises(ParameterError, match="parameter_prior must be one of"):
        fits(parameter_prior={"a": suffice.NormalInverseGamma(0, 1, 2, 2)})


def test_what_takes_more_than_a_tree_has_says_so():
    table, y = mixed(40)
    model = TreeAugmentedBayes(kinds=KINDS).fit(table, y)
    with pytest.raises(ParameterError, match="in a tree columns depend on each other"):
        boundary(model, "no", "yes")
    with pytest.raises(ParameterError, match="Intervals"):
        model.predict_interval(table)
    with pytest.raises(ParameterError, match="learned from rows"):
        TreeAugmentedBayes.from_tables({})
    assert not hasattr(model, "means_")
    assert 0 < bayes_error(model, draws=500).value < 0.5
    holed = table.assign(shape=table["shape"].where(np.arange(40) > 3))
    from suffice.model.criteria import log_evidence

    tree = TreeAugmentedBayes(kinds=KINDS, tree={"a": "shape"}).fit(holed, y)
    with pytest.raises(HiddenCellsError, match="rows with missing 'shape'"):
        log_evidence(tree.summary_, tree.recipe().design(tree.summary_), tree.recipe().rules())


@pytest.mark.filterwarnings("ignore::suffice.errors.ConstantColumnWarning")
def test_without_any_column_that_varies_there_are_the_priors():
    model = TreeAugmentedBayes().fit({"a": [1.0, 1.0, 1.0], "b": ["x"] * 3}, ["p", "q", "q"])
    np.testing.assert_allclose(model.predict_proba({"a": [2.0], "b": ["x"]}), [[1 / 3, 2 / 3]])
    assert model.tree_.arcs == []
    assert len(model.arcs_["parent"]) == 0


def test_parameters_are_counted():
    table, y = mixed(60)
    table = table[["colour", "shape", "a", "b"]]
    model = TreeAugmentedBayes(tree={"colour": "shape", "a": "shape", "b": "a"}, estimate="map").fit(table, y)
    shape, colour, a, b, prior = 2 * 1, 2 * 2 * 2, 2 * 2 * 2, 2 * 3, 1
    assert model.bic(table, y) - model.aic(table, y) == pytest.approx(
        (shape + colour + a + b + prior) * (np.log(60) - 2)
    )


def test_it_prints_its_tree_and_its_arcs_are_a_frame():
    table, y = discrete_melons()
    model = TreeAugmentedBayes().fit(table, y)
    lines = [line.rsplit(maxsplit=2) for line in str(model.tree_).splitlines()]
    assert lines[2:4] == [["└─ texture", "colour", "0.2804"], ["   ├─ navel", "texture", "0.3820"]]
    assert list(model.arcs_.columns) == ["parent", "child", "weight"]
    assert len(model.arcs_) == 5
    assert "tree by information" in str(model)


def test_tables_beside_a_tree():
    """Columns modelled together, and rows of counts, depend on no column."""
    table, y = mixed(60)
    table = table.assign(one=np.arange(60) % 3, two=np.arange(60) % 2)
    model = TreeAugmentedBayes(joint=[["a", "b"]], counts=[["one", "two"]], kinds=KINDS).fit(table, y)
    assert {model.tree_.parents[name] for name in ("a", "b", "one", "two")} == {None}
    assert model.predict_proba(table).shape == (60, 2)
    rows, _ = model.sample(5, random_state=0)
    assert rows.shape == (5, 9)
    np.testing.assert_allclose(
        explain(model, table, between=("yes", "no")).log_odds, np.diff(model.log_joint(table), axis=1)[:, 0], atol=1e-9
    )


def test_pairs_of_arcs_are_as_large_both_ways():
    table, y = mixed(70, holes=0.1)
    gains = TreeAugmentedBayes(kinds=KINDS).fit(table, y).tree_.gains
    for some in (("colour", "shape"), ("a", "b", "c", "d")):
        for a, b in combinations(some, 2):
            assert gains[a, b] == gains[b, a]


@pytest.mark.parametrize("unit", [1e-150, 1e-6, 1e150])
def test_the_tree_is_the_same_in_any_unit(unit):
    rng = np.random.default_rng(3)
    first = rng.normal(size=80)
    table = {"a": first, "b": rng.normal(size=80), "c": first + 0.3 * rng.normal(size=80)}
    labels = np.arange(80) % 2
    arcs, same = (
        TreeAugmentedBayes(root="a").fit({name: cells * scale for name, cells in table.items()}, labels).arcs_
        for scale in (1.0, unit)
    )
    assert list(arcs["child"]) == list(same["child"])
    assert list(arcs["parent"]) == list(same["parent"])
    np.testing.assert_allclose(list(map(float, arcs["weight"])), list(map(float, same["weight"])), rtol=1e-9)
