"""The rules of docs/spec, and the places that cite them.

A rule has an anchor, <a id="TK-74"></a>, in a chapter. What counts as a citation is what SpecificationTests reads as one.
"""

import re
from dataclasses import dataclass, field

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
# An id of a family, or a letter with a number. Hexadecimal text, escapes and times of day are no citations.
CITATION = re.compile(
    r"(?<![\w-])(?P<family>(?:OV|CF|SK|TK|SA|RR|NT|OB|EX|EK)-)(?P<number>\d{1,3})(?!\w)"
    r"|(?<![\w{%+#.\\&;$-])(?P<letter>[ECTDSR])(?P<digits>[1-9]\d{0,2})(?P<report>(?<=\d)r)?(?!\w|:|-\d|\.\w)"
)
RANGE = re.compile(
    r" ?(?:-to-|to|through|until|\.\.\.|…|–|—) ?(?P<prefix>[A-Z]{1,2}-?)?(?P<last>\d{1,3})(?!\w|[:%]|-\d|\.\w| %)"
)
NAME = re.compile(r"(?<![\w-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w-])")
# What a bracket of tags begins with. It may contain links.
TAG_START = r"\[(?:doc|house|S \d|A\b|\?|descriptive)"
TAGS = re.compile(rf"{TAG_START}(?:[^\[\]]|\[[^\[\]]*\]\([^)]*\))*\]")
# A flag or setting that a rule introduces: "(flag `no-token`)".
NAMED = re.compile(r"\b(?:flag|[Ss]etting) `([\w.-]+)`")


@dataclass(frozen=True)
class Rule:
    id: str
    source: str  # docs/spec/05-report-rules.md
    tags: tuple = ()
    text: str = ""
    names: tuple = ()  # the flags and settings that the rule decides about

    @property
    def summary(self):
        """The first sentence, cut."""
        sentence = re.match(r".{20,}?[.:](?= |$)", self.text)
        text = sentence.group() if sentence else self.text
        return text if len(text) <= 180 else text[:177].rsplit(" ", 1)[0] + " …"


@dataclass(frozen=True, order=True)
class Citation:
    """A section of a page, a line of a file, or a declaration, that cites a rule."""

    kind: str  # guide, lint, decision, runbook, symbol, source, test
    url: str
    title: str


@dataclass
class Rules:
    by_id: dict = field(default_factory=dict)
    repeated: list = field(default_factory=list)
    cited: dict = field(default_factory=dict)

    def read_chapter(self, text, source):
        paragraph = []
        for line in [*text.split("\n"), ""]:
            if line.startswith("|") or not line.strip():
                self._read_paragraph("\n".join(paragraph), source)
                self._read_paragraph(line, source)
                paragraph = []
            else:
                paragraph.append(line)

    def _read_paragraph(self, text, source):
        _, *parts = ANCHOR.split(text)
        for name, rest in zip(parts[::2], parts[1::2]):
            if name in self.by_id:
                self.repeated.append(f"{source}: {name}")
                continue
            tags = tuple(dict.fromkeys(tag for match in TAGS.findall(rest) for tag in tags_in(match)))
            self.by_id[name] = Rule(name, source, tags, plain_text(name, rest), tuple(dict.fromkeys(NAMED.findall(rest))))

    def cite(self, name, citation):
        self.cited.setdefault(name, {}).setdefault(citation)

    def citations(self, name):
        return sorted(self.cited.get(name, {}))

    def spans(self, text):
        """The citations in a text: start, end and id of each that is written out. A range has two."""
        for match in CITATION.finditer(text):
            if match.group() not in self.by_id:
                continue
            yield match.start(), match.end(), match.group()
            between, place = self._range(match, text)
            # With its prefix the end of a range is a citation of its own.
            if place and between[-1] in self.by_id:
                yield *place, between[-1]

    def ids(self, text):
        """Every id that a text cites, those inside of a range included."""
        found = []
        for match in CITATION.finditer(text):
            found += [match.group(), *self._range(match, text)[0]]
        return [name for name in dict.fromkeys(found) if name in self.by_id]

    def names(self, text):
        """Every name of a lint rule or diagnostic in a text."""
        return [name for name in dict.fromkeys(NAME.findall(text)) if name in self.by_id]

    @staticmethod
    def _range(match, text):
        """The ids that follow the first one of a range, and where the last stands if it has no prefix."""
        if match["report"]:
            return [], None
        prefix, first = (match["family"], match["number"]) if match["family"] else (match["letter"], match["digits"])
        last = RANGE.match(text, match.end())
        if not last or last["prefix"] not in (None, prefix) or not int(first) < int(last["last"]) <= int(first) + 60:
            return [], None
        between = [f"{prefix}{number}" for number in range(int(first) + 1, int(last["last"]) + 1)]
        return between, None if last["prefix"] else last.span("last")


def tags_in(text):
    """The short tags of a bracket: "doc; text: house S13" has doc and house."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).strip("[]")
    if confidence := re.match(r"S [\d-]+|A\b|\?", plain):
        return [confidence.group()]
    return [tag for tag in ("doc", "house", "descriptive") if re.search(rf"\b{tag}\b", plain)]


def plain_text(name, text):
    """What a rule says, without its number, its tags and Markdown."""
    if "|" in text:
        cells = [cell.strip() for cell in text.split("|")]
        text = " · ".join(cell for cell in cells[1:] if cell) or text
    text = re.sub(rf"{TAGS.pattern}[.:;]?", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(rf"^\W*{re.escape(name)}\b[*`]*", "", text.strip())
    return re.sub(r"[*`]", "", " ".join(text.split())).strip(" ,;|")
