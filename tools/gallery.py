"""The gallery: every picture with the line that draws it; `make gallery` writes its pages and pictures."""

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
HEADS = {
    "en": """
# Every picture, and the line that draws it

Written by `make gallery`. Each function takes axes, or makes them, and gives them back; words are in the language of
`suffice.language`. For several in one figure, make its axes with `pyplot.subplots(2, 2, layout="constrained")`. Every
line below comes after
""".strip(),
    "zh": """
# 图集：每张图和画它的那一行

本页由 `make gallery` 写出。每个函数接受坐标轴（不给就自己新建），并返回坐标轴；图中文字随 `suffice.language`
而变，本页的图除一张外都用英文。要在一张图里放几幅，先用 `pyplot.subplots(2, 2, layout="constrained")`
建好坐标轴。下面每一行都接在这段代码之后：
""".strip(),
}
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
    chinese: str  # the same
    line: str  # that draws it
    title: str = ""  # of the file, where a function has several pictures
    spoken: str = ""  # the language it is for

    @property
    def file(self) -> str:
        return f"{self.title or self.name}.png"

    def caption(self, spoken: str) -> str:
        return self.chinese if spoken == "zh" else self.said

    @property
    def code(self) -> str:
        return f'with language("{self.spoken}"):\n    {self.line}' if self.spoken else self.line


PICTURES = [
    Picture(
        "densities",
        "Each column by class: densities over histograms, probabilities of categories beside the shares of the rows.",
        "各列在每一类中的分布：连续属性是直方图与密度，离散属性是概率与样本所占的比例。",
        "plots.densities(naive, mixed, species)",
    ),
    Picture(
        "pairs",
        "Pairs of columns, with the Gaussians of each class.",
        "两两属性的散点，以及各类的正态分布。",
        "plots.pairs(QuadraticDiscriminant().fit(numbers, species), numbers, species)",
    ),
    Picture(
        "missing",
        "Missing cells, and which are missing together.",
        "缺失值，以及哪些属性常常一起缺失。",
        "plots.missing(columns)",
    ),
    Picture(
        "regions",
        "Decision regions with rejection. Rows with a ring are decided wrongly.",
        "判决区域与拒识；带圈的样本判错了。",
        "plots.regions(QuadraticDiscriminant().fit(bills, species), bills, species, unsure)",
    ),
    Picture(
        "regions",
        "The same over one column: p(x | class) P(class), decisions, and the area of error.",
        "只有一列时：p(x | 类) P(类)、判决区间与错误率的面积。",
        "plots.regions(NaiveBayes().fit(depth, species), depth, species)",
        "regions-one-column",
    ),
    Picture(
        "discriminant",
        "Rows in the directions that tell classes apart.",
        "样本在最能分开各类的方向上的投影。",
        "plots.discriminant(LinearDiscriminant().fit(numbers, species), numbers, species)",
    ),
    Picture(
        "margin",
        "The margin, and the rows that hold it.",
        "间隔，以及支撑它的样本。",
        "plots.margin(MarginClassifier().fit(measured, kind), measured, kind, positive='Gentoo')",
    ),
    Picture("posterior", "The posterior of one row.", "一个样本的后验概率。", "plots.posterior(naive, mixed, row=73)"),
    Picture(
        "explanation",
        "Why: the log odds of one row as a sum over its cells.",
        "为什么这样判：一个样本的对数几率是各单元之和。",
        "plots.explanation(explain(naive, mixed, between=('Adelie', 'Chinstrap')), row=73)",
    ),
    Picture(
        "explanation",
        "The same of a melon, in Chinese.",
        "同一种图，一个西瓜，用中文。",
        "plots.explanation(explain(NaiveBayes().fit(melons, ripe), melons), row=0)",
        "explanation-zh",
        "zh",
    ),
    Picture(
        "nomogram",
        "A whole model on one sheet, and a row read off it. Scales that turn back on themselves are two lines.",
        "整个模型画在一张纸上，并读出一个样本。先升后降的刻度分成两行。",
        """plots.nomogram(
    nomogram(naive, mixed, between=("Adelie", "Chinstrap")), row={name: cells[73] for name, cells in mixed.items()}
)""",
    ),
    Picture(
        "roc",
        "The ROC curve of rows left out, its band, and the operating point of a loss.",
        "留出样本的 ROC 曲线及其置信带，以及给定损失时的工作点。",
        "plots.roc(NaiveBayes(), bills, chinstrap, 'Chinstrap', careful)",
    ),
    Picture(
        "roc",
        "Of the rows that the model has learned from, the picture says so.",
        "若用训练样本来画，图上会注明。",
        "plots.roc(NaiveBayes().fit(bills, chinstrap), bills, chinstrap, 'Chinstrap', careful, left_out=False)",
        "roc-in-sample",
    ),
    Picture(
        "calibration",
        "Whether probabilities come true.",
        "概率是否名副其实。",
        "plots.calibration(NaiveBayes(), bills, species, 'Chinstrap')",
    ),
    Picture(
        "risk_coverage",
        "What it buys to leave doubtful rows unanswered.",
        "拒识把握不足的样本能换来什么。",
        "plots.risk_coverage(NaiveBayes(), bills, species, unsure)",
    ),
    Picture(
        "cost",
        "What rows cost on average, against the threshold.",
        "平均代价随阈值的变化。",
        "plots.cost(NaiveBayes(), bills, chinstrap, 'Chinstrap', careful)",
    ),
    Picture(
        "confusion",
        "Which classes are taken for which.",
        "哪些类被误认作哪些类。",
        "plots.confusion(cross_validate(NaiveBayes(), bills, species, folds=10), loss=unsure)",
    ),
    Picture(
        "comparison",
        "Models side by side.",
        "并列比较多个模型。",
        """plots.comparison(
    compare([NaiveBayes(), LinearDiscriminant(), QuadraticDiscriminant(), NearestMean()], bills, species)
)""",
    ),
    Picture(
        "tree",
        "Which column depends on which.",
        "哪一列依赖于哪一列。",
        "plots.tree(TreeAugmentedBayes().fit(mixed, species).tree_)",
    ),
    Picture(
        "belief",
        "Prior, likelihood and posterior of a rate.",
        "一个比率的先验、似然与后验。",
        "plots.belief(Beta(5, 5).after(heads=15, tails=10))",
    ),
    Picture(
        "em",
        "EM on the way, and what it raises.",
        "EM 的各步，以及它所提高的量。",
        "plots.em(list(em_steps(Mixture(2, start='random'), bills)), bills)",
    ),
    Picture(
        "choice",
        "How many components, of which shape.",
        "取多少个分量，协方差取什么形状。",
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


def page(spoken: str) -> str:
    """The text of docs/en/pages/gallery.md, or of its Chinese twin."""
    lines = [HEADS[spoken], "", "```python", SETUP, "```", ""]
    for name in dict.fromkeys(picture.name for picture in PICTURES):
        lines += [f"## {name}", ""]
        for picture in (one for one in PICTURES if one.name == name):
            said, file = picture.caption(spoken), f"../../shared/gallery/{picture.file}"
            lines += [said, "", "```python", picture.code, "```", "", f"![{said}]({file})", ""]
        lines += [*summary(name, spoken), ""]
    return "\n".join(lines)


def summary(name: str, spoken: str) -> list[str]:
    """What the function says of itself, before its example: English, so that a Chinese page folds it away."""
    told = (getattr(plots, name).__doc__ or "").split(">>>")[0].strip().splitlines()
    lines = [line.strip() for line in told]
    return lines if spoken == "en" else [":::{dropdown} 函数说明（英文）", *lines, ":::"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DOCS, help="the folder of the book")
    asked = parser.parse_args()
    mpl.use("Agg")
    for spoken in HEADS:
        written = asked.into / spoken / "pages" / "gallery.md"
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(page(spoken), encoding="utf-8")
    pictures = asked.into / "shared" / "gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    for picture, ax in drawn():
        ax.figure.savefig(pictures / picture.file, dpi=DPI)


if __name__ == "__main__":
    main()
