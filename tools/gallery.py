"""The gallery: every picture with the line that draws it; `make gallery` writes docs/gallery.md and its pictures."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from suffice import language, plots

DOCS = Path(__file__).resolve().parents[1] / "docs"
DPI = 110
HEAD = """
# Every picture, and the line that draws it

Written by `make gallery`. Each function takes axes, or makes them, and gives them back; words are in the language of
`suffice.language`. For several in one figure, make its axes with `pyplot.subplots(2, 2, layout="constrained")`. Every
line below comes after
""".strip()
SETUP = """
from suffice import *  # example, NaiveBayes, plots, …

columns, species = example("penguins")
numbers = {name: cells for name, cells in columns.items() if name.endswith(("_mm", "_g"))}
bills = {name: columns[name] for name in ("bill_length_mm", "flipper_length_mm")}
depth = {"bill_depth_mm": columns["bill_depth_mm"]}
mixed = {name: cells for name, cells in columns.items() if name != "year"}
naive = NaiveBayes().fit(mixed, species)
here = [i for i, mass in enumerate(columns["body_mass_g"]) if mass == mass]  # rows that were measured
measured, kind = {name: cells[here] for name, cells in bills.items()}, [species[i] for i in here]
unsure = Loss.zero_one(["Adelie", "Chinstrap", "Gentoo"], reject=0.1)
chinstrap = [name if name == "Chinstrap" else "other" for name in species]
melons, ripe = example("watermelon")
melons.pop("编号")  # the number of the row
careful = Loss({"say so": {"Chinstrap": 0, "other": 1}, "say other": {"Chinstrap": 5, "other": 0}})
""".strip()


@dataclass(frozen=True)
class Picture:
    name: str  # of the function
    said: str  # what one sees
    line: str  # that draws it
    title: str = ""  # of the file, where a function has several pictures
    spoken: str = ""  # the language it is for

    @property
    def file(self) -> str:
        return f"gallery/{self.title or self.name}.png"

    @property
    def code(self) -> str:
        return f'with language("{self.spoken}"):\n    {self.line}' if self.spoken else self.line


PICTURES = [
    Picture(
        "densities",
        "Each column by class: densities over histograms, probabilities of categories beside the shares of the rows.",
        "plots.densities(naive, mixed, species)",
    ),
    Picture(
        "pairs",
        "Pairs of columns, with the Gaussians of each class.",
        "plots.pairs(QuadraticDiscriminant().fit(numbers, species), numbers, species)",
    ),
    Picture("missing", "Missing cells, and which are missing together.", "plots.missing(columns)"),
    Picture(
        "regions",
        "Decision regions with rejection. Rows with a ring are decided wrongly.",
        "plots.regions(QuadraticDiscriminant().fit(bills, species), bills, species, unsure)",
    ),
    Picture(
        "regions",
        "The same over one column: p(x | class) P(class), decisions, and the area of error.",
        "plots.regions(NaiveBayes().fit(depth, species), depth, species)",
        "regions-one-column",
    ),
    Picture(
        "discriminant",
        "Rows in the directions that tell classes apart.",
        "plots.discriminant(LinearDiscriminant().fit(numbers, species), numbers, species)",
    ),
    Picture(
        "margin",
        "The margin, and the rows that hold it.",
        "plots.margin(MarginClassifier().fit(measured, kind), measured, kind, positive='Gentoo')",
    ),
    Picture("posterior", "The posterior of one row.", "plots.posterior(naive, mixed, row=73)"),
    Picture(
        "explanation",
        "Why: the log odds of one row as a sum over its cells.",
        "plots.explanation(explain(naive, mixed, between=('Adelie', 'Chinstrap')), row=73)",
    ),
    Picture(
        "explanation",
        "The same of a melon, in Chinese.",
        "plots.explanation(explain(NaiveBayes().fit(melons, ripe), melons), row=0)",
        "explanation-zh",
        "zh",
    ),
    Picture(
        "nomogram",
        "A whole model on one sheet, and a row read off it. Scales that turn back on themselves are two lines.",
        """plots.nomogram(
    nomogram(naive, mixed, between=("Adelie", "Chinstrap")), row={name: cells[73] for name, cells in mixed.items()}
)""",
    ),
    Picture(
        "roc",
        "The ROC curve of rows left out, its band, and the operating point of a loss.",
        "plots.roc(NaiveBayes(), bills, chinstrap, 'Chinstrap', careful)",
    ),
    Picture(
        "roc",
        "Of the rows that the model has learned from, the picture says so.",
        "plots.roc(NaiveBayes().fit(bills, chinstrap), bills, chinstrap, 'Chinstrap', careful, left_out=False)",
        "roc-in-sample",
    ),
    Picture(
        "calibration",
        "Whether probabilities come true.",
        "plots.calibration(NaiveBayes(), bills, species, 'Chinstrap')",
    ),
    Picture(
        "risk_coverage",
        "What it buys to leave doubtful rows unanswered.",
        "plots.risk_coverage(NaiveBayes(), bills, species, unsure)",
    ),
    Picture(
        "cost",
        "What rows cost on average, against the threshold.",
        "plots.cost(NaiveBayes(), bills, chinstrap, 'Chinstrap', careful)",
    ),
    Picture(
        "confusion",
        "Which classes are taken for which.",
        "plots.confusion(cross_validate(NaiveBayes(), bills, species, folds=10), loss=unsure)",
    ),
    Picture(
        "comparison",
        "Models side by side.",
        """plots.comparison(
    compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant(), NearestMean()], bills, species)
)""",
    ),
    Picture("tree", "Which column depends on which.", "plots.tree(TreeAugmentedBayes().fit(mixed, species).tree_)"),
    Picture(
        "belief", "Prior, likelihood and posterior of a rate.", "plots.belief(Beta(5, 5).after(heads=15, tails=10))"
    ),
    Picture(
        "em",
        "EM on the way, and what it raises.",
        "plots.em(list(em_steps(Mixture(2, start='random'), bills)), bills)",
    ),
    Picture(
        "choice",
        "How many components, of which shape.",
        "plots.choice(choose(Mixture(), bills, range(1, 6), shapes=('full', 'diagonal')))",
    ),
]


def drawn(pictures: Sequence[Picture] = PICTURES) -> Iterator[tuple[Picture, Any]]:
    """Each picture and its axes."""
    names: dict[str, Any] = {}
    exec(SETUP, names)
    for picture in pictures:
        with language(picture.spoken) if picture.spoken else nullcontext():
            yield picture, eval(picture.line, names)
        plt.close("all")


def page() -> str:
    """The text of docs/gallery.md."""
    lines = [HEAD, "", "```python", SETUP, "```", ""]
    for name in dict.fromkeys(picture.name for picture in PICTURES):
        lines += [f"## {name}", ""]
        for picture in (one for one in PICTURES if one.name == name):
            lines += [picture.said, "", "```python", picture.code, "```", "", f"![{picture.said}]({picture.file})", ""]
        lines += [*summary(name), ""]
    return "\n".join(lines)


def summary(name: str) -> list[str]:
    """What the function says of itself, before its example."""
    told = (getattr(plots, name).__doc__ or "").split(">>>")[0].strip().splitlines()
    return [line.strip() for line in told]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DOCS, help="the folder of gallery.md")
    parser.add_argument("--language", default="en", choices=["en", "zh"])
    asked = parser.parse_args()
    mpl.use("Agg")
    (asked.into / "gallery").mkdir(parents=True, exist_ok=True)
    (asked.into / "gallery.md").write_text(page(), encoding="utf-8")
    with language(asked.language):
        for picture, ax in drawn():
            ax.figure.savefig(asked.into / picture.file, dpi=DPI)


if __name__ == "__main__":
    main()
