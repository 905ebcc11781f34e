"""Bayes' rule written out: the factors of each class, their product, the evidence, the posterior.

In:  plain numbers p(x | class) and P(class); or a Joint and one row, whose factors are p(x_j | class).
Out: Worked, which prints as the calculation, as text, HTML or LaTeX.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from suffice.arrays import Array, log, log_sum_exp
from suffice.data.blocks import cut
from suffice.data.columns import EMPTY, INTEGER, NUMBER
from suffice.data.frames import by_name, columns_out
from suffice.data.levels import Level, Levels, plain
from suffice.data.table import Table
from suffice.decisions.explain import factors_in_turn
from suffice.decisions.names import names_of
from suffice.errors import ParameterError
from suffice.families.protocol import Block, Factors
from suffice.model.joint import Joint
from suffice.model.rules import prevalence
from suffice.options import numbers, shown
from suffice.reporting.text import aligned, number, shortened
from suffice.words import escaped

MOST_FACTORS = 12  # of a product that is written out
MOST_COLUMNS = 6  # whose cells are named in the title of a factor
TINY = -700.0  # ln of what a float can hardly hold


@dataclass(frozen=True, eq=False)
class Worked:
    """P(class | x) as texts work it out. `factors` has p(x_j | class) by column, in the order of `classes`.

    Where no class can have produced the row the evidence is 0, and the posterior is the prior.
    """

    classes: Levels
    priors: Array  # (K,)
    log_factors: dict[str, Array] = field(repr=False)  # what is observed → (K,)

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
        """The most probable class; of equals, the first."""
        return self.classes[int(self.posterior.argmax())]

    def __getitem__(self, name: Any) -> float:
        """The posterior of a class."""
        if plain(name) not in self.classes:
            raise ParameterError(f"There is no class {name!r}; there are {list(self.classes)}.")
        return float(self.posterior[self.classes.index(plain(name))])

    def table(self) -> Any:
        """Factors, product and posterior by class, as a dict of arrays."""
        rows = {"P(class)": self.priors} | self.factors | {"product": self.products, "posterior": self.posterior}
        return columns_out(None, {"class": np.array(self.classes, dtype=object), **rows})

    def __repr__(self) -> str:
        stubs = ["P(class)", *map(shortened, self.log_factors)]
        columns = {str(name): cells for name, cells in zip(self.classes, self._texts(), strict=True)}
        lines = [f"{left} = {' × '.join(factors)} = {product}" for left, factors, product in self._written()]
        lines.append(f"p(x) = {_text(self.log_evidence)}")
        pairs = zip(self.classes, self.posterior, strict=True)
        lines += [f"P({name} | x) = {_digits(share)}" for name, share in pairs]
        return "\n".join([aligned("factor", stubs, columns), "", *lines, f"P(error | x) = {_digits(self.error)}"])

    def latex(self) -> str:
        """The same as an aligned block of LaTeX."""
        lines = []
        for k, (_, factors, product) in enumerate(self._written()):
            name = f"\\text{{{escaped(str(self.classes[k]))}}}"
            product, evidence = (_in_latex(text) for text in (product, _text(self.log_evidence)))
            terms = " \\times ".join("\\dots" if text == "…" else _in_latex(text) for text in factors)
            lines.append(f"P({name}) \\prod_j p(x_j \\mid {name}) &= {terms} = {product}")
            share = _in_latex(_digits(float(self.posterior[k])))
            lines.append(f"P({name} \\mid x) &= \\frac{{{product}}}{{{evidence}}} = {share}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(str(name))}</th>" for name in self.classes)
        texts = [*zip(*self._texts(), strict=True), [_text(v) for v in self.log_products]]
        stubs = ["P(class)", *self.log_factors, "product", "posterior"]
        texts.append([_digits(share) for share in self.posterior])
        rows = (
            f"<tr><th>{escape(stub)}</th>{''.join(f'<td>{text}</td>' for text in row)}</tr>"
            for stub, row in zip(stubs, texts, strict=True)
        )
        under = f"<p>p(x) = {_text(self.log_evidence)}, P(error | x) = {_digits(self.error)}</p>"
        return f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{under}"

    def _texts(self) -> list[list[str]]:
        """Prior and factors of each class."""
        logs = np.stack([log(self.priors), *self.log_factors.values()])  # (factors + 1, K)
        return [[_text(value) for value in column] for column in logs.T]

    def _written(self) -> list[tuple[str, list[str], str]]:
        """For each class the left side, the factors and the product."""
        shortly = ([*some[:MOST_FACTORS], *(["…"] if len(some) > MOST_FACTORS else [])] for some in self._texts())
        each = zip(self.classes, shortly, self.log_products, strict=True)
        return [(f"P({name}) ∏ p(x_j | {name})", factors, _text(product)) for name, factors, product in each]


def posterior(likelihoods: Mapping[Any, float], priors: Any = None) -> Worked:
    """P(class | x) from plain numbers p(x | class) and P(class), both by name; priors are even unless given.

    >>> posterior({"ill": 0.9, "well": 0.1}, {"ill": 0.01, "well": 0.99})
    factor       ill    well
    P(class)    0.01  0.9900
    x         0.9000  0.1000
    <BLANKLINE>
    P(ill) ∏ p(x_j | ill) = 0.01 × 0.9000 = 0.009
    P(well) ∏ p(x_j | well) = 0.9900 × 0.1000 = 0.099
    p(x) = 0.1080
    P(ill | x) = 0.08333
    P(well | x) = 0.9167
    P(error | x) = 0.08333

    """
    named = by_name(likelihoods)
    if not isinstance(named, Mapping) or not named:
        raise ParameterError(f"likelihoods is {{class: p(x | class)}}; found {shown(likelihoods)}.")
    classes = names_of(list(named), "classes")
    found = numbers(list(named.values()), "Likelihoods")
    if found.shape != (len(classes),) or not (np.isfinite(found).all() and (found >= 0).all()):
        raise ParameterError(f"Each class has one likelihood, 0 or more; found {shown(likelihoods)}.")
    shares = prevalence(np.ones(len(classes)), classes, "uniform" if priors is None else priors, 0.0)
    return Worked(classes, shares, {"x": log(found)})


def worked_of(joint: Joint, table: Table, unseen: str, in_turn: bool) -> Worked:
    """The calculation for the one row of a table."""
    joint.refuse_several("A product of factors")
    if table.rows != 1:
        raise ParameterError(f"One row is worked out at a time; found {table.rows}. Give one, as table[i : i + 1].")
    cells, out = cut(table, joint.schema, unseen), dict[tuple[str, ...], Array]()
    cells.check(slice(0, 1))
    for plan, factors in zip(joint.schema.blocks, _factors(joint, cells[slice(0, 1)], in_turn), strict=True):
        out |= {tuple(plan.names[j] for j in columns): logs[0] for columns, logs in factors.items()}
    order = {name: place for place, name in enumerate(joint.schema.names)}
    ordered = sorted(out, key=lambda names: order[names[0]])
    held = {name: f"{name} = {_held(table, name)}" for name in joint.schema.names if name in table.names}
    parents = {} if joint.tree is None else joint.tree.parents
    titles = {names: _title(names, held) + _given(parents.get(names[0]), held) for names in ordered}
    return Worked(joint.classes, joint.prevalence, {titles[names]: out[names] for names in ordered})


def _factors(joint: Joint, blocks: tuple[Block, ...], in_turn: bool) -> list[Factors]:
    if not in_turn or not joint.density.independent:  # in a tree, columns are in turn anyway
        return joint.density.factors(blocks)
    parts = zip(joint.schema.blocks, joint.density.parts, blocks, strict=True)
    return [factors_in_turn(plan, density, x) for plan, density, x in parts]


def _title(names: Sequence[str], held: Mapping[str, str]) -> str:
    some = ", ".join(held[name] for name in names[:MOST_COLUMNS])
    return some + (f", … ({len(names)} columns)" if len(names) > MOST_COLUMNS else "")


def _given(parent: str | None, held: Mapping[str, str]) -> str:
    return "" if parent is None else f" | {held[parent]}"


def _held(table: Table, name: str) -> str:
    """What a row holds, in words."""
    if table.type(name) in (NUMBER, INTEGER, EMPTY):
        value = float(table.numbers([name], slice(0, 1))[0, 0])
        return "missing" if np.isnan(value) else f"{value:.6g}"
    found = table.encoded(name)
    return str(found.levels[found.codes[0]]) if found.codes[0] >= 0 else "missing"


def _text(logarithm: float) -> str:
    """A number from its logarithm, also one that is too small for a float."""
    if not np.isfinite(logarithm) or logarithm > TINY:
        return _digits(float(np.exp(logarithm)))
    power = int(np.floor(logarithm / np.log(10)))
    return f"{np.exp(logarithm - power * np.log(10)):.3f}e{power}"


def _digits(value: float) -> str:
    """Four that matter, so that the product can be worked out from its factors."""
    return f"{value:.4g}" if 0 < value < 0.09995 else number(value)


def _in_latex(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return f"{mantissa} \\times 10^{{{int(power)}}}" if power else text
