"""What the generator makes of docc's data."""

import json
import tempfile
import unittest
from pathlib import Path

from citations import Rules
from links import Links
from pages import Page
from symbols import SymbolPages, safe

CHAPTER = "docs/spec/05-report-rules.md"


def node(module, path, kind, title, **more):
    """A node as `docc convert` writes it, with what the generator reads."""
    url = f"doc://x.{module}/documentation/{path}"
    ancestors = ["/".join(path.split("/")[: count + 1]) for count in range(path.count("/"))]
    return {
        "kind": "article" if kind is None else "symbol",
        "identifier": {"url": url},
        "metadata": {"title": title, "symbolKind": kind, "modules": [{"name": module}], "externalID": f"s:{module}{title}"},
        "hierarchy": {"paths": [[f"doc://x.{module}/documentation/{ancestor}" for ancestor in ancestors]]},
        "variants": [{"paths": [f"/documentation/{path.lower()}"]}],
        "abstract": [{"type": "text", "text": more.pop("abstract", "")}],
        "references": {},
        **more,
    }


def declaration(*tokens):
    tokens = [{"kind": kind, "text": text, **({"preciseIdentifier": precise} if precise else {})} for kind, text, precise in tokens]
    return [{"kind": "declarations", "declarations": [{"tokens": tokens}]}]


NODES = [
    node("Core", "Core", "module", "Core", abstract="Values.", topicSections=[
        {"title": "Structures", "anchor": "Structures", "identifiers": ["doc://x.Core/documentation/Core/Token"]},
    ]),
    node("Core", "Core/Token", "struct", "Token", abstract="A token (TK-74).", topicSections=[
        {"title": "Methods", "anchor": "Methods", "identifiers": [
            "doc://x.Core/documentation/Core/Token/sign(_:)", "doc://x.Core/documentation/Core/Token/sign(_:)-2",
        ]},
    ]),
    node("Core", "Core/Token/sign(_:)", "method", "sign(_:)", abstract="By RR-44 & more.", primaryContentSections=declaration(
        ("keyword", "func", None), ("text", " sign<", None),
    )),
    node("Core", "Core/Token/sign(_:)-2", "method", "sign(_:)"),
    node("Shop", "Shop", "module", "Shop"),
    node("Shop", "Shop/Cart", "class", "Cart", primaryContentSections=declaration(
        ("keyword", "let", None), ("text", ": ", None), ("typeIdentifier", "Token", "s:CoreToken"), ("typeIdentifier", "Int", "s:Si"),
    )),
]  # fmt: skip


class SymbolTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for each in NODES:
            module = each["metadata"]["modules"][0]["name"]
            place = Path(folder.name, f"{module}.doccarchive", "data", each["variants"][0]["paths"][0][1:] + ".json")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(each), encoding="utf-8")
        self.rules = Rules()
        self.rules.read_chapter('<a id="RR-44"></a>RR-44 x\n\n<a id="TK-74"></a>TK-74 y', CHAPTER)
        self.guide = Page("docs/guide.md", "docs/guide.html", "Guide")
        self.links = Links(folder.name, self.rules, [self.guide])
        self.symbols = SymbolPages(folder.name, self.links)

    def render(self):
        self.symbols.render()
        return {page.output: page.html for page in self.symbols.pages}

    def test_modules_and_types_have_pages_and_members_stand_on_them(self):
        pages = self.render()
        self.assertEqual(
            sorted(pages), ["api/core/index.html", "api/core/token.html", "api/index.html", "api/shop/cart.html", "api/shop/index.html"]
        )
        self.assertIn('<h3 id="sign-_">sign(_:)</h3>', pages["api/core/token.html"])
        self.assertIn('<h3 id="sign-_-2">sign(_:)</h3>', pages["api/core/token.html"])
        self.assertIn('<span class="k">func</span> sign&lt;', pages["api/core/token.html"])
        self.assertIn('<a href="token.html"><code>Token</code></a>', pages["api/core/index.html"])

    def test_a_type_of_another_module_is_a_link(self):
        cart = self.render()["api/shop/cart.html"]
        self.assertIn('<a href="../core/token.html">Token</a>', cart)
        self.assertIn('<span class="nc">Int</span>', cart)

    def test_rules_and_declarations_lead_to_each_other(self):
        token = self.render()["api/core/token.html"]
        self.assertIn('href="../../docs/spec/05-report-rules.html#RR-44"', token)
        self.assertIn("</a> &amp; more.", token)
        cited = {name: [(each.kind, each.url, each.title) for each in self.rules.citations(name)] for name in ("RR-44", "TK-74")}
        self.assertEqual(cited, {
            "RR-44": [("symbol", "api/core/token.html#sign-_", "Token.sign(_:)")],
            "TK-74": [("symbol", "api/core/token.html", "Token")],
        })  # fmt: skip

    def test_a_guide_and_the_type_that_it_names_lead_to_each_other(self):
        link = self.links.code_link(self.guide, "Token", "<code>Token</code>", None)
        self.assertEqual(link, '<a class="type" href="../api/core/token.html"><code>Token</code></a>')
        self.assertIn('<a href="../../docs/guide.html">Guide</a>', self.render()["api/core/token.html"])
        self.assertIsNone(self.links.code_link(self.guide, "Tokens", "<code>Tokens</code>", None))

    def test_the_search_knows_every_declaration(self):
        self.render()
        titles = [title for title, _, _ in self.symbols.search_entries]
        self.assertEqual(sorted(titles), ["Cart", "Core", "Shop", "Token", "Token.sign(_:)", "Token.sign(_:)"])

    def test_content_without_html_stops_the_build(self):
        NODES[5]["abstract"] = [{"type": "hologram"}]
        self.addCleanup(NODES[5].__setitem__, "abstract", [])
        self.setUp()
        with self.assertRaisesRegex(ValueError, "hologram"):
            self.render()

    def test_names_of_files_need_no_escape(self):
        cases = [("run(isolation:_:)", "run-isolation-_"), ("==(_:_:)", "_-_"), ("Token", "token"), ("+", "operator")]
        for name, expected in cases:
            self.assertEqual(safe(name), expected)


if __name__ == "__main__":
    unittest.main()
