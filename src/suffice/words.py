"""Stage 0, words: names and lists of names, for messages and tables; what a terminal may be shown of a text."""

from collections.abc import Callable, Sequence

# What moves the cursor, ends a line, colours, rings or turns the direction of what follows; half of a character cannot
# be written at all. Everything else is as it was: Chinese, combining marks, emoji and what joins them.
CONTROLS = [
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, 0x2028, 0x2029),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
]
HALVES = range(0xD800, 0xE000)
VISIBLE = {code: repr(chr(code))[1:-1] for code in (*CONTROLS, *HALVES)}


def visible(text: str) -> str:
    r"""A text of the user's that a terminal shows and does not obey: control characters are written out.

    >>> print(visible("p\n\x1b[31mq"), visible("色泽 👩‍🚀"))
    p\n\x1b[31mq 色泽 👩‍🚀
    """
    return text if text.isprintable() else text.translate(VISIBLE)


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
