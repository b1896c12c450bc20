"""Makes large ledgers: months of Stripe's events against the built programs, whose rows are then copied with fresh ids.

A row of the seed ledger becomes `copies` rows one behind the other, so that the order of arrival stays that of the months.
Ids are found in every text by their form and get a tag, the same one in all rows of a copy. The hash chain of the audit log is
computed anew, so that `ledger verify` accepts the result. What arrived last in the seed is open, and has a number of copies of
its own: a large ledger and a small one have as much open.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "StripeYear"))

import shop  # noqa: E402
import trial  # noqa: E402
import year  # noqa: E402

# UUIDs, Stripe's numbered ids of the seed, its customers and checkouts, and pseudonyms.
IDS = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    r"|\b([a-z]+_)(?=\d{6}\b)|\b((?:user|basket|order)-)(?=\d)|\b(customer-)[0-9a-f]{8}(?=[0-9a-f]{24}\b)"
)
TAG = "\x01"
NUMBER = "\x02"
# Columns that hold the number of a row of another table.
REFERENCES = {
    ("payment_event_objects", "sequence"): "payment_events",
    ("webhook_attempts", "delivery"): "webhook_deliveries",
}
# What a ledger has once, however large it is.
SINGLE = {"migrations", "schema_compatibility", "deadline_rules", "api_keys", "users", "purges", "quarantine_expiry", "leases",
          "webhook_positions", "report_requests", "alerts", "alert_messages"}  # fmt: skip


class SeedYear(year.Year):
    """Months of events, with tokens and sales that a shop posts, then such that nobody reports."""

    def __init__(self, program, customers, days, posted, open_tokens):
        super().__init__(program, 1, customers, days)
        self.posted, self.open_tokens = posted, open_tokens
        self.visits = 0
        self.marks = {}

    def run(self):
        try:
            self.begin()
            self.play()
            self.stop_server()
            self.marks = marks(pathlib.Path(self.folder) / "ledger.sqlite")
            self.fill()
        finally:
            self.finish()

    def stop_server(self):
        server = self.processes.pop()
        server.terminate()
        server.wait()

    def night(self):
        """What a shop without Stripe posts comes every fourteen days."""
        nights = self.days // 14
        if self.visits < self.posted and self.now < trial.START + self.days * trial.DAY:
            self.post(-(-self.posted // nights))
        super().night()

    def fill(self):
        """Tokens, every other one with a sale, and a server that sends nothing."""
        path = pathlib.Path(self.folder) / "serve.json"
        path.write_text(path.read_text().replace('"settings": {', '"settings": {"reporting.send": "off", '))
        self.start_server()
        self.post(self.open_tokens)

    def post(self, count):
        """Tokens, every other one with a sale."""
        for number in range(self.visits, self.visits + count):
            visit = shop.Visit(
                number, trial.SHOP, True, "SERVICES", f"{number:08x}-0000-4000-8000-{number:012x}", self.now - 3_600,
                f"user-{100_000 + number}", "app", self.now,
            )  # fmt: skip
            visit.checkout = f"basket-{100_000 + number}"
            self.mint(visit)
            self.visit(visit)
            if number % 2:
                continue
            status, answer = self.server("POST", "/v1/sales", {
                "saleId": f"order-{number}", "bundleId": trial.SHOP, "type": "purchase", "occurredAt": trial.time_of(self.now),
                "customerId": visit.customer, "checkoutId": visit.checkout, "productId": "com.example.shop.gems.100", "quantity": 1,
                "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"}})  # fmt: skip
            trial.need(status == 201, f"a sale is answered {status}: {answer}")
        self.visits += count


def marks(path):
    """The newest number of each table."""
    database = sqlite3.connect(path)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {}
    for table in tables:
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        if "sequence" in columns:
            found[table] = database.execute(f"SELECT coalesce(max(sequence), 0) FROM {table}").fetchone()[0]
    database.close()
    return found


class Seed:
    """The rows of a ledger, and which of them are open."""

    def __init__(self, path, newest):
        self.database = sqlite3.connect(path)
        self.newest = newest
        self.tables = {}
        for (name,) in self.database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ):
            # Neither hidden nor generated ones.
            columns = [row[1:] for row in self.database.execute(f"PRAGMA table_xinfo({name})") if row[6] == 0]
            self.tables[name] = [(column[0], column[4]) for column in columns]
        old, new = set(), set()
        for table in ("tokens", "sales", "customers"):
            for row in self.rows(table):
                ids = {match for cell in row if isinstance(cell, str) for match in whole_ids(cell)}
                (new if self.is_newer(table, row) else old).update(ids)
        self.open_ids = new - old

    def columns(self, table):
        return [name for name, _ in self.tables[table]]

    def rows(self, table):
        key = [name for name, place in sorted(self.tables[table], key=lambda column: column[1]) if place]
        order = ", ".join(key) or "rowid"
        return self.database.execute(f"SELECT {', '.join(self.columns(table))} FROM {table} ORDER BY {order}").fetchall()

    def is_newer(self, table, row):
        place = self.columns(table).index("sequence")
        return row[place] > self.newest[table]

    def is_open(self, table, row):
        if table == "deadlines":
            subject = "sales" if row[self.columns(table).index("is_line_item")] else "tokens"
            return row[self.columns(table).index("sequence")] > self.newest[subject]
        if table in self.newest and table not in {owner for owner, _ in REFERENCES}:
            return self.is_newer(table, row)
        return any(id in self.open_ids for cell in row if isinstance(cell, str) for id in whole_ids(cell))


def whole_ids(text):
    return re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:user|basket|order)-\d+", text)


def template(cell):
    """A text with the places of its tags, and the function that makes the cell of a copy from it; None for what all copies share."""
    if isinstance(cell, bytes):
        try:
            text = cell.decode()
        except UnicodeDecodeError:
            return cell, None
        marked = tagged(text)
        return (cell, None) if marked == text else (marked, lambda tag: marked.replace(TAG, tag).encode())
    if not isinstance(cell, str):
        return cell, None
    marked = tagged(cell)
    if marked != cell:
        return marked, lambda tag: marked.replace(TAG, tag)
    decoded = from_base64(cell)
    if decoded is None:
        return cell, None
    inside = tagged(decoded)
    if inside == decoded:
        return cell, None
    return inside, lambda tag: base64.b64encode(inside.replace(TAG, tag).encode()).decode()


def tagged(text):
    return IDS.sub(lambda match: next((prefix for prefix in match.groups() if prefix), "") + TAG, text)


def from_base64(text):
    """The JSON that a token's text holds."""
    if not text.startswith("eyJ"):
        return None
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return None


def tags(count):
    # An odd factor: no two copies have the same tag, and their ids are spread over the index.
    return [f"{(number * 2_654_435_761 + 97) % 2**32:08x}" for number in range(count)]


class Copies:
    """The rows of the ledger that is made, table by table."""

    def __init__(self, seed, closed, opened):
        self.seed, self.closed, self.opened = seed, closed, opened
        self.tags = tags(max(closed, opened))
        # The number of the first copy of a row, by table and number of the seed.
        self.first = {}
        for table in seed.newest:
            next, first = 1, {}
            place = seed.columns(table).index("sequence")
            if table in {owner for owner, _ in REFERENCES} or table == "deadlines":
                continue
            for row in seed.rows(table):
                first[row[place]] = next
                next += self.count(table, row)
            self.first[table] = first
        self.lasts = {}

    def count(self, table, row):
        """The copies of a row; what names nothing is there once, and so is what an app has one of."""
        if table in SINGLE or table != "deadlines" and not any(template(cell)[1] for cell in row):
            return 1
        if table == "review_items" and row[self.seed.columns(table).index("subject_kind")] == "app":
            return 1
        return self.opened if self.seed.is_open(table, row) else self.closed

    def rows(self, table):
        if table == "audit_log":
            yield from self.audit()
            return
        columns = self.seed.columns(table)
        for row in self.seed.rows(table):
            if table in SINGLE:
                yield row
                continue
            cells = [template(cell)[1] or cell for cell in row]
            changing = [place for place, cell in enumerate(cells) if callable(cell)]
            numbers = {}
            for place, column in enumerate(columns):
                owner = self.owner(table, column, row)
                if owner and row[place] is not None:
                    numbers[place] = self.first[owner][row[place]]
            self.lasts[table] = max(self.lasts.get(table, 0), *[first + self.count(table, row) - 1 for first in numbers.values()], 0)
            values = [None if callable(cell) else cell for cell in cells]
            for copy in range(self.count(table, row)):
                tag = self.tags[copy]
                for place in changing:
                    values[place] = cells[place](tag)
                for place, first in numbers.items():
                    values[place] = first + copy
                yield tuple(values)

    def owner(self, table, column, row):
        if (table, column) in REFERENCES:
            return REFERENCES[table, column]
        if column != "sequence":
            return None
        if table == "deadlines":
            return "sales" if row[self.seed.columns(table).index("is_line_item")] else "tokens"
        return table

    def audit(self):
        """The entries, each chained to the one before."""
        number, last = 0, bytes(32)
        for row in self.seed.rows("audit_log"):
            _, moment, kind, content, _ = row
            item = re.search(r'"item":(\d+)', content) if kind.startswith("attention-") else None
            first = self.first["review_items"].get(int(item[1]), 1) if item else 0
            marked = tagged(content)
            if item:
                marked = marked.replace(item[0], f'"item":{NUMBER}')
            for copy in range(self.count("audit_log", row)):
                number += 1
                text = marked.replace(TAG, self.tags[copy])
                if item:
                    text = text.replace(NUMBER, str(first + copy))
                last = hashlib.sha256(last + f"{number}\n{moment}\n{kind}\n{text}".encode()).digest()
                yield number, moment, kind, text, last
        self.lasts["audit_log"] = number


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def make_sqlite(copies, path):
    """Writes a SQLite file: the rows first, then indexes and triggers. Returns the number of rows."""
    target = sqlite3.connect(path, isolation_level=None)
    target.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA page_size = 4096;")
    seed = copies.seed
    entries = seed.database.execute(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table' DESC, rowid"
    ).fetchall()
    total, began = 0, time.time()
    for _, name, sql in [entry for entry in entries if entry[0] == "table"]:
        target.execute(sql)
    for table in seed.tables:
        places = ", ".join("?" for _ in seed.columns(table))
        target.execute("BEGIN")
        insert = f"INSERT INTO {table} ({', '.join(seed.columns(table))}) VALUES ({places})"
        count = target.executemany(insert, copies.rows(table)).rowcount
        target.execute("COMMIT")
        total += max(count, 0)
        if count > 100_000:
            say(f"{count:,} rows of {table}, {time.time() - began:.0f} s")
    for table, last in copies.lasts.items():
        target.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (last, table))
    for kind, _, sql in entries:
        if kind != "table":
            target.execute(sql)
    say(f"{total:,} rows with their indexes in SQLite, {time.time() - began:.0f} s")
    target.execute("PRAGMA journal_mode = WAL")
    target.close()
    return total


def make_postgres(copies, database):
    """Fills the tables of an empty ledger in PostgreSQL; indexes, references and triggers are off meanwhile."""
    began, total = time.time(), 0
    indexes = lines(database, """
        SELECT replace(indexdef, chr(10), ' ') FROM pg_indexes WHERE schemaname = current_schema() AND indexname NOT IN (
            SELECT conname FROM pg_constraint WHERE contype IN ('p', 'u') AND connamespace = current_schema()::regnamespace)""")
    constraints = [line.split("\t") for line in lines(database, """
        SELECT conrelid::regclass, conname, replace(pg_get_constraintdef(oid), chr(10), ' ') FROM pg_constraint
        WHERE contype IN ('f', 'p', 'u') AND connamespace = current_schema()::regnamespace
        ORDER BY contype = 'f', contype""")]
    names = lines(database, """
        SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname NOT IN (
            SELECT conname FROM pg_constraint WHERE contype IN ('p', 'u') AND connamespace = current_schema()::regnamespace)""")
    run(database, "; ".join([f'DROP INDEX "{name}"' for name in names]
        + [f'ALTER TABLE {table} DROP CONSTRAINT "{name}"' for table, name, _ in reversed(constraints)]))
    present = set(lines(database, "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"))
    for table in copies.seed.tables:
        if table in {"migrations", "schema_compatibility", "leases"} or table not in present:
            continue
        columns = ", ".join(copies.seed.columns(table))
        run(database, f"ALTER TABLE {table} DISABLE TRIGGER USER; TRUNCATE {table}")
        psql = subprocess.Popen([*command(database), "-c", f"COPY {table} ({columns}) FROM STDIN"], stdin=subprocess.PIPE, text=True)
        count = 0
        for row in copies.rows(table):
            psql.stdin.write("\t".join(map(copied, row)))
            psql.stdin.write("\n")
            count += 1
        psql.stdin.close()
        if psql.wait():
            sys.exit(f"COPY of {table} failed")
        total += count
        if count > 100_000:
            say(f"{count:,} rows of {table}, {time.time() - began:.0f} s")
    more = "SET maintenance_work_mem = '1GB'; "
    run(database, more + "; ".join(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {sql}' for table, name, sql in constraints if not sql.startswith("FOREIGN")))
    for sql in indexes:
        run(database, more + sql)
    run(database, more + "; ".join(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {sql} NOT VALID' for table, name, sql in constraints if sql.startswith("FOREIGN")))
    for table in copies.seed.tables:
        if table in present:
            run(database, f"ALTER TABLE {table} ENABLE TRIGGER USER")
    for table, column in [line.split("\t") for line in lines(database, """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND is_identity = 'YES'""")]:
        run(database, f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), greatest(1, (SELECT max({column}) FROM {table})))")
    run(database, "VACUUM ANALYZE")
    say(f"{total:,} rows with their indexes in PostgreSQL, {time.time() - began:.0f} s")
    return total


def copied(value):
    """A value in PostgreSQL's text format of COPY."""
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    if isinstance(value, int):
        return str(value)
    if "\\" in value or "\n" in value or "\t" in value or "\r" in value:
        return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return value


def command(database):
    return ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database]


def run(database, sql):
    subprocess.run([*command(database), "-c", sql], check=True, stdout=subprocess.DEVNULL)


def lines(database, sql):
    shown = subprocess.run([*command(database), "-A", "-t", "-F", "\t", "-c", sql], check=True, capture_output=True, text=True)
    return shown.stdout.splitlines()


def seed_ledger(program, customers, days, posted, open_tokens, folder):
    """Plays the months; returns the seed and its folder, which has the configuration of its server."""
    one = SeedYear(os.path.abspath(program), customers, days, posted, open_tokens)
    began = time.time()
    one.run()
    shutil.move(one.folder, folder)
    (folder / "marks.json").write_text(json.dumps(one.marks))
    seed = Seed(folder / "ledger.sqlite", one.marks)
    counts = {table: len(seed.rows(table)) for table in ("tokens", "sales", "reports", "payment_events", "audit_log")}
    say(f"a seed of {counts}, {time.time() - began:.0f} s")
    return seed, folder
