"""The check of a built site finds each kind of fault, and none in a site that is right."""

import os
import tempfile
import unittest
from pathlib import Path

import check

HEAD = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>x</title></head><body>'
RIGHT = {
    "index.html": '<a href="a/b.html#here">b</a><a href="https://example.com/">away</a>',
    "a/b.html": '<p id="here">x</p><p id="RR-44">y</p><a href="../index.html">home</a><a href="#here">x</a>',
}
# A change of the right site, and what the check says of it.
FAULTS = [
    ("index.html", '<a href="c.html">c</a>', "index.html: c.html leads to no file"),
    ("index.html", '<a href="a/b.html#there">b</a>', "index.html: a/b.html#there leads to no anchor"),
    ("a/b.html", '<a href="#there">b</a>', "a/b.html: #there leads to no anchor"),
    ("index.html", '<a href="/a/b.html">b</a>', "index.html: /a/b.html works on one host only"),
    ("index.html", '<a href="file:///tmp/b.html">b</a>', "index.html: file:///tmp/b.html works on one host only"),
    ("index.html", '<img src="https://example.com/x.png">', "index.html: loads https://example.com/x.png, which the site does not have"),
    ("index.html", '<script src="x.js"></script>', "index.html: loads x.js, which the site does not have"),
    ("a/b.html", '<p id="here">z</p>', "a/b.html: the id 'here' is given twice"),
    ("index.html", '<p id="RR-44">z</p>', "RR-44: has 2 anchors: a/b.html, index.html"),
    ("index.html", '<label for="field">z</label>', "index.html: names the id 'field', which no element has"),
    ("index.html", f"{os.getcwd()}/Sources", f"index.html: names the folder {os.getcwd()}/ of this machine"),
    ("lost.html", "z", "lost.html: no page leads here"),
]  # fmt: skip


class CheckTests(unittest.TestCase):
    def faults(self, change=None):
        with tempfile.TemporaryDirectory() as folder:
            pages = dict(RIGHT)
            if change:
                pages[change[0]] = pages.get(change[0], "") + change[1]
            for path, body in pages.items():
                place = Path(folder, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(f"{HEAD}{body}</body></html>", encoding="utf-8")
            found = check.check(folder)[0]
            return found + [fault for path in pages for fault in check.html_faults((folder, path))]

    def test_a_site_that_is_right_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_each_fault_is_found(self):
        for path, addition, expected in FAULTS:
            with self.subTest(addition=addition):
                self.assertEqual(self.faults((path, addition)), [expected])

    def test_invalid_html_is_found(self):
        for addition in ["<p><b>x</p>", "</div>", "<table><p>x</p></table>"]:
            with self.subTest(addition=addition):
                self.assertTrue(self.faults(("index.html", addition)))


if __name__ == "__main__":
    unittest.main()
