"""Recipes of Gaussian discriminants: all numeric columns in one Gaussian, of any shape, own or shared.

In:  parameters, which the faces have too; a recipe says which Gaussian they mean by `gaussian`.
Out: DiscriminantRecipe and its kinds; the settings that tuning tries.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise, product
from typing import Any, ClassVar

from suffice.data.columns import TEXT
from suffice.data.hints import few_values, numbered
from suffice.data.kinds import GAUSSIAN
from suffice.data.labelled import Labelled
from suffice.data.planning import Kinds, by_column, plan, read_kind
from suffice.data.schema import Schema
from suffice.data.table import Table
from suffice.errors import KindError
from suffice.families.gaussian.family import Gaussian
from suffice.families.gaussian.shapes import SHAPES
from suffice.learn.gaussians import DirectedModel, GaussianModel, LinearModel
from suffice.learn.generative import FindsHidden, Generative
from suffice.learn.kinds import ignored
from suffice.learn.model import Settings
from suffice.learn.recipe import Change
from suffice.model.design import Design, likely_categories, numbers_in
from suffice.model.rules import Rules
from suffice.model.summary import Summary
from suffice.options import number, one_of, switch
from suffice.printing.description import Text
from suffice.printing.language import word, worded
from suffice.words import listed

GRID: dict[str, Sequence[Any]] = {  # what tuning tries
    "shape": tuple(SHAPES),
    "shared": (False, True),
    "shrink_shared": (0.0, 0.1, 0.3, 0.6, 0.9),
    "shrink_spherical": (0.0, 0.05, 0.2, 0.5),
}
INFLATE = "inflate"
WIDER = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)  # what tuning tries of that, as far as it helps
INFLATED = (1e-6, 1e6)  # what can be asked for: beyond, a model is sure of everything or of nothing
LONG = 2e8  # operations for one of them; beyond, all of them would take more than some ten seconds


@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminantParameters(FindsHidden):
    """The parameters of every discriminant that users set; GaussianDiscriminant tells what each of them means."""

    estimate: str = "auto"
    priors: Any = None
    parameter_prior: Any = "weak"
    kinds: Kinds = None


class DiscriminantRecipe(DiscriminantParameters, Generative):
    BESIDE: ClassVar[bool] = True  # whether columns that are no numbers may stand beside the Gaussian
    MODEL: ClassVar[type[GaussianModel]] = GaussianModel

    @abstractmethod
    def gaussian(self) -> Gaussian:
        """The shape of covariances, whether classes share one, and what it is shrunk to."""

    def plan(self, head: Table) -> Schema:
        """Numbers kept together where the shape needs it, and beside them what else there is, column by column."""
        beside, text, numbers = self._parted(head)
        self._refuse_beside(
            [*(name for name, kind in beside.items() if read_kind(name, kind)[0] != "ignore"), *sorted(text)]
        )
        declared = by_column(self.kinds, head.names)
        doubts = numbered(head, [name for name in numbers if name not in declared])
        if not self.gaussian().shape.crosswise:
            schema = plan(head, beside | dict.fromkeys(numbers, GAUSSIAN))
            return replace(schema, hints=(*schema.hints, *doubts))
        schema = plan(head, beside, joint=[numbers] if numbers else [])
        schema = replace(schema, hints=(*schema.hints, *doubts))
        return schema.with_tallies(few_values(head, self._suspects(numbers)))

    def _parted(self, table: Table) -> tuple[dict[str, Any], set[str], list[str]]:
        """Columns declared to be of another kind, those of text, and numbers."""
        declared = by_column(self.kinds, table.names)
        beside = {name: kind for name, kind in declared.items() if read_kind(name, kind)[0] != GAUSSIAN}
        text = {name for name in table.names if name not in declared and table.type(name) == TEXT}
        return beside, text, [name for name in table.names if name not in beside and name not in text]

    def design(self, summary: Summary) -> Design:
        out = ignored(self.kinds, summary)
        numbers = numbers_in(summary, out)
        known = out.union(numbers)
        self._refuse_beside([column.name for column in summary.schema.columns if column.name not in known])
        coarse = likely_categories(summary).intersection(self._suspects(numbers))
        return Design(joint=[numbers] if numbers else [], together=self.gaussian(), ignored=out, coarse=coarse)

    def _suspects(self, numbers: Sequence[str]) -> list[str]:
        """Columns that lead full covariances of each class astray, should they be hardly Gaussian; none is declared."""
        gaussian, declared = self.gaussian(), by_column(self.kinds, numbers)
        plain = gaussian.shared or gaussian.shrinks or not gaussian.shape.crosswise or len(numbers) < 2
        return [] if plain else [name for name in numbers if name not in declared]

    def _refuse_beside(self, others: Sequence[str]) -> None:
        if others and not self.BESIDE:
            raise KindError(
                f"{self.name} models only numbers; these columns are not numeric, or are declared to be of "
                f"another kind: {listed(others)}. Declare them 'ignore' in kinds, or use GaussianDiscriminant (with "
                "shared=True for one covariance), which models other kinds beside the numbers, as "
                "NaiveBayes(joint=...) does."
            )

    def unseen_as(self) -> str:
        return "prior"

    def rules(self) -> Rules:
        gaussian = self.gaussian()  # refuses an unknown shape
        plug_in = ("mean",) if gaussian.shared or gaussian.shrinks else ()  # where scores are linear, or shrunk
        auto = ("unbiased", *plug_in, "map" if gaussian.shrinks else "predictive")
        return Rules(self.estimate, auto, 1.0, self.priors, self.parameter_prior, self.offers())

    @property
    def settings(self) -> Settings:
        found = super().settings
        return found | ({INFLATE: self.gaussian().inflated} if INFLATE in found else {})

    @property
    def open(self) -> list[str]:
        """The parameters left to the rows; if there are any, the inflation is one too, unless it was given."""
        found = super().open
        return [*found, INFLATE] if found and getattr(self, INFLATE, 1.0) is None else found

    def plainest(self, names: Sequence[str]) -> Settings:
        """One covariance for all classes, where that is open, as it is."""
        found = super().plainest(names) | ({"shared": True} if "shared" in self.open else {})
        return found | ({INFLATE: 1.0} if found.get(INFLATE, 1.0) is None else {})

    def stages(self, names: Sequence[str], table: Table) -> list[list[Change]]:
        """All combinations, but for shrinkage towards what is shared already; one where there are no numbers.

        How much to inflate is found for the plainest; all others are tried with that and without, and the best of them
        a little more and less.
        """
        if not self._parted(table)[2]:
            return [[_to({})]]
        others = [name for name in names if name != INFLATE]
        combined = (dict(zip(others, values, strict=True)) for values in product(*(GRID[name] for name in others)))
        every = [some for some in combined if not (some.get("shared") and some.get("shrink_shared"))]
        if INFLATE not in names:
            return [[_to(some) for some in every]]
        wider, narrower = ([[_next(*two)] for two in pairwise(steps)] for steps in (WIDER, WIDER[::-1]))
        as_they_are = [_to(some | {INFLATE: 1.0}) for some in every]
        return [[_to({INFLATE: 1.0})], *wider, [_to(some) for some in every], as_they_are, *wider, *narrower]

    def long_one_by_one(self, known: Labelled) -> bool:
        """A weak belief follows from the rows, so that each row left out takes new matrices for all classes."""
        return known.table.rows * len(known.classes) * len(self._parted(known.table)[2]) ** 3 > LONG

    def in_words(self) -> tuple[Text, ...]:
        gaussian = self.gaussian()
        shared = [word("{number} towards shared", number=gaussian.to_shared)] if gaussian.to_shared else []
        round_ = [word("{number} towards spherical", number=gaussian.to_spherical)] if gaussian.to_spherical else []
        wider = [word("covariances times {number}", number=gaussian.inflated)] if gaussian.finishes else []
        return (covariance_in_words(gaussian), *shared, *round_, *wider)


def covariance_in_words(gaussian: Gaussian) -> Text:
    tie = word("shared") if gaussian.shared else word("own")
    return word("{shape} covariance, {tie}", shape=worded(gaussian.shape.name), tie=tie)


@dataclass(eq=False, repr=False)
class QuadraticParameters(DiscriminantParameters):
    shape: str = "full"
    _: KW_ONLY
    shrink_shared: float = 0.0
    shrink_spherical: float = 0.0
    inflate: float | None = None


@dataclass(eq=False, repr=False)
class QuadraticRecipe(QuadraticParameters, DiscriminantRecipe):
    name = "QuadraticDiscriminant"
    TUNABLE = ("shape", "shrink_shared", "shrink_spherical", INFLATE)

    def gaussian(self) -> Gaussian:
        return gaussian(self.shape, False, self.shrink_shared, self.shrink_spherical, self.inflate)


@dataclass(eq=False, repr=False)
class GaussianParameters(QuadraticParameters):
    shared: bool = False


@dataclass(eq=False, repr=False)
class GaussianRecipe(GaussianParameters, DiscriminantRecipe):
    name = "GaussianDiscriminant"
    TUNABLE = ("shape", "shared", "shrink_shared", "shrink_spherical", INFLATE)

    def gaussian(self) -> Gaussian:
        return gaussian(self.shape, self.shared, self.shrink_shared, self.shrink_spherical, self.inflate)


@dataclass(eq=False, repr=False)
class LinearParameters(DiscriminantParameters):
    shape: str = "full"
    _: KW_ONLY
    shrink_spherical: float = 0.0
    inflate: float | None = None
    n_components: int | None = None


@dataclass(eq=False, repr=False)
class LinearRecipe(LinearParameters, DiscriminantRecipe):
    name = "LinearDiscriminant"
    TUNABLE = ("shape", "shrink_spherical", INFLATE)
    BESIDE = False
    MODEL = DirectedModel

    def gaussian(self) -> Gaussian:
        return gaussian(self.shape, True, 0.0, self.shrink_spherical, self.inflate)


class NearestMeanRecipe(DiscriminantRecipe):
    name = "NearestMean"
    BESIDE = False
    MODEL = LinearModel

    def gaussian(self) -> Gaussian:
        return gaussian("spherical", True, 0.0, 0.0)


def _to(settings: Settings) -> Change:
    return lambda best: best | settings


def _next(before: float, times: float) -> Change:
    """One step further, if the one before is the best so far."""
    return lambda best: best | {INFLATE: times} if best[INFLATE] == before else best


def gaussian(shape: str, shared: bool, to_shared: float, to_spherical: float, inflate: float | None = None) -> Gaussian:
    form, tied = SHAPES[one_of(shape, "shape", SHAPES)], switch(shared, "shared")
    return Gaussian(0, form, tied, _share(to_shared), _share(to_spherical), _times(inflate))


def _times(given: Any) -> float:
    least, most = INFLATED
    wanted = f"inflate must be a number from {least:g} to {most:g}, 'auto' or None"
    return 1.0 if given is None else number(given, wanted, lambda times: least <= times <= most)


def _share(given: Any) -> float:
    return number(given, "Shrinkage must be between 0 and 1", lambda share: 0 <= share <= 1)
