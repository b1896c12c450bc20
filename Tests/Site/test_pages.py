"""What the generator makes of Markdown. `./run docs` runs the tests."""

import tempfile
import unittest
from pathlib import Path

import backlinks
from citations import Rules
from links import Links
from markup import Markup
from navigation import Navigation
from pages import Page, kind_of, output_of, relative, slug
from sources import source_page

CHAPTER = "docs/spec/05-report-rules.md"
FILES = {
    "README.md": "# Home\n",
    "docs/README.md": "# Documentation\n\n**Try it.** Now. → [Run the demo](../README.md#home)\n\n## Reference\n\n- [Server](serve.md)\n",
    "docs/serve.md": "# The server\n\n## Refunds\n\nBy RR-44, and `link-url-changed`.\n",
    "docs/lint/link-url-changed.md": "# link-url-changed\n\nFollows: TK-74 (house).\n",
    CHAPTER: "# 05 Report rules\n\n<a id=\"RR-44\"></a>**RR-44** [house] The first rule of the chapter. It has two sentences.\n\n"
    "| id | says |\n|---|---|\n| <a id=\"TK-74\"></a>TK-74 | [doc; text: house, [S1](README.md#S1)] the second |\n"
    "| <a id=\"TK-75\"></a>TK-75 | the third |\n"
    "| <a id=\"link-url-changed\"></a>`link-url-changed` | a name |\n",
    "Sources/A.swift": "let a = 1 < 2\n// RR-44: see TK-74 to 75\nlet name = \"link-url-changed\"\n",
}


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for path, text in FILES.items():
            place = Path(self.root, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self.pages = [Page(path, output_of(path), kind=kind_of(path)) for path in FILES if path.endswith(".md")]
        for page in self.pages:
            page.title = FILES[page.source].split("\n")[0].removeprefix("# ")
        self.rules = Rules()
        self.rules.read_chapter(FILES[CHAPTER], CHAPTER)
        self.links = Links(self.root, self.rules, self.pages)
        self.markup = Markup(self.links)

    def page(self, source):
        return self.links.pages[source]

    def html(self, text, source="docs/serve.md"):
        page = self.page(source)
        self.markup.render(page, text)
        return page.html


class PageTests(Repository):
    def test_a_link_leads_to_the_page_of_its_file(self):
        cases = [
            ("docs/serve.md", "lint/link-url-changed.md", "lint/link-url-changed.html"),
            ("docs/serve.md", "../README.md#home", "../index.html#home"),
            ("docs/serve.md", "#refunds", "#refunds"),
            ("docs/lint/link-url-changed.md", "../serve.md#refunds", "../serve.html#refunds"),
            ("README.md", "docs", "docs/index.html"),
            ("README.md", "docs/README.md", "docs/index.html"),
            ("README.md", "Sources/A.swift", "source/Sources/A.swift.html"),
            ("README.md", "Sources", None),
            ("README.md", "https://example.com/a.md", "https://example.com/a.md"),
            ("README.md", "Sources/App/X/X.docc/why.md", "api/x/why.html"),
        ]
        for source, href, expected in cases:
            with self.subTest(href=href, source=source):
                self.assertEqual(self.links.resolve(self.page(source), href), expected)

    def test_a_file_lies_beside_its_source(self):
        cases = [
            ("README.md", "index.html"), ("docs/README.md", "docs/index.html"), ("CHANGELOG.md", "changelog.html"),
            ("docs/serve.md", "docs/serve.html"), ("Data/errors.json", "source/Data/errors.json.html"),
        ]  # fmt: skip
        for source, expected in cases:
            self.assertEqual(output_of(source), expected)
        self.assertEqual(relative("docs/spec/a.html", "assets/site.css"), "../../assets/site.css")

    def test_the_anchor_of_a_heading_is_that_of_github(self):
        cases = [
            ("What waits for a person", "what-waits-for-a-person"), ("`PUT /x` and more", "put-x-and-more"),
            ("3.1 European Union", "31-european-union"), ("serve.yaml", "serveyaml"),
            ("The ledger's files", "the-ledgers-files"),
        ]  # fmt: skip
        for heading, expected in cases:
            self.assertEqual(slug(heading.replace("`", "")), expected)
            self.assertIn(f'<h2 id="{expected}">', self.html(f"## {heading}\n"))

    def test_a_second_heading_with_the_same_text_has_an_anchor_of_its_own(self):
        self.html("# Page\n\n## Same\n\n## Same\n\n## Same\n")
        self.assertEqual([heading.anchor for heading in self.page("docs/serve.md").headings][1:], ["same", "same-1", "same-2"])

    def test_a_link_whose_label_is_a_file_has_the_title_of_its_page(self):
        self.assertIn(">The server</a>", self.html("[serve.md](serve.md)", "docs/README.md"))
        self.assertIn(">The server</a>", self.html("[docs/serve.md](docs/serve.md)", "README.md"))
        self.assertIn(">this</a>", self.html("[this](docs/serve.md)", "README.md"))

    def test_a_file_without_a_page_stands_as_text(self):
        self.assertIn('<span class="file">sources</span>', self.html("[sources](../Sources)"))

    def test_the_sidebar_has_the_groups_of_the_documentations_page(self):
        index = self.page("docs/README.md")
        navigation = Navigation(FILES["docs/README.md"], lambda href: f"to {href}")
        self.assertEqual(navigation.groups, [
            ("Try it", [("Run the demo", "to ../README.md#home")]), ("Reference", [("Server", "to serve.md")]),
        ])  # fmt: skip
        self.assertIn('aria-current="page"', Navigation(FILES["docs/README.md"], lambda _: index.output).sidebar(index, []))


class RuleTests(Repository):
    def test_ids_and_names_outside_of_code_and_links_become_links(self):
        rule = '<a class="rule" href="spec/05-report-rules.html#'
        cases = [
            ("By RR-44.", [f'{rule}RR-44"']),
            ("TK-74 to TK-75", [f'{rule}TK-74"', f'{rule}TK-75"']),
            ("TK-74 to 75", [f'{rule}TK-74"', f'{rule}TK-75"']),
            ("`RR-44`", [f'{rule}RR-44"']),
            ("`link-url-changed`", ['<a class="rule" href="lint/link-url-changed.html"']),
            ("| a |\n|---|\n| RR-44 |\n", [f'{rule}RR-44"']),
        ]
        for text, expected in cases:
            with self.subTest(text=text):
                html = self.html(text)
                for part in expected:
                    self.assertIn(part, html)
                self.assertEqual(html.count("<a "), len(expected))

    def test_what_is_no_citation_stays_text(self):
        cases = [
            "```\nRR-44\n```\n", "    RR-44\n", "```swift\n// RR-44\n```\n", "`let rule = RR-44`", "aRR-44", "RR-44a",
            "link-url-changed", "`link-url`", "RR-" + "443",
        ]  # fmt: skip
        for text in cases:
            with self.subTest(text=text):
                self.assertNotIn('class="rule"', self.html(text))
        self.assertEqual(self.html("[RR-44](#x)").count("<a "), 1)
        self.assertNotIn('class="rule"', self.html("## RR-44\n"))

    def test_a_rule_has_its_tags_and_its_first_sentence(self):
        rule = self.rules.by_id["RR-44"]
        self.assertEqual((rule.tags, rule.summary), (("house",), "The first rule of the chapter."))
        self.assertEqual(self.rules.by_id["TK-74"].tags, ("doc", "house"))
        self.assertEqual(self.rules.by_id["TK-74"].text, "the second")

    def test_a_second_anchor_is_found(self):
        self.rules.read_chapter('<a id="RR-44"></a>', "docs/spec/06.md")
        self.assertEqual(self.rules.repeated, ["docs/spec/06.md: RR-44"])

    def test_citations_are_those_of_the_tests_of_the_specification(self):
        """The samples of SpecificationTests.swift, with the ids that they cite."""
        samples = [
            ("TK-74, (SA-5) and RR-104.", ["TK-74", "SA-5", "RR-104"]), ("TK74 aTK-74 A-TK-74 TK-74a TK-", []),
            ("E1 E40, E4r; C12 T40 D10 S14 R6", ["E1", "E40", "E4r", "C12", "T40", "D10", "S14", "R6"]),
            ("%C3 U+E9 \\u{E9} #E12 x.E12 12-E1 &E1 T12:00 E1-2 E1.a", []), ("NT-20 … 22", ["NT-20", "NT-21", "NT-22"]),
            ("It is E1. Then \"E2\" - E3-like", ["E1", "E2", "E3"]), ("C1–C3", ["C1", "C2", "C3"]),
            ("EX-5-to-EX-6", ["EX-5", "EX-6"]), ("RR-1...2", ["RR-1", "RR-2"]), ("TK-1 to 5 %, TK-1 to 5%", ["TK-1"]),
            ("E1 through E3, E38 until 40", ["E1", "E2", "E3", "E38", "E39", "E40"]), ("TK-3 to TK-2", ["TK-3", "TK-2"]),
        ]  # fmt: skip
        every = Rules()
        for family in ["OV-", "CF-", "SK-", "TK-", "SA-", "RR-", "NT-", "OB-", "EX-", "EK-", *"ECTDSR"]:
            every.by_id.update({f"{family}{number}": None for number in range(1, 120)})
        every.by_id["E4r"] = None
        for text, expected in samples:
            with self.subTest(text=text):
                self.assertEqual(every.ids(text), expected)

    def test_a_chapter_shows_the_sections_that_cite_its_rules(self):
        for page in self.pages:
            self.markup.render(page, FILES[page.source])
        chapter = self.page(CHAPTER)
        self.markup.render(chapter, FILES[CHAPTER], lambda names: backlinks.cited_in(chapter, self.rules, names))
        paragraph, table = chapter.html.split("<table>")
        self.assertIn('<a href="../serve.html#refunds">The server: Refunds</a>', paragraph)
        rest = table.split("</table>")[1]
        self.assertIn('<a href="../lint/link-url-changed.html">link-url-changed</a>', rest)
        self.assertIn('<a href="../serve.html#refunds">The server: Refunds</a>', rest)
        self.assertEqual(chapter.html.count('id="RR-44"'), 1)

    def test_a_source_is_escaped_and_its_citations_are_links(self):
        page = source_page(self.root, "Sources/A.swift", [2, 3], self.links)
        self.assertIn("let a = 1 &lt; 2\n", page.html)
        self.assertIn('<span id="L2" class="cites">// <a class="rule" href="../../docs/spec/05-report-rules.html#RR-44"', page.html)
        self.assertEqual(page.html.count('class="rule"'), 4)

    def test_quotation_marks_of_a_source_are_no_attributes(self):
        text = 'let next = #/href="(\\/sales)"/# // RR-44\nlet other = "href=\\"/x\\""\n'
        Path(self.root, "Sources/B.swift").write_text(text, encoding="utf-8")
        for lines in ([1, 2], None):
            html = source_page(self.root, "Sources/B.swift", lines, self.links).html
            self.assertNotIn('href="(', html)
            self.assertNotIn('href=\\"', html)

    def test_a_word_of_the_glossary_is_linked_once(self):
        self.links.read_glossary("| term | meaning |\n|---|---|\n| held sale | a sale that waits ([x](y.md)) |\n| flag | a text |\n")
        html = self.html("A held sale, two held sales and a flag.\n\nA held sale, `held sale`.\n")
        self.assertEqual(html.count('class="term"'), 1)
        self.assertIn('title="a sale that waits">held sale</a>, two', html)
        self.assertNotIn('class="term"', self.html("A held sale.", CHAPTER))


if __name__ == "__main__":
    unittest.main()
