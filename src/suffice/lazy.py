"""What an object works out when first asked, and then knows.

`functools.cached_property` of Python 3.11 lets only one thread at a time work anything out, whichever object it is for.
Here two threads that ask at once may both work it out, which gives the same.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
Key = TypeVar("Key")


class lazy(Generic[T]):  # noqa: N801 # it is used like property
    def __init__(self, work: Callable[[Any], T]) -> None:
        self.work, self.name, self.__doc__ = work, work.__name__, work.__doc__

    @overload
    def __get__(self, instance: None, owner: Any) -> "lazy[T]": ...

    @overload
    def __get__(self, instance: object, owner: Any) -> T: ...

    def __get__(self, instance: object | None, owner: Any) -> "T | lazy[T]":
        if instance is None:
            return self
        value = self.work(instance)
        instance.__dict__[self.name] = value  # found there next time, before this is asked
        return value


class Known(Generic[Key, T]):
    """Answers by what they are about, which is compared and need not be hashed: a schema may have very many words."""

    def __init__(self) -> None:
        self.found: list[tuple[Key, T]] = []

    def get(self, key: Key, work: Callable[[], T]) -> T:
        for other, answer in self.found:
            if other == key:
                return answer
        self.found.append((key, work()))
        return self.found[-1][1]
