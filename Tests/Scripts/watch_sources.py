"""Runs Scripts/watch-sources against a server on this machine that stands for all hosts."""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "Scripts/watch-sources"
TERMS = "https://developer.apple.com/support/terms"
TOKEN = "https://developer.apple.com/documentation/MarketplaceKit/TransactionReporting/token(for:)"
TOKEN_PATH = "/developer.apple.com/tutorials/data/documentation/marketplacekit/transactionreporting/token(for:).json"
CODES = "https://example.org/codes.txt"


def terms(days="7 days", build="1", note=""):
    """A page of HTML."""
    return "text/html; charset=utf-8", f"""<!doctype html><html><head><title>{build}</title></head><body>
        <header>Menu {build}</header><main {note}><h1>Terms</h1><p>Within <b>{days}</b> of the tap.<br>Yes &amp; no.</p>
        <script>var build = "{build}";</script></main><footer>Updated {build}</footer></body></html>"""


def token(version="26.0", beta=False, build="1"):
    """A page of documentation, as the JSON that it is made from."""
    return "application/json", json.dumps({
        "schemaVersion": {"major": 0, "minor": 3, "patch": int(build)},
        "identifier": {"url": "doc://x", "interfaceLanguage": "swift"},
        "metadata": {"title": "token(for:)", "platforms": [{"name": "iOS", "introducedAt": version, "beta": beta}]},
        "abstract": [{"type": "text", "text": "Returns a token."}],
        "references": {"doc://y": {"abstract": [{"type": "text", "text": f"build {build}"}]}},
    })


class Watch(unittest.TestCase):
    def setUp(self):
        pages = self.pages = {
            "/developer.apple.com/support/terms": terms(), TOKEN_PATH: token(),
            "/example.org/codes.txt": ("text/plain", "NLD  Netherlands\n"),
        }

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kind, text = pages.get(self.path, (None, None))
                self.send_response(200 if kind else 404)
                self.send_header("Content-Type", kind or "text/plain")
                self.end_headers()
                self.wfile.write((text or "nothing here").encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.folder = tempfile.TemporaryDirectory()
        self.data = pathlib.Path(self.folder.name) / "Data"
        self.data.mkdir()
        table = {"source": "by hand", "asOf": "2026-11", "rows": [{"source": TERMS}, {"pages": [TOKEN]}]}
        (self.data / "table.json").write_text(json.dumps(table))
        self.store = pathlib.Path(self.folder.name) / "sources.json"
        self.store.write_text(json.dumps({"pages": {CODES: {}}}))

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def watch(self, *options):
        run = subprocess.run(
            [sys.executable, SCRIPT, "--data", self.data, "--store", self.store, "--timeout", "10",
             "--mirror", f"http://127.0.0.1:{self.server.server_port}", *options],
            capture_output=True, text=True, timeout=60, check=False,
        )
        self.assertNotIn("Traceback", run.stderr)
        return run.returncode, run.stdout.splitlines(), run.stderr

    def test_first_run(self):
        """The first run that reaches a page stores its fingerprint, of every page that the tables or the store name."""
        kept = self.pages.pop(TOKEN_PATH)
        code, lines, _ = self.watch()
        self.assertEqual(code, 3)
        self.assertEqual([line.split()[0] for line in lines], ["unread", "first", "first"])
        self.pages[TOKEN_PATH] = kept
        self.assertEqual(self.watch(), (0, [f"first    {TOKEN}"], ""))
        self.assertEqual(self.watch(), (0, [], ""))
        pages = json.loads(self.store.read_text())["pages"]
        self.assertEqual(sorted(pages), sorted([TERMS, TOKEN, CODES]))
        self.assertTrue(all(len(page["fingerprint"]) == 64 and page["read"] for page in pages.values()))

    def test_changed_needs_update(self):
        """A page that changed stays changed until --update, also beside one that is read first."""
        self.watch("--only", TERMS)
        self.pages["/developer.apple.com/support/terms"] = terms(days="9 days")
        code, lines, _ = self.watch()
        self.assertEqual((code, [line.split()[0] for line in lines]), (1, ["first", "changed", "first"]))
        code, lines, _ = self.watch()
        self.assertEqual((code, [line.split()[0] for line in lines]), (1, ["changed"]))
        self.assertEqual(self.watch("--update")[0], 1)
        self.assertEqual(self.watch(), (0, [], ""))

    def test_store_not_writable(self):
        """A store that cannot be written is 2."""
        (self.store.parent / "sources.json.new").mkdir()
        code, _, message = self.watch()
        self.assertEqual(code, 2)
        self.assertIn("sources.json", message)

    def test_changes(self):
        """A change of the text is one; another build of the site, its frame or its markup is none."""
        self.watch("--update")
        for path, page, is_change in [
            ("/developer.apple.com/support/terms", terms(build="2", note='class="wide"'), False),
            ("/developer.apple.com/support/terms", terms(days="seven calendar days"), True),
            (TOKEN_PATH, token(build="2"), False),
            (TOKEN_PATH, token(version="26.4"), True),
            (TOKEN_PATH, token(beta=True), True),
            ("/example.org/codes.txt", ("text/plain", "NLD Netherlands"), False),
            ("/example.org/codes.txt", ("text/plain", "NLD Holland"), True),
        ]:
            with self.subTest(page=page[1][-120:]):
                before, self.pages[path] = self.pages[path], page
                code, lines, _ = self.watch()
                self.assertEqual((code, len(lines)), (1, 1) if is_change else (0, 0), lines)
                if is_change:
                    self.assertRegex(lines[0], r"^changed  https://.* \(read \d{4}-\d\d-\d\d\)$")
                self.pages[path] = before
        self.assertEqual(self.watch()[0], 0)

    def test_unread(self):
        """A page that cannot be read is 3, also beside one that changed, and keeps its fingerprint."""
        self.watch("--update")
        kept = self.pages.pop(TOKEN_PATH)
        self.pages["/developer.apple.com/support/terms"] = terms(days="9 days")
        code, lines, _ = self.watch("--update")
        self.assertEqual(code, 3)
        self.assertEqual([line.split()[0] for line in lines], ["unread", "changed"])
        self.pages[TOKEN_PATH] = kept
        self.assertEqual(self.watch(), (0, [], ""))
        for broken in [("application/json", "{"), ("application/json", "[" * 100_000), ("text/html", "<p></p>")]:
            self.pages[TOKEN_PATH] = broken
            code, lines, _ = self.watch("--only", "MarketplaceKit")
            self.assertEqual((code, [line.split()[0] for line in lines]), (3, ["unread"]), broken[1][:20])

    def test_usage(self):
        """Files that are missing or something else are 2, with a message."""
        for content in ["", "[]", '{"pages": []}', '{"pages": {"https://example.org": "x"}}']:
            self.store.write_text(content)
            code, lines, message = self.watch()
            self.assertEqual((code, lines), (2, []))
            self.assertIn("sources.json", message)
        self.store.write_text('{"pages": {}}')
        self.assertEqual(self.watch("--only", "nowhere")[0], 2)
        self.assertEqual(self.watch("--data", "/nowhere")[0], 2)


if __name__ == "__main__":
    unittest.main()
