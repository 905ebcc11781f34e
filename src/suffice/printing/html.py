"""A Description for a notebook: plain tables, in the look that the notebook gives them; every name escaped.

In:  names and numbers. Out: HTML.
"""

from html import escape

from suffice.printing.description import Description, Sheet
from suffice.printing.text import shown


def as_html(description: Description) -> str:
    title = " · ".join(escape(str(part)) for part in description.title)
    parts = [
        _table(part) if isinstance(part, Sheet) else "<p>" + "<br>".join(escape(str(line)) for line in part) + "</p>"
        for part in description.parts
    ]
    return f"<div>{f'<p><strong>{title}</strong></p>' if title else ''}{''.join(parts)}</div>"


def _table(table: Sheet) -> str:
    columns = shown(table)
    sides = ("right; white-space: nowrap" if column.right else "left" for column in columns[1:])
    looks = ["left; white-space: pre", *sides]
    tags = ["th", *["td"] * (len(columns) - 1)]
    head, *rows = zip(*(column.texts for column in columns), strict=True)
    top = f"<thead><tr>{''.join(map(_cell, head, looks, ['th'] * len(columns)))}</tr></thead>" if any(head) else ""
    body = (f"<tr>{''.join(map(_cell, row, looks, tags))}</tr>" for row in rows)
    return f"<table>{top}<tbody>{''.join(body)}</tbody></table>"


def _cell(text: str, look: str, tag: str) -> str:
    return f'<{tag} style="text-align: {look}">{escape(text)}</{tag}>'
