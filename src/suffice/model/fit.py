"""Stage 3, the loop: statistics → belief → density. With nothing hidden it runs once, and it never needs the rows.

In:  a Summary, the Design of the model, and Rules: what to believe beforehand, what to make of the belief afterwards.
Out: Joint. An estimate is a prior and a last step; there is no other difference between maximum likelihood, MAP and
     fully Bayesian models. Where cells are missing among columns modelled together, the loop is EM on their patterns.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from suffice.data.schema import listed
from suffice.errors import (
    ConstantColumnWarning,
    HiddenCellsError,
    NotConvergedWarning,
    ParameterError,
    SingularError,
)
from suffice.families.product import ProductDensity
from suffice.families.protocol import Density, Family, Prior
from suffice.model.design import Design, taken
from suffice.model.joint import Joint
from suffice.model.prevalence import prevalence
from suffice.model.summary import Part, Summary


@dataclass(frozen=True)
class Estimate:
    prior: str | None  # the family's prior that it always uses; None: whatever was asked for
    step: str  # what to make of the belief: mode, mean or predictive


ESTIMATES = {
    "ml": Estimate("flat", "mode"),
    "unbiased": Estimate("unbiased", "mode"),
    "map": Estimate(None, "mode"),
    "mean": Estimate(None, "mean"),
    "predictive": Estimate(None, "predictive"),
}
MONOTONE = ("ml", "map")  # the estimates that EM can only raise
PRIORS = ("flat", "reference", "weak")
MOST_STEPS = 5_000


@dataclass(frozen=True)
class Rules:
    estimate: str = "auto"
    auto: str = "map"  # what "auto" means when nothing is hidden; "map" otherwise
    smoothing: float = 1.0  # λ: rows added to every cell of a table of counts
    priors: Any = None  # of the classes
    parameter_prior: Any = "weak"  # a name in PRIORS, or {column or columns: Prior}

    def __post_init__(self) -> None:
        if self.estimate not in ("auto", *ESTIMATES):
            raise ParameterError(f"estimate={self.estimate!r} is not known; use auto, {', '.join(ESTIMATES)}.")
        if not isinstance(self.smoothing, Real) or not 0 <= self.smoothing < float("inf"):
            raise ParameterError(f"smoothing is a number of rows, 0 or more; found {self.smoothing!r}.")
        if not isinstance(self.parameter_prior, Mapping) and self.parameter_prior not in PRIORS:
            raise ParameterError(
                f"parameter_prior={self.parameter_prior!r} is not known; use one of {', '.join(PRIORS)}, "
                "or {column: prior}."
            )
        if self.estimate in ("ml", "unbiased") and self.parameter_prior != "weak":
            raise ParameterError(
                f"estimate={self.estimate!r} uses no prior, but parameter_prior was given. Leave it out, or use "
                "estimate='map', 'mean' or 'predictive'."
            )

    def settled(self, hidden: bool) -> "Rules":
        """The rules with "auto" decided: a prior that was given, or anything hidden, asks for "map"."""
        if self.estimate != "auto":
            return self
        return replace(self, estimate="map" if hidden or self.parameter_prior != "weak" else self.auto)


def fit(summary: Summary, design: Design, rules: Rules) -> Joint:
    if not summary.n > 0:
        raise ParameterError("There are no rows in this summary, so there is nothing to learn from.")
    order = summary.schema.names.index  # the parts as the user's table has them
    found = sorted(design.pieces(summary), key=lambda part: order(part[0].names[0]))
    parts = [kept for part in found for kept in _varying(part)]
    rules = rules.settled(any(statistics.hidden for _, _, statistics in parts))
    own = _own_priors(parts, rules)
    pieces = [(piece, prior) for part in parts for piece, prior in _with_own_priors(part, own)]
    densities = tuple(_density(piece, prior, rules, summary.classes) for piece, prior in pieces)
    schema = replace(summary.schema, blocks=tuple(piece[0] for piece, _ in pieces))
    shares = prevalence(summary.statistics.weight, summary.classes, rules.priors, rules.smoothing)
    return Joint(schema, summary.classes, shares, ProductDensity(densities), rules.estimate)


def _density(part: Part, own: Prior | None, rules: Rules, classes: tuple[Any, ...]) -> Density:
    block, family, statistics = part
    try:
        prior = _prior(family, statistics, own, rules)
        if statistics.hidden:
            return _density_by_em(prior, family, statistics, rules)
        density: Density = getattr(prior.after(statistics), ESTIMATES[rules.estimate].step)()
    except SingularError as error:
        names, other = listed([block.names[j] for j in error.columns]), f", or {error.remedy}" if error.remedy else ""
        rows = statistics.weight.sum() if error.component is None else statistics.weight[error.component]
        where = "Within the classes" if error.component is None else f"In class {classes[error.component]!r}"
        few = f" ({rows:g} rows for {family.columns} columns)" if 1 < family.columns >= rows else ""
        raise SingularError(
            f"{where} {error} {names}{few}, so estimate={rules.estimate!r} is not determined. {family.remedy}{other}, "
            "or leave columns out.",
            error.component,
            error.columns,
        ) from None
    return density


def _density_by_em(prior: Any, family: Any, statistics: Any, rules: Rules) -> Density:
    """Fill in what the density expects of the missing cells, learn from that, and so on while it helps."""
    if rules.estimate not in MONOTONE or family.shrinks:
        why = "shrinkage" if family.shrinks else f"estimate={rules.estimate!r}"
        raise HiddenCellsError(
            f"Cells are missing (NaN) among columns modelled together, and with {why} EM need not converge. Use "
            "estimate='map' or 'ml' without shrinkage, or drop the rows with missing cells."
        )
    prior.refuse_unseen(statistics)

    def step(density: Any) -> Any:
        return prior.after(statistics.expected(density)).mode()

    def worth(density: Any) -> float:
        return float(statistics.log_likelihood(density) + prior.log_density(density))

    density = family.start(statistics)
    for _ in range(MOST_STEPS):
        first = step(density)
        second = step(first)
        if first.same_as(second):
            return second  # type: ignore[no-any-return] # whatever density the family has
        leap = density.leap(first, second)  # EM creeps; this leaps ahead, where that is better
        density = leap if leap is not None and worth(leap) > worth(second) else second
    warnings.warn(f"EM over missing cells has not converged in {MOST_STEPS} steps.", NotConvergedWarning, stacklevel=2)
    return density  # type: ignore[no-any-return]


def _prior(family: Family, statistics: Any, own: Prior | None, rules: Rules) -> Prior:
    """A column's own prior, or smoothing where there are cells, or the prior that was named."""
    estimate, components = ESTIMATES[rules.estimate], len(statistics.weight)
    if own is not None:
        if own.about != family.about:
            raise ParameterError(f"A {type(own).__name__} is a belief about {own.about}, but here are {family.about}.")
        return own.on(family, components)
    # λ rows in every cell are Dirichlet(λ) for the mean and Dirichlet(λ + 1) for the mode: the same table either way
    smoothed = family.even(rules.smoothing + (estimate.step == "mode"))
    if smoothed is not None:
        return smoothed
    named = estimate.prior or (rules.parameter_prior if isinstance(rules.parameter_prior, str) else "weak")
    if named == "weak":
        return family.weak(statistics)
    prior: Prior = getattr(family, named)(components)
    return prior


def _own_priors(parts: list[Part], rules: Rules) -> dict[tuple[str, ...], Prior]:
    """Priors that the user gave to single columns, or to columns modelled together, by the names they cover."""
    if not isinstance(rules.parameter_prior, Mapping):
        return {}
    own = {(key,) if isinstance(key, str) else tuple(key): prior for key, prior in rules.parameter_prior.items()}
    possible = [block.names for block, _, _ in parts if block.together]
    possible += [(name,) for block, _, _ in parts if not block.together for name in block.names]
    for names in own:
        if names not in possible:
            raise ParameterError(
                f"parameter_prior is about {', '.join(names)}, which are not, in this order, a column or columns "
                f"modelled together; there are {'; '.join(', '.join(some) for some in possible)}."
            )
    return own


def _with_own_priors(part: Part, own: Mapping[tuple[str, ...], Prior]) -> Iterator[tuple[Part, Prior | None]]:
    """Columns with a prior of their own one by one, the others together."""
    block = part[0]
    if block.together:
        yield part, own.get(block.names)
        return
    alone = [j for j, name in enumerate(block.names) if (name,) in own]
    rest = [j for j in range(len(block.columns)) if j not in alone]
    if rest:
        yield taken(part, rest), None
    yield from ((taken(part, [j]), own[(block.names[j],)]) for j in alone)


def _varying(part: Part) -> list[Part]:
    """The part without the columns that never vary: they say nothing about the class."""
    block, family, statistics = part
    constant = family.constant(statistics)
    if not constant:
        return [part]
    names = ", ".join(f"'{block.names[j]}'" for j in constant)
    warnings.warn(f"Left out, because it never varies or is all missing: {names}.", ConstantColumnWarning, stacklevel=2)
    rest = [j for j in range(len(block.columns)) if j not in constant]
    return [taken(part, rest)] if rest else []
