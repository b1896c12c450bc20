"""The sources of the examples and the cases of the conformance suite: pages of files, and the lists that name them."""

import json
import posixpath
from html import escape

from pages import Heading, files_below, output_of, read

SUFFIXES = (
    ".swift", ".py", ".mjs", ".php", ".go", ".rb", ".sh", ".yml", ".yaml", ".plist", ".entitlements", ".mod",
)  # fmt: skip
CASES = "Conformance/cases"


def example_files(root):
    return [path for path in files_below(root, "Examples") if path.endswith(SUFFIXES)]


def case_files(root):
    return [path for path in files_below(root, CASES) if path.endswith(".json")]


def files_of(page, pages, files):
    """The files of the folder of a page that no page of a folder below has."""
    folders = sorted((posixpath.dirname(each) for each in pages), key=len, reverse=True)
    own = posixpath.dirname(page.source)
    nearest = lambda path: next((folder for folder in folders if path.startswith(f"{folder}/")), "")
    return [path for path in files if nearest(path) == own]


def add_list(page, files, labels=None):
    """The section with the files, at the end of the page."""
    if not files:
        return
    entries = []
    for path in files:
        label = escape((labels or {}).get(path, ""))
        name = posixpath.relpath(path, posixpath.dirname(page.source))
        link = f'<a class="file" href="{escape(page.to(output_of(path)))}"><code>{escape(name)}</code></a>'
        entries.append(f"<li>{link}{': ' + label if label else ''}</li>")
    page.headings.append(Heading(2, "files-of-this-folder", "Files"))
    page.html += f'<h2 id="files-of-this-folder">Files</h2>\n<ul>{"".join(entries)}</ul>\n'


def case_groups(root):
    """Title and ids of the cases of each file of the suite."""
    groups = {}
    for path in case_files(root):
        data = json.loads(read(root, path))
        groups[path] = (data["title"], [case["id"] for case in data["cases"]])
    return groups
