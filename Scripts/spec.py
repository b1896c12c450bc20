#!/usr/bin/env python3
"""Checks rule ids against the specification in docs/spec.

Every rule of docs/spec has one anchor, `<a id="TK-74"></a>`. This script reports
- anchors that are defined twice,
- citations of ids that no anchor defines, as file:line: id,
- rules with behaviour (without the mark [descriptive]) that no file under Tests cites.

Exit codes: 0 nothing to report, 1 something to report, 2 no specification found.
"""

import argparse
import os
import re
import sys
from pathlib import Path

CITING = ["Sources", "Tests", "Data", "docs", "Examples", "Plugins", "Benchmarks", "Fuzz", "Scripts"]
CITING_FILES = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "Package.swift", "run"]
SKIPPED_FOLDERS = {".build", ".git", ".swiftpm", "node_modules"}
# Certificates, profiles and other encoded files, in which an id is chance.
SKIPPED_SUFFIXES = {".mobileprovision", ".pem", ".cer", ".der", ".p8", ".p12", ".ipa", ".zip", ".png", ".sqlite"}

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
# TK-74: a family of two letters, a hyphen, a number.
NUMBERED = r"(?:OV|CF|SK|TK|SA|RR|NT|OB|EX)-\d{1,3}"
# E26, E4r, C12, T40, D5, S13, R6: a letter and a number. Hexadecimal text, escapes (%C3, U+E9, \u{E9}), anchors of
# addresses and times of day (T12:00) are no citations.
LETTERED = r"(?:E[1-9]\d?r?|[CT][1-9]\d?|D(?:10|[1-9])|S(?:1[0-4]|[1-9])|R[1-6])"
CITATION = re.compile(
    rf"(?<![\w-])(?P<numbered>{NUMBERED})(?![\w])"
    rf"|(?<![\w{{%+#.\-\\&;$]){LETTERED}(?![\w:]|-\d|\.\w)"
)
# "TK-81 to TK-85", "NT-20 … 36", "EX-5-to-EX-7", "C1–C12", "E1 through E40".
RANGE_TAIL = re.compile(r"\s?(?:-to-|to|through|until|…|\.\.\.|–|—)\s?(?:([A-Z]{1,2}-?))?(\d{1,3})(?![\w:.%]|-\d)")
KEBAB = re.compile(r"(?<![\w-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w-])")
DESCRIPTIVE = "[descriptive]"


class Rule:
    """A rule of the specification."""

    def __init__(self, identifier: str, path: Path, line: int, is_descriptive: bool):
        self.identifier = identifier
        self.path = path
        self.line = line
        self.is_descriptive = is_descriptive


def text_of(path: Path) -> str | None:
    """The text of a file, None for a file that is not UTF-8 text."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if b"\0" in data[:4096]:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def files(root: Path) -> list[Path]:
    """The files that may cite rules, in a stable order."""
    found = [root / name for name in CITING_FILES if (root / name).is_file()]
    for folder in CITING:
        for parent, folders, names in os.walk(root / folder):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            found += [Path(parent) / name for name in sorted(names) if Path(name).suffix not in SKIPPED_SUFFIXES]
    return found


def rules(specification: Path, root: Path) -> tuple[dict[str, Rule], list[str]]:
    """The rules by id, and what is wrong with their anchors.

    A rule's mark is looked for in its paragraph or table row, up to the next anchor.
    """
    defined: dict[str, Rule] = {}
    faults: list[str] = []
    for path in sorted(specification.glob("*.md")):
        lines = path.read_text(encoding="utf-8").split("\n")
        for index, line in enumerate(lines):
            for match in ANCHOR.finditer(line):
                identifier = match.group(1)
                place = f"{path.relative_to(root)}:{index + 1}"
                if identifier in defined:
                    faults.append(f"{place}: {identifier} has another anchor")
                    continue
                paragraph = line[match.end() :]
                following = index + 1
                while not line.startswith("|") and following < len(lines) and lines[following].strip():
                    paragraph += " " + lines[following]
                    following += 1
                paragraph = ANCHOR.split(paragraph)[0]
                defined[identifier] = Rule(identifier, path, index + 1, DESCRIPTIVE in paragraph)
    return defined, faults


def citations(line: str) -> list[str]:
    """The ids that a line cites, ranges written out; both ends of a range are citations of their own."""
    cited = []
    for match in CITATION.finditer(line):
        identifier = match.group(0)
        cited.append(identifier)
        tail = RANGE_TAIL.match(line, match.end())
        head = re.match(r"([A-Z]{1,2}-?)(\d+)$", identifier)
        if tail is None or head is None:
            continue
        prefix, first = head.group(1), int(head.group(2))
        last = int(tail.group(2))
        if tail.group(1) not in (None, prefix) or not first < last <= first + 60:
            continue
        # Numbers between the ends may be free; the caller ignores those.
        cited += [f"{prefix}{number}?" for number in range(first + 1, last)] + [f"{prefix}{last}"]
    return cited


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the repository")
    parser.add_argument("--counts", action="store_true", help="print the number of rules of each family too")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    specification = root / "docs" / "spec"
    defined, faults = rules(specification, root)
    if not defined:
        print(f"{specification}: no rules", file=sys.stderr)
        return 2

    dangling: list[str] = []
    tested: set[str] = set()
    for path in files(root):
        text = text_of(path)
        if text is None:
            continue
        is_test = path.is_relative_to(root / "Tests")
        for number, line in enumerate(text.split("\n"), start=1):
            if is_test:
                tested.update(KEBAB.findall(line))
            for identifier in dict.fromkeys(citations(line)):
                known = identifier.removesuffix("?")
                if is_test:
                    tested.add(known)
                # A value in quotes, "C99" in code, is no citation.
                is_value = "-" not in known and f'"{known}"' in line
                if known not in defined and known == identifier and not is_value:
                    dangling.append(f"{path.relative_to(root)}:{number}: {identifier}")

    untested = [rule for rule in defined.values() if not rule.is_descriptive and rule.identifier not in tested]
    if arguments.counts:
        families: dict[str, list[Rule]] = {}
        for rule in defined.values():
            name = re.match(r"[A-Z]*", rule.identifier).group(0) or "named"
            families.setdefault(name, []).append(rule)
        for name, members in sorted(families.items()):
            descriptive = sum(rule.is_descriptive for rule in members)
            print(f"{name}: {len(members)} rules, {descriptive} of them descriptive")
    for fault in faults:
        print(fault)
    for citation in dangling:
        print(f"{citation} is not defined in docs/spec")
    for rule in untested:
        print(f"{rule.path.relative_to(root)}:{rule.line}: {rule.identifier} is cited by no file under Tests")
    print(
        f"{len(defined)} rules, {sum(rule.is_descriptive for rule in defined.values())} descriptive; "
        f"{len(dangling)} dangling citations, {len(untested)} rules without a test"
    )
    return 1 if faults or dangling or untested else 0


if __name__ == "__main__":
    sys.exit(main())
