"""Tables as the programs that people have write them: text files of Excel, SAS, R, pandas and Chinese systems.

In:  rows of texts, the cells as they are to stand in the file.
Out: `Dialect`, which turns them into the bytes of a file: delimiter, quotes, line ends, encoding, a mark at the front.
     What may stand in a cell depends on it: a program that never quotes cannot write its own delimiter.
"""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Dialect:
    name: str
    delimiter: str = ","
    encoding: str = "utf-8"
    end: str = "\n"
    quotes: str = "needed"  # "needed", "texts" (whatever is no number) or "never"
    mark: bytes = b""
    last_end: bool = True
    ending: str = ".csv"
    packed: bool = False

    def fits(self, cell: str) -> bool:
        common = "gb2312" if self.encoding == "gb18030" else self.encoding  # what is written by such systems
        try:
            cell.encode(common)
        except UnicodeEncodeError:
            return False
        return self.quotes != "never" or not set(cell) & {self.delimiter, '"', "\r", "\n"}

    def spelled(self, cell: str, header: bool = False) -> str:
        odd = set(cell) & {self.delimiter, '"', "\r", "\n"} or cell != cell.strip() or not cell
        wanted = odd or header or not _is_number(cell) if self.quotes == "texts" else odd
        if not wanted or self.quotes == "never":
            return cell
        return '"' + cell.replace('"', '""') + '"'

    def written(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
        lines = [self.delimiter.join(self.spelled(name, True) for name in names)]
        lines += [self.delimiter.join(map(self.spelled, row)) for row in rows]
        text = self.end.join(lines) + (self.end if self.last_end else "")
        found = self.mark + text.encode(self.encoding)
        return gzip.compress(found) if self.packed else found


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


BOM = b"\xef\xbb\xbf"
DIALECTS = [
    Dialect("plain"),
    Dialect("pandas, packed", ending=".csv.gz", packed=True),
    Dialect("Excel", end="\r\n", mark=BOM),
    Dialect("Excel, semicolons", ";", end="\r\n", mark=BOM),
    Dialect("Excel, Unicode text", "\t", "utf-16-le", "\r\n", mark=b"\xff\xfe", ending=".tsv"),
    Dialect("SAS", end="\r\n", quotes="texts", last_end=False),
    Dialect("R", quotes="texts"),
    Dialect("R, write.table with tabs", "\t", quotes="texts", ending=".tsv"),
    Dialect("a database, bars", "|", quotes="never"),
    Dialect("Chinese Windows", encoding="gb18030", end="\r\n"),
    Dialect("Chinese Windows, tabs", "\t", "gb18030", "\r\n", ending=".tsv"),
]
UNTOUCHED = [  # what stands beside a table, and has to come out as it went in
    "00123",
    "02134",
    "10000000000000000000",
    "10000000000000000001",
    "1.10",
    "1e5",
    "0x1A",
    "+5",
    "-0",
    "TRUE",
    "true",
    "NA",
    "null",
    "n/a",
    "NaN",
    "#N/A",
    "",
    "2024-01-01",
    "2024-01-01T05:00:00+05:30",
    "12:30",
    "31.12.2024",
    "1,5",
    "1;5",
    "=1+1",
    'say "hi"',
    "北京市",
    "ß",
    " a ",
    "9007199254740993",
    "0.12345678901234567890",
]
dialects = st.sampled_from(DIALECTS)
beside = st.sampled_from(UNTOUCHED)
