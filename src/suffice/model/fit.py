"""Stage 3, the loop: statistics → belief → density. With every label known it runs once, and needs no rows.

In:  a Summary, and Rules: what to believe beforehand and what to make of the belief afterwards.
Out: Joint. An estimate is a prior and a last step; there is no other difference between maximum likelihood, MAP and
     fully Bayesian models.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from suffice.data.schema import Schema
from suffice.errors import ConstantColumnWarning, ParameterError, SingularError
from suffice.families.product import ProductDensity
from suffice.families.protocol import Density, Family, Prior
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
PRIORS = ("flat", "reference", "weak")


@dataclass(frozen=True)
class Rules:
    estimate: str = "map"
    smoothing: float = 1.0  # λ: rows added to every cell of a table of counts
    priors: Any = None  # of the classes
    parameter_prior: Any = "weak"  # a name in PRIORS, or {column or columns: Prior}

    def __post_init__(self) -> None:
        if self.estimate not in ESTIMATES:
            raise ParameterError(
                f"estimate={self.estimate!r} is not known; use one of {', '.join(ESTIMATES)} or 'auto'."
            )
        if not self.smoothing >= 0:
            raise ParameterError(f"smoothing is a number of rows, 0 or more; found {self.smoothing!r}.")
        if not isinstance(self.parameter_prior, Mapping) and self.parameter_prior not in PRIORS:
            raise ParameterError(
                f"parameter_prior={self.parameter_prior!r} is not known; use one of {', '.join(PRIORS)}, "
                "or {column: prior}."
            )
        if ESTIMATES[self.estimate].prior and self.parameter_prior != "weak":
            raise ParameterError(
                f"estimate={self.estimate!r} uses no prior, but parameter_prior was given. Leave it out, or use "
                "estimate='map', 'mean' or 'predictive'."
            )


def fit(summary: Summary, rules: Rules) -> Joint:
    own = _own_priors(summary.schema, rules)
    fitted = [
        (piece[0], _density(piece, prior, rules, summary.classes))
        for part in summary.parts()
        for piece, prior in _pieces(part, own)
    ]
    blocks, densities = zip(*fitted, strict=True) if fitted else ((), ())
    weight = summary.statistics.weight
    shares = prevalence(weight, summary.classes, rules.priors, rules.smoothing)
    return Joint(Schema(tuple(blocks)), summary.classes, shares, ProductDensity(tuple(densities)))


def _density(part: Part, own: Prior | None, rules: Rules, classes: tuple[Any, ...]) -> Density:
    block, family, statistics = part
    estimate = ESTIMATES[rules.estimate]
    try:
        belief = _prior(family, statistics, own, rules).after(statistics)
        density: Density = getattr(belief, estimate.step)()
    except SingularError as error:
        names = ", ".join(f"'{block.names[j]}'" for j in error.columns)
        raise SingularError(
            f"Class {classes[error.component]!r}, column {names}: {error}, so estimate={rules.estimate!r} is not "
            "determined. Use estimate='map', which adds a weak prior, or leave the column out.",
            error.component,
            error.columns,
        ) from None
    return density


def _prior(family: Family, statistics: Any, own: Prior | None, rules: Rules) -> Prior:
    """A column's own prior, or smoothing where there are cells, or the prior that was named."""
    estimate, components = ESTIMATES[rules.estimate], len(statistics.weight)
    if own is not None:
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


def _own_priors(schema: Schema, rules: Rules) -> dict[tuple[str, ...], Prior]:
    """Priors that the user gave to single columns, or to columns modelled together, by the names they cover."""
    if not isinstance(rules.parameter_prior, Mapping):
        return {}
    own = {(key,) if isinstance(key, str) else tuple(key): prior for key, prior in rules.parameter_prior.items()}
    possible = [block.names for block in schema.blocks if block.together]
    possible += [(name,) for block in schema.blocks if not block.together for name in block.names]
    for names in own:
        if names not in possible:
            raise ParameterError(
                f"parameter_prior is about {', '.join(names)}, neither a column nor columns modelled together; "
                f"there are {', '.join(' and '.join(some) for some in possible)}."
            )
    return own


def _pieces(part: Part, own: Mapping[tuple[str, ...], Prior]) -> Iterator[tuple[Part, Prior | None]]:
    """The columns that vary: those with a prior of their own one by one, the others together."""
    block, family, statistics = part
    columns = _varying(part)
    alone = [] if block.together else [j for j in columns if (block.names[j],) in own]
    rest = [j for j in columns if j not in alone]
    for chosen in ([rest] if rest else []) + [[j] for j in alone]:
        names = block.names if block.together else tuple(block.names[j] for j in chosen)
        taken = part
        if len(chosen) < len(block.columns):
            taken = (block.take(chosen), family.take(chosen), family.marginal(statistics, chosen))
        yield taken, own.get(names)


def _varying(part: Part) -> list[int]:
    """Columns that never vary say nothing about the class, and are left out."""
    block, family, statistics = part
    constant = family.constant(statistics)
    if constant:
        names = ", ".join(f"'{block.names[j]}'" for j in constant)
        warnings.warn(f"Left out, because it never varies: {names}.", ConstantColumnWarning, stacklevel=2)
    return [j for j in range(len(block.columns)) if j not in constant]
