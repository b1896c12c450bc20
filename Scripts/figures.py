#!/usr/bin/env python3
"""Prints the size of the package: lines of code, targets, types and `package` declarations.

Usage: Scripts/figures.py [FOLDER]

Lines are those of Sources without comments and blanks; generated ones are counted apart. A type is a declaration of
struct, class, enum, actor or protocol at any depth.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
MODIFIERS = r"(?:(?:public|package|private|fileprivate|internal|final|indirect|nonisolated|open)\s+|@\w+(?:\([^)]*\))?\s+)*"
TYPE = re.compile(rf"^\s*{MODIFIERS}(?:struct|class|enum|actor|protocol)\s+(?!func\b|var\b|let\b)\w+", re.M)
PACKAGE = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*package (?:\w+(?:\(set\))? )*?"
    r"(?:struct|class|enum|actor|protocol|func|var|let|init|typealias|subscript|extension|macro)\b",
    re.M,
)


def code(text: str) -> list[str]:
    """The lines without comments and blanks; texts in quotes are not looked into."""
    lines, in_comment, in_text = [], False, False
    for line in text.split("\n"):
        stripped = line.strip()
        if in_text:
            lines.append(line)
        elif in_comment:
            in_comment = "*/" not in stripped
            continue
        elif stripped.startswith("/*"):
            in_comment = "*/" not in stripped
            continue
        elif stripped and not stripped.startswith("//"):
            lines.append(line)
        if stripped.count('"""') % 2:
            in_text = not in_text
    return [line for line in lines if line.strip()]


def count(folder: str) -> tuple[int, int, int, int]:
    own = generated = types = declarations = 0
    for file in sorted((ROOT / folder).rglob("*.swift")):
        lines = code(file.read_text(encoding="utf-8"))
        if file.name.endswith("+Generated.swift") or "Generated" in file.parts:
            generated += len(lines)
            continue
        own += len(lines)
        text = "\n".join(lines)
        types += len(TYPE.findall(text))
        declarations += len(PACKAGE.findall(text))
    return own, generated, types, declarations


own, generated, types, declarations = count("Sources")
manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
# The targets of one platform and the other have one name.
names = set(re.findall(r"\.(?:target|testTarget|executableTarget|plugin|systemLibrary)\(\s*name:\s*\"([^\"]+)\"", manifest))
print(f"lines of code in Sources        {own:7,}")
print(f"  generated, counted apart      {generated:7,}")
print(f"targets                         {len(names):7,}")
print(f"types in Sources                {types:7,}")
print(f"package declarations in Sources {declarations:7,}")
