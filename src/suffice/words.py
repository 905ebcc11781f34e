"""Stage 0, words: names and lists of names, for messages and tables."""

from collections.abc import Callable, Sequence


def listed(names: Sequence[object], most: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def counted(number: float, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,.6g} {noun if number == 1 else plural}"


def free(name: str, taken: Callable[[str], bool]) -> str:
    """A name of ours that is not one of the user's own."""
    return free(name + "_", taken) if taken(name) else name


def escaped(name: str) -> str:
    """A name as LaTeX takes it."""
    return "".join(f"\\{char}" if char in "_%&#${}" else char for char in name)
