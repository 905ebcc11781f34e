"""The report as a person has it before them: what it shows when sliders move is what `decide` says."""

import json
import math

import numpy as np
import pytest

import suffice
from suffice import Loss, NaiveBayes, decide, example, leave_one_out, report
from suffice.decisions.shift import shifted

SPOKEN = {"en": ("NaiveBayes gives the right class", "Mean cost"), "zh": ("对未见样本的判对率", "平均代价")}


def penguins(two):
    columns, species = example("penguins")
    columns.pop("year")
    return columns, [("Chinstrap" if name == "Chinstrap" else "other") if two else name for name in species]


def written(folder, two, spoken="en", **options):
    columns, labels = penguins(two)
    with suffice.language(spoken):
        report(NaiveBayes().fit(columns, labels), columns, labels, folder / "page.html", **options)
    return folder / "page.html", leave_one_out(NaiveBayes(), columns, labels), NaiveBayes().fit(columns, labels).priors_


def shown(page):
    """What the decisions come to now: settings, counts and cost."""
    held = page.evaluate("({...document.querySelector('#decision .body').dataset})")
    return {name: json.loads(text) for name, text in held.items()}


def counted(found, actions, across):
    return [
        [int(np.sum((found.labels == k) & (actions == name))) for name in across] for k in range(len(found.classes))
    ]


def slide(page, number, value):
    page.locator("#decision input[type=range]").nth(number).evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", str(value)
    )


def snapped(asked, edges, priors):
    """The loss whose thresholds stand where the page has put them."""
    shift = math.log(asked["prior"] / (1 - asked["prior"])) - math.log(priors[1] / priors[0])
    low, high = (1 / (1 + math.exp(-(edge + shift))) for edge in edges)
    costs = {"Chinstrap": {"Chinstrap": 0, "other": 1 / low}, "other": {"Chinstrap": 1 / (1 - high), "other": 0}}
    return Loss(costs | ({"reject": {"Chinstrap": 1, "other": 1}} if low < high else {}))


SLIDES = {
    "as it opens": (),
    "the second class is dear": ((0, 1.3),),
    "the first class is dear": ((1, 2.0),),
    "another prior": ((2, 0.2),),
    "rejection": ((3, 0.1),),
    "all of them": ((0, 0.5), (1, 1.0), (2, 0.6), (3, 0.2)),
}


@pytest.mark.parametrize("what", SLIDES)
def test_sliders_move_thresholds_counts_and_cost_as_decide_does(opened, tmp_path, what):
    path, left, priors = written(tmp_path, two=True)
    view = opened(path)
    for number, value in SLIDES[what]:
        slide(view.page, number, value)
    found = shown(view.page)
    asked, edges = found["settings"], found["edges"]
    after = np.array([1 - asked["prior"], asked["prior"]])
    posterior = shifted(left.posterior, priors, after)
    counts = counted(
        left, decide(posterior, snapped(asked, edges, priors), left.classes).action, ("Chinstrap", "reject", "other")
    )
    assert found["counts"] == counts
    shares = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
    price = asked["reject"] or 0
    cost = [shares[0] @ [0, price, asked["missFirst"]], shares[1] @ [asked["missSecond"], price, 0]]
    assert found["cost"] == pytest.approx(after @ cost)
    wanted = asked["missFirst"] / (asked["missFirst"] + asked["missSecond"])
    if asked["reject"] is None:  # the edge is the nearest one to the threshold of the costs
        shift = math.log(after[1] / after[0]) - math.log(priors[1] / priors[0])
        assert abs(edges[0] - (math.log(wanted / (1 - wanted)) - shift)) <= 0.05 + 1e-9
    view.quiet()


def test_costs_priors_and_rejection_of_three_classes(opened, tmp_path):
    path, left, priors = written(tmp_path, two=False)
    view = opened(path)
    names = list(left.classes)

    def same(loss, after):
        posterior = shifted(left.posterior.round(6), priors, np.array(after))
        found = decide(posterior, Loss(loss), left.classes)
        assert shown(view.page)["counts"] == counted(left, found.action, [*names, "reject"])

    zero_one = {name: {truth: float(name != truth) for truth in names} for name in names}
    same(zero_one, priors)
    boxes = view.page.locator("#decision input[type=number]")
    boxes.nth(1).fill("20")  # to answer Adelie where it is Chinstrap
    dear = zero_one | {"Adelie": {"Adelie": 0.0, "Chinstrap": 20.0, "Gentoo": 1.0}}
    same(dear, priors)
    slide(view.page, 0, 0.1)
    same(dear | {"reject": dict.fromkeys(names, 0.1)}, priors)
    for place, share in zip((9, 10, 11), ("0.1", "0.8", "0.1"), strict=True):
        boxes.nth(place).fill(share)
    same(dear | {"reject": dict.fromkeys(names, 0.1)}, [0.1, 0.8, 0.1])
    view.quiet()


@pytest.mark.parametrize("spoken", SPOKEN)
@pytest.mark.parametrize("two", [True, False], ids=["two classes", "three classes"])
@pytest.mark.parametrize("width", [390, 1000])
def test_a_page_in_both_languages_asks_for_nothing_and_stays_in_its_window(opened, tmp_path, spoken, two, width):
    path, _, _ = written(tmp_path, two, spoken)
    view = opened(path, width, color_scheme="dark" if two else "light")
    text = view.page.inner_text("body")
    assert all(part in text for part in SPOKEN[spoken])
    assert view.page.get_attribute("html", "lang") == {"en": "en", "zh": "zh-CN"}[spoken]
    assert view.page.evaluate("document.documentElement.scrollWidth") <= width
    assert view.page.locator("svg").count() >= 7
    assert "NaN" not in view.page.inner_html("main")
    view.quiet()


def test_the_keyboard_reaches_sliders_and_moves_them(opened, tmp_path):
    path, _, _ = written(tmp_path, two=True)
    view = opened(path)
    before = shown(view.page)
    reached = []
    for _ in range(40):
        view.page.keyboard.press("Tab")
        reached.append(view.page.evaluate("document.activeElement.type || ''"))
        if reached[-1] == "range":
            break
    assert reached[-1] == "range"
    assert view.page.evaluate("document.activeElement.labels[0].textContent") == "cost of missing other"
    for _ in range(20):
        view.page.keyboard.press("ArrowRight")
    assert shown(view.page)["settings"]["missSecond"] == pytest.approx(10)
    assert shown(view.page)["edges"] != before["edges"]


def test_rows_are_drawn_when_asked_for(opened, tmp_path):
    path, _, _ = written(tmp_path, two=True, rows=3)
    view = opened(path)
    assert view.page.locator("#rows figure").count() == 3
    view.quiet()


@pytest.mark.filterwarnings("ignore::suffice.errors.ImpossibleRowWarning")
def test_odd_models_draw_without_a_complaint(opened, tmp_path):
    odd = NaiveBayes(smoothing=0, estimate="ml").fit({"x": list("aabbc")}, list("nnyyy"))
    report(odd, {"x": list("aabbc")}, list("nnyyy"), tmp_path / "odd.html", rows=5, hide_below=1)
    view = opened(tmp_path / "odd.html")
    assert "NaN" not in view.page.inner_html("main")
    view.quiet()
