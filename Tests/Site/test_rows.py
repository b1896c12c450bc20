"""Rows with names: their anchors, their entries, and what they leave of the text of a section."""

import unittest
from types import SimpleNamespace

import examples
import search_index
from citations import Rules
from pages import Page
from rows import Row, anchor_rows

TABLE = "<h1 id=\"a\">A</h1>\n<p>Before.</p>\n<table>\n<thead>\n<tr>\n<th>{}</th>\n<th></th>\n</tr>\n</thead>\n<tbody>\n{}</tbody>\n</table>\n"


def page_with(*cells, header="flag", output="docs/serve.html", kind="guide"):
    rows = "".join(f"<tr>\n<td>{cell}</td>\n<td>what <em>to</em> do</td>\n</tr>\n" for cell in cells)
    return Page("docs/serve.md", output, "A", kind, TABLE.format(header, rows))


class RowTests(unittest.TestCase):
    def test_a_row_whose_first_cell_has_only_names_has_an_anchor(self):
        cases = [
            ("<code>no-token</code>", "row-no-token", "no-token", ("no-token",)),
            ("<code>a.b</code>, <code>c</code>", "row-a-b", "a.b, c", ("a.b", "c")),
            ("<code>a</code> or\n<code>b</code>", "row-a", "a, b", ("a", "b")),
            ('<a class="type" href="x.html"><code>A</code></a>', "row-a-2", "A", ("A",)),
            ("<code>--seed 7</code>", "row-seed-7", "--seed 7", ("--seed 7", "--seed")),
            ("<code>POST /x</code> <code>{&quot;a&quot;: 1}</code>", "row-post-x", "POST /x", ("POST /x",)),
            ("<code>GET</code>, <code>PUT /x</code>", "row-get-put-x", "GET, PUT /x", ("GET", "PUT /x")),
            ("<code>…</code>", "row-name", "…", ("…",)),
        ]
        for cell, anchor, title, names in cases:
            with self.subTest(cell=cell):
                page = page_with(cell)
                if anchor.endswith("-2"):
                    page.html = f'<span id="row-a"></span>{page.html}'
                anchor_rows(page)
                self.assertEqual(page.rows, [Row(anchor, title, "flag · what to do", names)])
                self.assertEqual(page.html.count(f'<tr id="{anchor}" class="named">'), 1)

    def test_other_rows_stay_as_they_are(self):
        rule = '<span id="x-y" class="rule-anchor"></span><a class="rule" href="#x-y"><code>x-y</code></a>'
        for cell in ("plain", "a <code>b</code>", "", rule):
            page = page_with(cell)
            before = page.html
            anchor_rows(page)
            self.assertEqual((page.rows, page.html), ([], before))
        for change in ({"output": "architecture.html"}, {"kind": "lint"}):
            page = page_with("<code>a</code>", **change)
            anchor_rows(page)
            self.assertEqual(page.rows, [])

    def test_every_row_of_the_glossary_has_an_anchor_and_keeps_the_one_it_has(self):
        page = page_with("buy", "held sale", header="term")
        page.html = page.html.replace("<td>held", '<td id="term-held-sale">held')
        anchor_rows(page, is_glossary=True)
        self.assertEqual([(row.anchor, row.title, row.text) for row in page.rows],
                         [("term-buy", "buy", "what to do"), ("term-held-sale", "held sale", "what to do")])  # fmt: skip
        self.assertEqual(page.html.count('id="term-held-sale"'), 1)


class EntryTests(unittest.TestCase):
    def entries(self, *pages):
        site = SimpleNamespace(
            rules=Rules(), links=None, error_names={}, symbols=SimpleNamespace(search_entries=[]), searched=[]
        )
        return list(search_index.entries_of(list(pages), site))

    def test_a_row_is_an_entry_and_no_text_of_its_section(self):
        page = page_with("<code>--seed 7</code>", "plain")
        anchor_rows(page)
        section, row = self.entries(page)
        self.assertEqual(section, [0, "", "", "Before. flag plain what to do"])
        self.assertEqual(row, [0, "--seed 7", "row-seed-7", "flag · what to do", "--seed"])

    def test_the_names_that_a_paragraph_lists_find_its_section(self):
        cases = [
            ("<p>Settings: <code>a.b</code>, <code>c</code>, and others. <code>d</code></p>", ["a.b", "c"]),
            ("<p>Its <code>flags</code> say why: <code>no-a</code>,\n<code>no-b</code>.</p>", ["no-a", "no-b"]),
            ("<p>The settings <code>a</code></p>", []),
        ]
        for html, names in cases:
            self.assertEqual(search_index.names_listed(html), names)

    def test_a_rule_has_the_names_of_the_flags_and_settings_that_it_brings(self):
        rules = Rules()
        rules.read_chapter('<a id="RR-1"></a>**RR-1** [house] Held (flag `no-token`); setting `a.b`, `c`.', "docs/spec/a.md")
        self.assertEqual(rules.by_id["RR-1"].names, ("no-token", "a.b"))

    def test_a_missing_target_of_an_alias_is_named(self):
        data, missing = search_index.aliases(set())
        self.assertEqual(set(missing), {target for found in data["pages"].values() for target in found})


class ExampleTests(unittest.TestCase):
    def test_a_file_belongs_to_the_nearest_page(self):
        pages = ["Examples/README.md", "Examples/Shop/README.md"]
        files = ["Examples/Shop/Sources/Shop.swift", "Examples/go/main.go"]
        found = [examples.files_of(Page(page, ""), pages, files) for page in pages]
        self.assertEqual(found, [files[1:], files[:1]])


if __name__ == "__main__":
    unittest.main()
