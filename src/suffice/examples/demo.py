"""`make demo`: a minute with the library: tables, a calculation, a decision, EM, pictures, a report, in the terminal's
language.

In:  two bundled tables; a folder, "suffice-demo" unless it is named. Out: prints, a file for each picture, a page.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from suffice.decisions.decide import Decision, decide
from suffice.decisions.loss import Loss
from suffice.estimators.discriminants import QuadraticDiscriminant
from suffice.estimators.mixture import Mixture
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.reasons import explain, nomogram, worked
from suffice.estimators.steps import State, em_steps
from suffice.examples import example
from suffice.judge.validation import leave_one_out
from suffice.pages.report import report
from suffice.printing.description import Description, Series, Sheet
from suffice.printing.language import as_of_terminal, language, say, word
from suffice.printing.numbers import fixed
from suffice.printing.text import as_text

FOLDER = "suffice-demo"
IN_FOLDER = "{n} picture in the folder {folder}|{n} pictures in the folder {folder}"
BILLS = ("bill_length_mm", "bill_depth_mm")
Picture = Callable[[], Any]  # gives its axes


def melons() -> tuple[NaiveBayes, dict[str, Any], Any]:
    columns, labels = example("watermelon")
    return NaiveBayes(kinds={"编号": "ignore"}, smoothing=0, estimate="unbiased").fit(columns, labels), columns, labels


def bills() -> tuple[QuadraticDiscriminant, dict[str, Any], Any]:
    columns, species = example("penguins")
    there = np.flatnonzero(~np.isnan(columns[BILLS[0]]))
    rows, labels = {name: columns[name][there] for name in BILLS}, np.array(species)[there]
    return QuadraticDiscriminant().fit(rows, labels), rows, labels


def watermelons() -> None:
    """The worked example of the textbooks, with the numbers that the 17 rows really give."""
    model, columns, labels = melons()
    first = {name: values[:1] for name, values in columns.items()}
    print(model, worked(model, first), explain(model, first), leave_one_out(model, columns, labels), sep="\n\n")


def rejection() -> None:
    """A decision that may be left open, where a wrong answer costs 1 and none a tenth of that."""
    model, rows, _ = bills()
    loss = Loss.zero_one(list(model.classes_), reject=0.1)
    found: Decision = decide(model.predict_proba(rows), loss, model.classes_)
    print(loss, found, sep="\n\n")


def groups() -> None:
    """The same rows without their species: EM finds three groups, and its objective never falls."""
    states = list(em_steps(Mixture(3), bills()[1]))
    told = {"log likelihood": "log_likelihood", "objective": "objective"}
    series = [Series(word(title), _of(states, name), fixed(3)) for title, name in told.items()]
    print(as_text(Description((), [Sheet(word("step"), [state.step for state in states], series)])))


def _of(states: Sequence[State], name: str) -> Any:
    return np.array([getattr(state, name) for state in states])


SECTIONS = {
    "Watermelons: naive Bayes from 17 rows": watermelons,
    "Penguins: a decision, or none": rejection,
    "Penguins: groups found by EM": groups,
}


def main(arguments: Sequence[str] = ()) -> Path:
    """Everything, on the terminal and in a folder; the path of the report."""
    with language(as_of_terminal()):
        for title, show in SECTIONS.items():
            print(f"\n{say(title)}\n{'═' * 60}")
            show()
        folder = Path(arguments[0] if arguments else FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"\n{say('Pictures')}\n{'═' * 60}")
        print(drawn(folder))
        print(f"\n{say('A report that opens in any browser')}\n{'═' * 60}")
        path = reported(folder)
        print(path)
    return path


def drawn(folder: Path) -> str:
    """Pictures of the same, in a folder; a sentence says where, or why there are none."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return say("Pictures need matplotlib: pip install 'suffice[plots]'.")
    pictures = _pictures()
    for name, draw in pictures.items():
        figure = draw().figure
        figure.savefig(folder / f"{name}.png", dpi=200)
        pyplot.close(figure)
    return say(IN_FOLDER, n=len(pictures), folder=folder)


def reported(folder: Path) -> Path:
    """A page about penguins, in a folder; where it is."""
    columns, species = example("penguins")
    path = folder / "penguins.html"
    report(NaiveBayes(kinds={"year": "ignore"}).fit(columns, species), columns, species, path)
    return path


def _pictures() -> dict[str, Picture]:
    from suffice import plots

    _, columns, ripe = melons()
    model = NaiveBayes(kinds={"编号": "ignore"}).fit(columns, ripe)  # smoothed, so that no bar is without end
    reasons: Any = explain(model, columns)
    discriminant, rows, labels = bills()
    loss = Loss.zero_one(list(discriminant.classes_), reject=0.1)
    return {
        "explanation": lambda: plots.explanation(reasons),
        "nomogram": lambda: plots.nomogram(nomogram(model, columns)),
        "confusion": lambda: plots.confusion(leave_one_out(model, columns, ripe)),
        "regions": lambda: plots.regions(discriminant, rows, labels, loss=loss),
        "densities": lambda: plots.densities(discriminant, rows, labels),
        "em": lambda: plots.em(list(em_steps(Mixture(3), rows)), rows),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
