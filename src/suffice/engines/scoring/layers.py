"""A query in layers, each over the one before: no expression is worked out twice, or ever deep.

In:  the columns that are read from a table, expressions layer by layer, and what comes out.
Out: one SQL text. What is marked `Once` has a layer of its own before the one that uses it; a layer hands on only what
     later ones need; and a fence keeps engines from folding layers into each other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from suffice.engines.scoring.dialects import Dialect
from suffice.engines.scoring.writing import Writer
from suffice.errors import NoFormulaError
from suffice.formulas import Cell, Condition, Expression, Once, Square, parts
from suffice.words import free

Layer = Mapping[str, Expression]  # name → what it is
MANY = 200  # squares: DuckDB takes the square of that time to plan what is written twice


@dataclass
class Layers:
    """Layers so far."""

    dialect: Dialect
    names: dict[Once, str] = field(default_factory=dict)
    found: list[Layer] = field(default_factory=list)

    def add(self, layer: Layer) -> None:
        """One more, after layers for what it uses again and again."""
        for inner in _by_depth(layer.values()):
            new = {f"o{len(self.names) + i}": once for i, once in enumerate(inner)}
            self.names.update({once: name for name, once in new.items()})
            self.found.append({name: once.of for name, once in new.items()})
        self.found.append(layer)

    def query(self, table: str, source: Mapping[str, str], last: Layer) -> str:
        """All of them over a table; the names of the last are the user's own."""
        write, [first, *kept] = Writer(self.dialect, self.names, self._squares() > MANY), self._kept(last)
        used = [
            (layer, some) for layer, some in zip(self.found, kept, strict=True) if not layer.keys().isdisjoint(some)
        ]
        called = [free(f"layer{i}", lambda name: name in table.lower()) for i in range(len(used) + 1)]
        steps = [_select({name: source[name] for name in first}, table)]
        for before, (layer, some) in zip(called, used, strict=False):
            steps.append(_select({name: write(layer[name]) if name in layer else name for name in some}, before))
        final = _select({self.dialect.quoted(name): write(entry) for name, entry in last.items()}, called[-1])
        fence = f"\n{self.dialect.fence}" if self.dialect.fence else ""
        written = ",\n".join(f"{name} AS (\n{step}{fence}\n)" for name, step in zip(called, steps, strict=True))
        return f"WITH {written}\n{final}"

    def _squares(self) -> int:
        waiting, count = list[Expression | Condition](entry for layer in self.found for entry in layer.values()), 0
        while waiting:
            part = waiting.pop()
            count += isinstance(part, Square)
            waiting.extend(() if isinstance(part, Once) else parts(part))
        return count

    def _kept(self, last: Layer) -> list[list[str]]:
        """What each layer hands on, the source first."""
        needed, out = self._used(last.values()), list[list[str]]()
        for layer in reversed(self.found):
            out.append(self._few(needed))
            own = [name for name in needed if name in layer]
            needed = (needed - set(own)) | self._used(layer[name] for name in own)
        return [self._few(needed), *reversed(out)]

    def _few(self, names: set[str]) -> list[str]:
        most = self.dialect.most_columns
        if most is not None and len(names) > most:
            raise NoFormulaError(
                f"A query in {self.dialect.name} has at most {most} columns; this model needs {len(names)} at once. "
                "Use fewer columns, or another engine."
            )
        return sorted(names, key=lambda name: (len(name), name))

    def _used(self, given: Iterable[Expression]) -> set[str]:
        names, waiting = set[str](), list[Expression | Condition](given)
        while waiting:
            part = waiting.pop()
            if isinstance(part, Cell):
                names.add(part.name)
            elif isinstance(part, Once):
                names.add(self.names[part])
            else:
                waiting.extend(parts(part))
        return names


def _select(columns: Mapping[str, str], table: str) -> str:
    written = ",\n".join(text if text == name else f"{text} AS {name}" for name, text in columns.items())
    return f"SELECT {written}\nFROM {table}"


def _by_depth(given: Iterable[Expression]) -> list[list[Once]]:
    """What is used again and again: first what needs no other such."""
    depth: dict[Once, int] = {}

    def look(part: Expression | Condition) -> int:
        if isinstance(part, Once):
            if part not in depth:
                depth[part] = 1 + look(part.of)
            return depth[part]
        return max(map(look, parts(part)), default=0)

    most = max(map(look, given), default=0)
    return [[once for once, level in depth.items() if level == step] for step in range(1, most + 1)]
