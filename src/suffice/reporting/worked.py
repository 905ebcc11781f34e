"""Bayes' rule written out: the factors of each class, their product, the evidence, the posterior.

In:  plain numbers p(x | class) and P(class); or a Joint and one row, whose factors are p(x_j | class).
Out: Worked, which prints as the calculation, as text, HTML or LaTeX.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from suffice.arrays import Array, log, log_sum_exp
from suffice.data.blocks import cut
from suffice.data.frames import by_name
from suffice.data.levels import Level, Levels, plain
from suffice.data.table import Table
from suffice.decisions.explain import factors_in_turn
from suffice.decisions.names import names_of
from suffice.errors import ParameterError
from suffice.families.protocol import Block, Factors
from suffice.model.joint import Joint
from suffice.model.rules import prevalence
from suffice.options import numbers, shown
from suffice.printing.cells import HeldCells
from suffice.printing.description import Description, Series, Sheet, Text, english
from suffice.printing.language import word
from suffice.printing.numbers import Format, from_logs, quantity
from suffice.printing.printed import Printed
from suffice.words import escaped

MOST_FACTORS = 12  # of a product that is written out
MOST_COLUMNS = 6  # whose cells are named in the title of a factor


@dataclass(frozen=True, eq=False, repr=False)
class Worked(Printed):
    """P(class | x) worked out as in a textbook. `factors` holds p(x_j | class) by column, in the order of `classes`.

    If no class can have produced the row, the evidence is 0 and the posterior is the prior.
    """

    classes: Levels
    priors: Array  # (K,)
    log_factors: dict[str, Array]  # what is observed → (K,)
    titles: Mapping[str, Text] = field(default_factory=dict)  # the same as it is printed

    @property
    def factors(self) -> dict[str, Array]:
        return {title: np.exp(logs) for title, logs in self.log_factors.items()}

    @property
    def log_products(self) -> Array:
        """Ln P(class) ∏ p(x_j | class)."""
        return np.asarray(sum(self.log_factors.values(), log(self.priors)))

    @property
    def products(self) -> Array:
        return np.exp(self.log_products)

    @property
    def log_evidence(self) -> float:
        """Ln p(x), the sum of the products."""
        return float(log_sum_exp(self.log_products[None, :])[0])

    @property
    def evidence(self) -> float:
        return float(np.exp(self.log_evidence))

    @property
    def posterior(self) -> Array:
        """P(class | x)."""
        possible = np.isfinite(self.log_evidence)
        return np.exp(self.log_products - self.log_evidence) if possible else np.asarray(self.priors)

    @property
    def error(self) -> float:
        """P(error | x) of the most probable class."""
        return float(1.0 - self.posterior.max())

    @property
    def decision(self) -> Level:
        """The most probable class; ties go to the first."""
        return self.classes[int(self.posterior.argmax())]

    def __getitem__(self, name: Any) -> float:
        """The posterior of a class."""
        if plain(name) not in self.classes:
            raise ParameterError(f"There is no class {name!r}; the classes are {list(self.classes)}.")
        return float(self.posterior[self.classes.index(plain(name))])

    def description(self) -> Description:
        """The factors, product and posterior of each class, then the same as a calculation."""
        return Description((), [Sheet(word("factor"), self.classes, self._series(), turned=True), self._calculation()])

    def table(self) -> Any:
        """Factors, product and posterior by class, as a dict of arrays."""
        sheet = self.description().tables[0]
        return replace(sheet, corner=word("class"), turned=False).frame()

    def _series(self) -> list[Series]:
        logs = {"P(class)": log(self.priors), **self.log_factors}
        titles = {"P(class)": word("P(class)"), **self.titles}
        factors = [Series(titles.get(t, t), np.exp(row), _as(from_logs(row)), name=t) for t, row in logs.items()]
        product = Series(word("product"), self.products, _as(self._products()[:-1]))
        return [*factors, product, Series(word("posterior"), self.posterior, _as(self._shares()[:-1]))]

    def _products(self) -> list[str]:
        """Of each class, and the evidence, in one format."""
        return from_logs(np.append(self.log_products, self.log_evidence))

    def _shares(self) -> list[str]:
        """The posterior of each class, and P(error | x), in one format."""
        return quantity(np.append(self.posterior, self.error))

    def _calculation(self) -> list[Text]:
        (*shares, error), evidence = self._shares(), self._products()[-1]
        written, lines = self._written(), list[Text]()
        lines += [f"{left} = {' × '.join(factors)} = {product}" for left, factors, product in written]
        lines += [f"p(x) = {' + '.join(product for *_, product in written)} = {evidence}"]
        each = zip(self.classes, written, shares, strict=True)
        lines += [f"P({name} | x) = {product} / {evidence} = {share}" for name, (*_, product), share in each]
        return [*lines, word("P(error | x) = {value}", value=error)]

    def latex(self) -> str:
        """The same as an aligned block of LaTeX."""
        lines = []
        for k, (_, factors, product) in enumerate(self._written()):
            name = f"\\text{{{escaped(str(self.classes[k]))}}}"
            product, evidence = (_in_latex(text) for text in (product, self._products()[-1]))
            terms = " \\times ".join("\\dots" if text == "…" else _in_latex(text) for text in factors)
            lines.append(f"P({name}) \\prod_j p(x_j \\mid {name}) &= {terms} = {product}")
            share = _in_latex(self._shares()[k])
            lines.append(f"P({name} \\mid x) &= \\frac{{{product}}}{{{evidence}}} = {share}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _written(self) -> list[tuple[str, list[str], str]]:
        """For each class the left side, the factors of cells that are there, and the product."""
        prior, *factors, product, _ = [series.texts(np.arange(len(self.classes))) for series in self._series()]
        there = [text for text, logs in zip(factors, self.log_factors.values(), strict=True) if logs.any()]
        some = [prior, *there[:MOST_FACTORS], *([["…"] * len(prior)] if len(there) > MOST_FACTORS else [])]
        each = zip(self.classes, zip(*some, strict=True), product, strict=True)
        return [(f"P({name}) ∏ p(x_j | {name})", list(texts), whole) for name, texts, whole in each]


def _as(texts: list[str]) -> Format:
    """Numbers that are written already."""
    return lambda _: texts


def posterior(likelihoods: Mapping[Any, float], priors: Any = None) -> Worked:
    """P(class | x) from plain numbers by name: `likelihoods` p(x | class), and `priors` P(class), equal unless given.

    Raises
    ------
    ParameterError
        If a likelihood is below 0, or `priors` do not name every class or sum to 1.

    >>> posterior({"ill": 0.9, "well": 0.1}, {"ill": 0.01, "well": 0.99})
    factor          ill      well
    P(class)    0.01000   0.99000
    x            0.9000    0.1000
    product    0.009000  0.099000
    posterior    0.0833    0.9167
    <BLANKLINE>
    P(ill) ∏ p(x_j | ill) = 0.01000 × 0.9000 = 0.009000
    P(well) ∏ p(x_j | well) = 0.99000 × 0.1000 = 0.099000
    p(x) = 0.009000 + 0.099000 = 0.108000
    P(ill | x) = 0.009000 / 0.108000 = 0.0833
    P(well | x) = 0.099000 / 0.108000 = 0.9167
    P(error | x) = 0.0833

    """
    named = by_name(likelihoods)
    if not isinstance(named, Mapping) or not named:
        raise ParameterError(f"likelihoods must be {{class: p(x | class)}}; found {shown(likelihoods)}.")
    classes = names_of(list(named), "classes")
    found = numbers(list(named.values()), "Likelihoods")
    if found.shape != (len(classes),) or not (np.isfinite(found).all() and (found >= 0).all()):
        raise ParameterError(f"Each class needs one likelihood, 0 or more; found {shown(likelihoods)}.")
    shares = prevalence(np.ones(len(classes)), classes, "uniform" if priors is None else priors, 0.0)
    return Worked(classes, shares, {"x": log(found)})


def worked_of(joint: Joint, table: Table, unseen: str, in_turn: bool) -> Worked:
    """The calculation for the one row of a table."""
    joint.refuse_several("A product of factors")
    if table.rows != 1:
        raise ParameterError(f"Only one row is worked out at a time; found {table.rows}. Give one: table[i : i + 1].")
    cells, out = cut(table, joint.schema, unseen), dict[tuple[str, ...], Array]()
    cells.check(slice(0, 1))
    blocks = cells[slice(0, 1)]
    for plan, block, factors in zip(joint.schema.blocks, blocks, _factors(joint, blocks, in_turn), strict=True):
        for columns, logs in factors.items():
            volume = 0.0 if plan.transform is None else plan.transform.volume(block[0, list(columns)]).sum()
            out[tuple(plan.names[j] for j in columns)] = logs[0] - volume
    order = {name: place for place, name in enumerate(joint.schema.names)}
    ordered = sorted(out, key=lambda names: order[names[0]])
    parents = {} if joint.tree is None else joint.tree.parents
    given = {names: parents.get(names[0]) for names in ordered}
    told = [name for names in ordered for name in (*names[:MOST_COLUMNS], given[names]) if name is not None]
    held = HeldCells.of(table, told)
    titles = {names: _title(names, given[names], held) for names in ordered}
    named = {english(title): title for title in titles.values()}
    return Worked(joint.classes, joint.prevalence, {english(titles[names]): out[names] for names in ordered}, named)


def _factors(joint: Joint, blocks: tuple[Block, ...], in_turn: bool) -> list[Factors]:
    if not in_turn or not joint.density.independent:  # in a tree, columns are in turn anyway
        return joint.density.factors(blocks)
    parts = zip(joint.schema.blocks, joint.density.parts, blocks, strict=True)
    return [factors_in_turn(plan, density, x) for plan, density, x in parts]


def _title(names: Sequence[str], parent: str | None, cells: HeldCells) -> Text:
    some = [cells.label(name) for name in names[:MOST_COLUMNS]]
    more = [word("… ({n} columns)", n=len(names))] if len(names) > MOST_COLUMNS else []
    told = some[0] if len(names) == 1 else word("{parts}", parts=[*some, *more])
    return told if parent is None else word("{what} | {given}", what=told, given=cells.label(parent))


def _in_latex(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return f"{mantissa} \\times 10^{{{int(power)}}}" if power else text
