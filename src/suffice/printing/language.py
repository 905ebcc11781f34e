"""The language of what is printed and drawn: English, or Chinese as a statistics text would put it.

In:  words in English, with places for names and numbers. Out: the same in the language of whoever reads. Names, numbers
     and data are never translated; errors and warnings stay English.
"""

import os
import re
from collections import deque
from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from typing import Any

from suffice.errors import ParameterError
from suffice.options import shown
from suffice.printing.catalogue import CHINESE

LANGUAGES: dict[str, Mapping[str, str]] = {"en": {english: english for english in CHINESE}, "zh": CHINESE}
OURS, LOCALE = "SUFFICE_LANGUAGE", ("LC_ALL", "LC_MESSAGES", "LANG")
NUMBER = "n"  # the parameter that singular and plural follow
MANY = 1e5  # from which on an amount has no decimals
NUMBERS = re.compile(r"\d[\d,]*(?:\.\d+)?")


class language:  # noqa: N801 # it is called like a function
    """Print and draw in the language `name`, "en" or "zh", from now on; in a `with` block, for a thread or task only.

    Raises
    ------
    ParameterError
        If there are no words in that language.

    >>> from suffice import Beta, language
    >>> with language("zh"):
    ...     print(Beta(2, 3))
    Beta(2, 3)  众数 0.333  均值 0.400

    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or name not in LANGUAGES:
            raise ParameterError(f"language must be one of {', '.join(LANGUAGES)}; found {shown(name)}.")
        self.name = name
        self._entered: list[Token[str | None]] = []
        _defaults.append(self)  # unless a `with` takes it back, until when every thread sees it

    def __enter__(self) -> "language":
        if self in _defaults:  # it is no default, as it turns out
            _defaults.remove(self)
        self._entered.append(_local.set(self.name))
        return self

    def __exit__(self, *_: object) -> None:
        _local.reset(self._entered.pop())

    def __repr__(self) -> str:
        return f"language({self.name!r})"


_local: ContextVar[str | None] = ContextVar("language", default=None)
_defaults: deque[language] = deque(maxlen=64)  # the last one holds


def spoken() -> str:
    """The language in use: of this thread or task, of the process, or of the environment."""
    return _local.get() or (_defaults[-1].name if _defaults else of_environment(OURS))


def of_environment(*names: str) -> str:
    """The language that the first of some variables has which is set: zh of zh_CN.UTF-8; English if it is no other."""
    found = next((os.environ[name] for name in names if os.environ.get(name)), "")
    known = found.replace("-", "_").partition("_")[0].lower()
    return known if known in LANGUAGES else "en"


def as_of_terminal() -> str:
    """The language of somebody at a terminal, whose locale says it."""
    return spoken() if _local.get() or _defaults else of_environment(OURS, *LOCALE)


@dataclass(frozen=True, eq=False)
class Word:
    """Words of ours, said in the language in use when they are asked for; `english` whatever it is.

    A text that counts has its singular before a bar: "{n} row|{n} rows".
    """

    text: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self._said(spoken())

    @property
    def english(self) -> str:
        return self._said("en")

    def _said(self, name: str) -> str:
        text = LANGUAGES[name][self.text]
        if NUMBER in self.parameters and "|" in text:
            text = text.split("|")[self.parameters[NUMBER] != 1]
        return text.format(**{key: _within(value, name) for key, value in self.parameters.items()})


def word(text: str, **parameters: Any) -> Word:
    """Words of the catalogue, to be said later."""
    return Word(text, parameters)


def say(text: str, **parameters: Any) -> str:
    """Words of the catalogue in the language in use.

    >>> say("prior"), say("{n} row|{n} rows", n=3)
    ('prior', '3 rows')
    >>> with language("zh"):
    ...     print(say("prior"), say("{n} row|{n} rows", n=3))
    先验概率 3 个样本
    """
    return str(Word(text, parameters))


def worded(name: str) -> "Word | str":
    """A name of ours, such as that of a kind of columns, to be said later, a number in it apart from the words.

    As it is where a user brought it.
    """
    found = NUMBERS.search(name)
    if name in CHINESE or found is None:
        return Word(name) if name in CHINESE else name
    pattern = NUMBERS.sub("{number}", name, count=1)
    return Word(pattern, {"number": found[0]}) if pattern in CHINESE else name


def _within(value: Any, name: str) -> Any:
    """A part of a sentence: words, several of them, an amount with its thousands apart, or whatever it is."""
    if isinstance(value, Word):
        return value._said(name)
    if isinstance(value, tuple | list):
        return ", ".join(str(_within(part, name)) for part in value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    return f"{value:,.0f}" if value == round(value) or abs(value) >= MANY else f"{value:,.6g}"
