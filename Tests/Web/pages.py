"""Judges HTML pages: by the parse errors of the HTML standard, and by the ids that they define and name.

    python3 Tests/Web/pages.py FILE…

A file without a doctype is a part of a page and judged as the content of <body>.

Placeholders of a template ({{name}}, {{#section}}…{{/section}}) are taken out first. Needs `pip install html5lib`.
Prints a line for each fault; ends with 0 when there is none, else with 1.
"""

import re
import sys

import html5lib

LINE_LENGTH = 120
# Attributes that name the ids of other elements.
REFERENCES = ["for", "headers", "aria-controls", "aria-describedby", "aria-labelledby"]


def without_placeholders(text):
    text = re.sub(r"\{\{[#^/]\w+\}\}|\{\{\{\w+\}\}\}", "", text)
    return re.sub(r"\{\{\w+\}\}", "value", text)


def faults(text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LINE_LENGTH:
            yield number, f"the line has more than {LINE_LENGTH} characters"
        if line != line.rstrip() or "\t" in line:
            yield number, "the line has a tab, or white space at its end"

    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    is_page = text.lower().startswith("<!doctype")
    document = (parser.parse if is_page else parser.parseFragment)(without_placeholders(text))
    for (line, _), code, values in parser.errors:
        yield line, html5lib.constants.E[code] % values

    elements = list(document.iter())
    # An id that is a placeholder differs from element to element.
    ids = [element.get("id") for element in elements if element.get("id") and element.get("id") != "value"]
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield 1, f"the id '{name}' is given to more than one element"
    for element in elements:
        names = [name for key in REFERENCES for name in (element.get(key) or "").split()]
        names += re.findall(r"^#(.+)", element.get("href") or "")
        for name in names:
            if name not in ids and name != "value":
                yield 1, f"<{element.tag}> names the id '{name}', which no element has"
    if is_page and not document.get("lang"):
        yield 1, "<html> has no lang"


def main(paths):
    found = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line, fault in faults(file.read()):
                print(f"{path}:{line}: {fault}")
                found += 1
    sys.exit(1 if found else 0)


main(sys.argv[1:])
