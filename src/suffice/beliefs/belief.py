"""A belief that people hold: a `Prior` about one component, its names, and the rows it has learned from.

In:  rows in any form, or amounts by name.
Out: plain numbers, intervals, scipy distributions, text, a picture. Posterior = prior after statistics, literally, and
     `on` hands the array belief to a model. The functions that make one are in `constructors`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from suffice.arrays import Array
from suffice.beliefs.gaussians import MeansAndCovariance
from suffice.beliefs.intervals import equal_tailed, highest_density
from suffice.beliefs.observations import Observations
from suffice.beliefs.presentation import Arguments, Face
from suffice.beliefs.probabilities import Coin
from suffice.data.levels import Level, plain
from suffice.errors import ParameterError, SingularError
from suffice.families.capabilities import Covarying, LogExpected
from suffice.families.cells.dirichlet import DirichletPrior
from suffice.families.gaussian.normal_wishart import NormalInverseWishartPrior
from suffice.families.protocol import Density, Distribution, Family, Parametric, Prior, S, Statistics
from suffice.lazy import lazy
from suffice.options import Seed, generator, numbers, whole
from suffice.printing.description import Description, Series, Sheet, facts
from suffice.printing.language import word, worded
from suffice.printing.numbers import fixed, scientific
from suffice.printing.printed import Printed

if TYPE_CHECKING:  # which is loaded when something is drawn
    from matplotlib.axes import Axes

P = TypeVar("P")
D = TypeVar("D", bound=Density)
Number = float | Array
One = float | Array | tuple[float, float]
Answer = One | dict[Level, One]  # one number, or {name: number} where there are several parameters
AnyFace = Face[Prior[Statistics], Density, Statistics]  # whichever prior, densities and statistics it is of


@dataclass(frozen=True, eq=False, repr=False)
class Belief(Printed):
    """What is believed about the parameters of a distribution, before or after seeing rows.

    Methods answer with a single number (or pair of numbers) if there is one parameter, and with {name: …} if there are
    several.
    """

    name: str  # of its constructor
    face: AnyFace  # of this prior, its densities and statistics
    prior: Prior[Statistics]  # before any rows, of one component
    statistics: Statistics | None = None  # of the rows since

    def __eq__(self, other: object) -> bool:
        """Whether both say the same of the same parameters: a belief is what it has come to, however it did."""
        if not isinstance(other, Belief):
            return NotImplemented
        return self.name == other.name and self._said == other._said

    def __hash__(self) -> int:
        return hash((self.name, self._said))

    @lazy
    def _said(self) -> Hashable:
        """The names of the parameters, and the arguments of a constructor that would give this belief."""
        columns = getattr(self.face, "columns", ())
        return tuple(columns), tuple((name, _frozen(value)) for name, value in self.arguments.items())

    @lazy
    def posterior(self) -> Prior[Statistics]:
        """The array belief after the rows; its methods are those of `families.protocol.Prior`."""
        held: Any = self.prior  # a dataclass, as all of them are, though their type does not say so
        prior: Prior[Statistics] = replace(held, family=self.face.family)
        return prior if self.statistics is None else prior.after(self.statistics)

    @property
    def about(self) -> str:
        return str(self.prior.about)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, where the user gave them."""
        return self.face.columns

    def on(self, family: Family[S], components: int) -> Prior[S]:
        """The same belief about every component of a model's family."""
        if self.about != family.about:
            raise ParameterError(
                f"{self.name} is a belief about {self.about}, but one about {family.about} is needed here."
            )
        belief = self.posterior
        if isinstance(belief, DirichletPrior) and isinstance(self.face, Coin):  # alone, it names outcomes
            belief = replace(belief, outcomes=self.face.outcomes)
        return family.holding(belief, components)

    def after(
        self, rows: Any = None, *, weights: ArrayLike | None = None, trials: int | None = None, **named: Any
    ) -> "Belief":
        """The belief after seeing these rows too, or amounts given by name; numbers of successes are out of `trials`.

        For a sequence of two outcomes, `success` says which of them is a success.

        >>> from suffice import Beta
        >>> Beta(5, 5).after(heads=15, tails=10)
        Beta(20, 15)  mode 0.576  mean 0.571
        >>> Beta(5, 5).after([1, 0, 1]).after([1, 1], weights=[2, 0.5])
        Beta(9.5, 6)  mode 0.630  mean 0.613
        >>> Beta(5, 5).after(["H", "T", "T"], success="H")
        Beta(6, 7)  mode 0.455  mean 0.462
        """
        face, new = self._read(rows, weights, trials, named)
        return replace(self, face=face, statistics=new if self.statistics is None else self.statistics + new)

    def _read(self, rows: Any, weights: Any, trials: Any, named: dict[str, Any]) -> tuple[AnyFace, Statistics]:
        """What was observed; beside rows, `success` is the name of an outcome, not an amount of it."""
        success = named.pop("success", None) if rows is not None else None
        if success is not None and not self._is(Coin):
            raise ParameterError(f"success is only for a Beta, which is about two outcomes; this is {self.name}.")
        return self.face.read(Observations(rows, weights, trials, named, success))

    def _is(self, face: type[Coin] | type[MeansAndCovariance]) -> bool:
        return isinstance(self.face, face)

    def log_likelihood(self, theta: Any) -> Answer:
        """Ln p(rows learned since the prior | θ) as a function of θ: a number, several numbers, or {name: value}.

        Names are those of mode(); orders of the same rows are counted as in log_evidence.

        >>> from suffice import Beta
        >>> Beta(1, 1).after(heads=15, tails=10).log_likelihood([0.5, 0.6]).round(3).tolist()
        [-17.329, -16.825]
        """
        names = ["mean", "covariance"] if self._is(MeansAndCovariance) else list(self.face.parameters())
        if isinstance(theta, Mapping):
            given = {plain(name): value for name, value in theta.items()}
            if set(given) != set(names):
                raise ParameterError(
                    f"θ must have the parameters {', '.join(map(str, names))}; found {', '.join(map(str, given))}."
                )
            return self._log_likelihood(given)
        if len(names) > 1:
            raise ParameterError(
                f"Say which is which: {{{', '.join(f'{name!r}: …' for name in names)}}}; found {theta!r}."
            )
        values = numbers(theta, "θ")
        found = np.array([self._log_likelihood({names[0]: value}) for value in values.ravel()])
        return found.reshape(values.shape) if values.ndim else float(found[0])

    def _log_likelihood(self, values: Mapping[Level, ArrayLike]) -> float:
        density = self.face.density(self.posterior, values)
        return 0.0 if self.statistics is None else float(density.log_likelihood(self.statistics))

    def mode(self) -> Answer:
        """The most probable values of all parameters jointly; a variance by itself has a larger mode.

        Raises
        ------
        ParameterError
            If no single value is the most probable: the belief is flat, or has numbers below 1 at several ends.

        >>> from suffice import Beta
        >>> Beta(1, 0.5).mode()
        1.0
        >>> Beta(0.5, 0.5)
        Beta(0.5, 0.5)  mode —  mean 0.500

        """
        return self._one(self._numbers(self._mode()))

    def mean(self) -> Answer:
        return self._one(self._numbers(self._mean()))

    def maximum_likelihood(self) -> Answer:
        """The maximum-likelihood estimate, from the rows alone."""
        if self.statistics is None or not self.statistics.weight.any():
            raise ParameterError(
                f"This {self.name} has not learned from any rows yet, so there is no likelihood to maximise."
            )
        try:
            return self._one(self._numbers(self.posterior.maximum_likelihood(self.statistics)))
        except SingularError as error:
            columns = "the column" if len(error.columns) == 1 else "the columns"
            raise ParameterError(f"The rows alone do not determine this: {error} {columns}. Ask for mode().") from None

    def variance(self) -> Answer:
        """The variance of each parameter; for columns modelled together, of each mean and covariance."""
        belief = self.posterior
        if self._is(MeansAndCovariance) and isinstance(belief, NormalInverseWishartPrior):  # which that is of
            spread = scipy.stats.invwishart(belief.degrees[0, 0], belief.scatter[0]).var()
            if spread is None:
                raise ParameterError(f"This {self.name} is too wide to have a variance: ask for interval().")
            return {"mean": np.diagonal(self.covariance()), "covariance": np.atleast_2d(spread)}
        return self._each(lambda marginal: float(marginal.var()))

    def covariance(self) -> Array:
        """The covariance of the probabilities, or of the means, with each other."""
        belief = self.posterior
        if isinstance(belief, Covarying):
            return self._unless_too_wide(belief.covariance)
        raise ParameterError(f"This {self.name} is about one number: ask for its variance().")

    def marginal(self, name: Level | None = None) -> Distribution:
        """The distribution of a single parameter, from scipy: pdf, cdf, ppf, …; a variance also has its "sd"."""
        known = self._marginals | {name: self._marginals[heading] for name, heading in self.face.parameters().items()}
        names = [*self.face.parameters()]
        wanted = names[0] if name is None and len(names) == 1 else name
        if not isinstance(wanted, Hashable) or wanted not in known:
            raise ParameterError(f"{self.name} has the parameters {', '.join(map(str, known))}; found {name!r}.")
        return known[wanted]

    def quantile(self, p: ArrayLike) -> Answer:
        """The value below which the parameter lies with probability p; p may be an array."""
        if not np.all((np.asarray(p) >= 0) & (np.asarray(p) <= 1)):
            raise ParameterError(f"A quantile needs a probability between 0 and 1; found {p!r}.")
        return self._each(lambda marginal: marginal.ppf(p) if np.ndim(p) else float(marginal.ppf(p)))

    def interval(self, level: float = 0.95) -> Answer:
        """The credible interval with equal tails."""
        return self._each(lambda marginal: equal_tailed(marginal, level))

    def hdi(self, level: float = 0.95) -> Answer:
        """The credible interval of highest density, which is the shortest one."""
        return self._each(lambda marginal: highest_density(marginal, level))

    def predictive(self, trials: int | None = None, of: str | None = None) -> Any:
        """The scipy distribution of the next row, or of the outcome of some trials, with parameters integrated out.

        A rate predicts of="counts" or of="waits"; by default, whichever it has learned from.
        """
        return self.face.predictive(self.posterior, trials, of)

    def log_evidence(
        self, rows: Any = None, *, weights: ArrayLike | None = None, trials: int | None = None, **named: Any
    ) -> float:
        """Ln p(rows), for rows given as in `after`; without any, for the rows learned since the prior.

        Amounts given by name are taken as one sequence of outcomes. For a count out of trials (`[15], trials=25`), and
        for rows of counts of categories, the number of possible orders is included.
        """
        if rows is not None or named:
            _, new = self._read(rows, weights, trials, named)
            return float(self.posterior.log_evidence(new)[0])
        return 0.0 if self.statistics is None else float(self.prior.log_evidence(self.statistics)[0])

    def sample(self, size: int, random_state: Seed = None) -> Answer:
        """Random draws of the parameters; the first axis counts the draws."""
        size = whole(size, "size must be a number of draws, 1 or more")
        rng = generator(random_state)
        many = self.posterior.stacked([self.posterior] * (size - 1))
        return self._one(self.face.numbers(many.draw(rng)))

    def entropy(self) -> float:
        """The entropy in nats; that of a density may be negative."""
        return -float(self.posterior.expected_log_density(self.posterior)[0])

    def divergence(self, other: "Belief") -> float:
        """The Kullback–Leibler divergence of the other belief from this one, in nats; 0 if they are the same."""
        if not isinstance(other, Belief) or type(self.prior) is not type(other.prior):
            found = other.name if isinstance(other, Belief) else repr(other)
            raise ParameterError(f"Only beliefs of one kind can be compared; found {self.name} and {found}.")
        mine, others = self.posterior, other.on(self.face.family, 1)
        return float((mine.expected_log_density(mine) - mine.expected_log_density(others))[0])

    def expected_log(self) -> Answer:
        """The expected logarithm of each probability, or of the rate."""
        belief = self.posterior
        if not isinstance(belief, LogExpected):
            raise ParameterError(f"Only probabilities and rates have an expected logarithm here; this is {self.name}.")
        return self._one(dict(zip(self.face.logs, belief.expected_log()[0].tolist(), strict=True)))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw prior, likelihood and posterior with `suffice.plots.belief`."""
        from suffice.plots.belief import belief

        return belief(self, ax)

    @property
    def arguments(self) -> Arguments:
        """The arguments of the constructor that would give this belief, as plain numbers."""
        return self.face.arguments(self.posterior)

    def description(self) -> Description:
        """Its name and arguments, then the mode and mean of each parameter."""
        given = ", ".join(typed(value) for name, value in self.arguments.items() if name != "unseen")
        head, modes, means = f"{self.name}({given})", self._numbers_if(self._mode), self._numbers_if(self._mean)
        if not (modes or means):  # flat: any value is as good
            return Description((head,), behind=[facts({})])
        named, names = {"mode": word("mode"), "mean": word("mean")}, list(modes or means)
        found = {"mode": [modes.get(name, np.nan) for name in names], "mean": [means.get(n, np.nan) for n in names]}
        if not all(np.ndim(value) == 0 for some in found.values() for value in some):
            texts = [Series(named[name], [short(value) for value in values]) for name, values in found.items()]
            return Description((head,), [Sheet(word("parameter"), [worded(str(name)) for name in names], texts)])
        series = [Series(named[name], np.array(values, dtype=float), _short) for name, values in found.items()]
        stubs = [name if name in self.face.logs else worded(str(name)) for name in names]  # levels are the user's
        sheet = Sheet(word("parameter"), stubs, series)
        if len(names) > 1:
            return Description((head,), [sheet])
        [mode], [mean] = (one.texts(np.arange(1)) for one in series)
        line = word("{belief}  mode {mode}  mean {mean}", belief=head, mode=mode, mean=mean)
        return Description((line,), behind=[sheet])

    def _numbers_if(self, step: Callable[[], Parametric[Statistics]]) -> dict[Level, Number]:
        """What a step gives, or nothing where there is none."""
        try:
            return self._numbers(step())
        except ParameterError:
            return {}

    @lazy
    def _marginals(self) -> dict[Level, Distribution]:
        """The distribution of every parameter, by its heading."""
        [table] = self.posterior.marginals(self.face.names).values()
        return {heading: alone(distribution) for heading, distribution in table.items()}

    def _mode(self) -> Parametric[Statistics]:
        if not self.posterior.single_mode:
            raise ParameterError(
                f"This {self.name} has no single most probable value: it is flat, or its density rises towards several "
                "ends. Ask for mean() or interval(), or learn from more rows."
            )
        try:
            return self.posterior.mode()
        except SingularError:
            raise ParameterError(
                f"This {self.name} is flat and has no most probable value: learn from rows first."
            ) from None

    def _mean(self) -> Parametric[Statistics]:
        return self._unless_too_wide(self.posterior.mean)

    def _unless_too_wide(self, of: Callable[[], P]) -> P:
        """The result of a function that needs a mean; an error that says what to ask for where there is none."""
        try:
            return of()
        except SingularError:
            raise ParameterError(
                f"This {self.name} is too wide to have a mean: ask for mode() or interval(), or learn from more rows."
            ) from None

    def _numbers(self, density: Density) -> dict[Level, Number]:
        values = {name: values[0] for name, values in self.face.numbers(density).items()}
        return {name: value if np.ndim(value) else float(value) for name, value in values.items()}

    def _each(self, question: Callable[[Distribution], One]) -> Answer:
        return self._one({name: question(self.marginal(name)) for name in self.face.parameters()})

    def _one(self, answers: Mapping[Level, One]) -> Answer:
        return next(iter(answers.values())) if len(answers) == 1 else dict(answers)


def _frozen(argument: Any) -> Hashable:
    """An argument of a constructor as a value; in a mapping the order says nothing."""
    if isinstance(argument, Mapping):
        return frozenset((name, _frozen(part)) for name, part in argument.items())
    return tuple(_frozen(part) for part in argument) if np.ndim(argument) else float(argument)


def belief_in(name: str, face: Face[P, D, S], prior: P) -> Belief:
    """A belief by the name of its constructor, from a prior and the face of such priors."""
    return Belief(name, cast("AnyFace", face), cast("Prior[Statistics]", prior))


def alone(distribution: Distribution) -> Distribution:
    """A frozen scipy distribution of one component, without the component axis."""
    arguments = [np.ravel(part)[0] for part in distribution.args]
    named = {name: np.ravel(part)[0] for name, part in distribution.kwds.items()}
    found: Distribution = distribution.dist(*arguments, **named)
    return found


def typed(value: Any) -> str:
    """An argument as a person would type it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {typed(part)}" for name, part in value.items()) + "}"
    if np.ndim(value):
        return "[" + ", ".join(typed(part) for part in value) + "]"
    return f"{value:g}"


def short(value: Any) -> str:
    """Three digits of a number, or of each in an array."""
    numbers = np.asarray(value, dtype=float)
    texts = np.array(_short(numbers.ravel()), dtype=object).reshape(numbers.shape).tolist()
    return str(texts).replace("'", "")


def _short(values: Array) -> list[str]:
    """Three digits of each that is no thousand times smaller than the largest, as many decimals for all."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(sizes):
        return fixed(2)(values)
    first, last = (int(np.floor(np.log10(size))) for size in (sizes.max(), sizes[sizes >= 1e-3 * sizes.max()].min()))
    return fixed(max(2 - last, 0))(values) if last >= -4 and first < 6 else scientific(values)
