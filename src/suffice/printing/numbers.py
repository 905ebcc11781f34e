"""Numbers of one series in one format: as many decimals for all as the largest and the smallest of them need.

In:  an array of numbers. Out: a text for each. A format is a function from the one to the other.
"""

from collections.abc import Callable

import numpy as np

from suffice.arrays import Array

Format = Callable[[Array], list[str]]
NOTHING = "—"  # where there is no number
MOST_DECIMALS, MOST_DIGITS = 9, 12  # beyond which all are written with exponents
DUST = 1e-8  # of the largest number: less is shown as 0
TINY = -700.0  # ln of what a float can hardly hold


def quantity(values: Array) -> list[str]:
    """Four decimals of numbers about 1, fewer of larger ones, more where some are small; else exponents for all."""
    return chosen(values)(values)


def chosen(values: Array, digits: int = 2) -> Format:
    """One format for all: three digits of the largest, at least, and some of the smallest that is no dust beside it."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not len(sizes):
        return fixed(4)
    first = _place(sizes.max())
    last = _place(sizes[sizes >= DUST * sizes.max()].min())
    if first >= 2 and (sizes % 1 == 0).all():
        return fixed(0) if first < MOST_DIGITS else scientific
    decimals = max(4 - max(first, 0), 2 - first if first < 0 else 0, digits - 1 - last)
    return fixed(decimals) if decimals <= MOST_DECIMALS and first + decimals <= MOST_DIGITS else scientific


def _place(size: float) -> int:
    """Of the leading digit: 0 of ones, 1 of tens, −1 of tenths."""
    return int(np.floor(np.log10(size)))


def fixed(decimals: int, form: str = "") -> Format:
    """So many decimals; `form` may ask for signs ("+") or thousands apart ("" and ",")."""
    sign, thousands = form.strip(","), "," if "," in form else ""
    return lambda values: [_or_nothing(value, f"{sign}{thousands}.{decimals}f") for value in values]


def scientific(values: Array) -> list[str]:
    return [_or_nothing(value, ".3e") for value in values]


signed = fixed(4, "+")


def amount(values: Array) -> list[str]:
    """Numbers of rows: whole ones as such, else two decimals for all."""
    whole = bool((values[np.isfinite(values)] % 1 == 0).all())
    return fixed(0 if whole else 2, ",")(values)


def plainly(values: Array) -> list[str]:
    """As short as they can be said: costs, settings."""
    decimals = max((len(f"{value:.6g}".partition(".")[2]) for value in values if np.isfinite(value)), default=0)
    odd = any("e" in f"{value:.6g}" for value in values)
    return scientific(values) if odd else fixed(decimals)(values)


def with_spread(values: Array, spreads: Array) -> list[str]:
    """Value and spread with the same decimals everywhere: three digits of the largest spread, two of the smallest."""
    known = spreads[np.isfinite(spreads) & (spreads > 0)]
    if not len(known):
        return quantity(values)
    largest, smallest = _place(known.max()), _place(known.min())
    decimals = max(2 - largest, 1 - smallest, 0)
    return beside(values, spreads, fixed(decimals) if decimals <= MOST_DECIMALS and largest < 6 else scientific)


def beside(values: Array, spreads: Array, form: Format) -> list[str]:
    """Values, each with its spread where there is one."""
    texts = zip(form(values), form(spreads), strict=True)
    return [text if spread == NOTHING else f"{text} ± {spread}" for text, spread in texts]


def from_logs(logs: Array) -> list[str]:
    """Numbers by their logarithms, also such as no float can hold."""
    there = logs[np.isfinite(logs)]
    if len(there) and there.min() <= TINY:
        return [_from_log(float(value)) for value in logs]
    values = np.exp(logs)
    wide = len(there) and there.max() - there.min() > -np.log(DUST)
    return (scientific if wide else chosen(values, digits=4))(values)


def _from_log(logarithm: float) -> str:
    if not np.isfinite(logarithm):
        return "0" if logarithm < 0 else NOTHING
    power = int(np.floor(logarithm / np.log(10)))
    return f"{np.exp(logarithm - power * np.log(10)):.3f}e{power:+03d}"


def _or_nothing(value: float, form: str) -> str:
    if np.isnan(value):
        return NOTHING
    text = f"{value:{form}}"
    return text.removeprefix("-") if not float(text.replace(",", "")) and text.startswith("-") else text
