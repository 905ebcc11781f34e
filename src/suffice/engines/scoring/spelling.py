"""Functions that not every engine has, by those that all have.

In:  log1p, ln Γ. Out: the same by ln, atanh and arithmetic, to the last digits.
"""

from functools import reduce

from suffice.arrays import LOG_2PI
from suffice.formulas import SHIFT, Cases, Compared, Expression, Function, Number, ln, stirling_tail


def spelled_out(function: Function) -> Expression:
    return {"log1p": _log1p, "lgamma": _lgamma}[function.name](function.of)


def _log1p(u: Expression) -> Expression:
    """Ln(1 + u), u ≥ 0: by atanh where 1 + u would round the digits of u away."""
    small = Function("atanh", u / (2.0 + u)) * 2.0
    return Cases(((Compared(u, "<", Number(0.5)), small),), ln(1.0 + u))


def _lgamma(u: Expression) -> Expression:
    """Ln Γ(u + 8) by Stirling's series, less ln of u (u + 1) … (u + 7)."""
    z, product = u + float(SHIFT), reduce(lambda found, i: found * (u + float(i)), range(1, SHIFT), u)
    return (z - 0.5) * ln(z) - z + 0.5 * LOG_2PI + stirling_tail(z) - ln(product)
