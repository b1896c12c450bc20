"""Rows of tables that begin with a name in code: each has an anchor, and an entry of its own in the search."""

import re
from dataclasses import dataclass

from pages import plain

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)
CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)
# What stands between the names of one cell.
BETWEEN = re.compile(r"(?:[\s,;]|\b(?:or|and|naming \w+)\b)*")
# Where rows are names that readers look for. The lint rules have pages, and the members of the HTTP interfaces schemas.
PREFIXES = ("docs/", "Conformance/", "Examples/")
METHODS = ("GET", "PUT", "POST", "DELETE")
KINDS = ("guide", "runbook", "spec")


@dataclass(frozen=True)
class Row:
    anchor: str
    title: str
    text: str
    names: tuple = ()


def names_in(cell):
    """The names of a cell that has nothing else; a cell with an anchor of its own is a rule and has no names here."""
    if 'class="rule-anchor"' in cell or not BETWEEN.fullmatch(plain(CODE.sub(" ", cell))):
        return []
    # An example of a body is no name.
    names = [name for name in (plain(found).strip() for found in CODE.findall(cell)) if not name.startswith("{")]
    # The name of an option stands before its value.
    return names + [name.split(" ")[0] for name in names if name.startswith("--") and " " in name]


def anchor_rows(page, is_glossary=False):
    """Gives the rows their anchors, marks them as `named`, and stores them in the page."""
    page.rows = []
    if page.kind not in KINDS or not page.output.startswith(PREFIXES):
        return
    used = set(re.findall(r' id="([^"]+)"', page.html))

    def row(match, header):
        cells = CELL.findall(match[1])
        if not cells or "<th" in match[1]:
            return match.group()
        names = [plain(cells[0]).strip()] if is_glossary else names_in(cells[0])
        if not names:
            return match.group()
        existing = re.search(r'<td id="([^"]+)"', match[1])
        anchor = existing[1] if existing else unused(anchor_of("term" if is_glossary else "row", anchored(names)), used)
        # "flag · what to do": the word of the column is a word of the row.
        text = " · ".join(part for part in (header, *(" ".join(plain(cell).split()) for cell in cells[1:])) if part)
        shown = [name for name in names if not any(other.startswith(f"{name} ") for other in names)]
        page.rows.append(Row(anchor, ", ".join(shown), text, tuple(names)))
        mark = 'class="named"' if existing else f'id="{anchor}" class="named"'
        return f"<tr {mark}>{match[1]}</tr>"

    def table(match):
        first = CELL.search(match.group())
        header = plain(first[1]).strip() if first and not is_glossary else ""
        return ROW.sub(lambda found: row(found, header), match.group())

    page.html = TABLE.sub(table, page.html)


def anchored(names):
    """The part of a title that an anchor repeats: "GET, PUT /clock" needs both names."""
    return " ".join(names[:2]) if names[0] in METHODS else names[0]


def anchor_of(prefix, name):
    return f"{prefix}-" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "name")


def unused(anchor, used):
    number, name = 1, anchor
    while name in used:
        number += 1
        name = f"{anchor}-{number}"
    used.add(name)
    return name
