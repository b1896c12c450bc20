#!/usr/bin/env python3
"""Converts a ledger in a SQLite file from the schema of sixteen migrations to the schema of the first release.

usage: Scripts/convert-ledger.py FORMER NEW

FORMER is the file of a stopped server; it is only read. NEW is an empty ledger of this version, made by
`external-purchase database migrate --database sqlite:NEW`. Every row keeps its number and its bytes, so that the audit
chain, noted heads and the numbers of later rows stay what they are. Nothing is written when anything differs from what
is expected. docs/decisions/0089-one-schema.md says why there are two schemas.
"""
import fcntl
import os
import sqlite3
import struct
import sys

FORMER = """
0001-tokens-sales-reports 0002-whole-ledger 0003-open-rows 0004-records 0005-escalations 0006-sale-changes 0008-orders
0010-pending-sales 0011-quarantine-age 0007-review-corrections 0012-lists 0013-deadlines 0014-states-of-flags
0015-keys-and-users 0016-payment-events 0017-leases
""".split()
TABLES = {
    "attention_items": "review_items",
    "escalation_messages": "alert_messages",
    "escalations": "alerts",
    "notifications_set_aside": "quarantined_notifications",
    "token_sightings": "token_observations",
    "tokens_set_aside": "quarantined_tokens",
}
COLUMNS = {("manual_exports", "handed_in_at"): "submitted_at", ("manual_exports", "handed_in_by"): "submitted_by"}
# Written by no version that had `takes_back`, which has its value since.
DROPPED = {("sales", "refund_of")}
# What this version has beside: parts of invoices, and who said that a token belongs to a checkout or to a customer. What only
# visits had named is a claim.
BY_VISITS = """source = 'website' AND NOT EXISTS (
    SELECT 1 FROM token_sightings AS seen WHERE seen.bundle_id = tokens.bundle_id
        AND seen.external_purchase_id = tokens.external_purchase_id AND seen.source IN ('app', 'imported'))"""
ADDED = f"""
ALTER TABLE invoices ADD COLUMN due_on TEXT;
ALTER TABLE invoices ADD COLUMN purchase_order TEXT;
ALTER TABLE invoices ADD COLUMN surcharge TEXT;
ALTER TABLE invoices ADD COLUMN tax TEXT;
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE tokens ADD COLUMN customer_claimed INTEGER NOT NULL DEFAULT 0;
UPDATE tokens SET customer_claimed = 1 WHERE customer_id IS NOT NULL AND {BY_VISITS};
ALTER TABLE checkouts ADD COLUMN token_claim TEXT NOT NULL DEFAULT 'authenticated';
UPDATE checkouts SET token_claim = 'claimed' WHERE token_from_sale = 0 AND EXISTS (
    SELECT 1 FROM tokens WHERE tokens.bundle_id = checkouts.bundle_id
        AND tokens.external_purchase_id = checkouts.external_purchase_id AND {BY_VISITS});
CREATE TABLE checkout_claims (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, bundle_id TEXT, checkout_id TEXT, external_purchase_id TEXT
);
"""
# The byte by which a server locks its ledger (FileLock).
LOCKED_BYTE = 1 << 62


def refuse(reason):
    sys.exit(f"convert-ledger: {reason}")


def lock(path):
    """Locks a ledger as a server does, until this program ends."""
    try:
        descriptor = os.open(path, os.O_RDWR)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0))
        return descriptor
    except BlockingIOError:
        refuse(f"{path}: a server has it; stop it first")
    except OSError as error:
        refuse(f"{path}: {error.strerror}")


def tables(database):
    names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return {name for (name,) in names if name != "migrations"}


def columns(database, table):
    """The stored columns, without generated ones."""
    return [row[1] for row in database.execute(f"PRAGMA table_xinfo({table})") if row[6] == 0]


def migrations(database, path):
    try:
        return [name for (name,) in database.execute("SELECT id FROM migrations ORDER BY position")]
    except sqlite3.Error as error:
        refuse(f"{path}: {error}")


def plan(old, new):
    """Pairs of tables with pairs of columns; refuses tables and columns that one side lacks."""
    pairs, rest = [], tables(new)
    for table in sorted(tables(old)):
        target = TABLES.get(table, table)
        kept = [name for name in columns(old, table) if (table, name) not in DROPPED]
        named = [COLUMNS.get((table, name), name) for name in kept]
        if target not in rest or sorted(named) != sorted(columns(new, target)):
            refuse(f"the table {table} is not that of the former schema, or {target} not that of this version")
        rest.remove(target)
        pairs.append((table, target, kept, named))
    if rest:
        refuse(f"the former ledger has nothing for {', '.join(sorted(rest))}")
    return pairs


def main():
    if len(sys.argv) != 3:
        refuse("usage: Scripts/convert-ledger.py FORMER NEW")
    former, made = sys.argv[1:]
    if os.path.exists(former) and os.path.exists(made) and os.path.samefile(former, made):
        refuse("FORMER and NEW are one file: name an empty ledger as NEW")
    held = [lock(former), lock(made)]
    source = sqlite3.connect(f"file:{former}?mode=ro", uri=True)
    new = sqlite3.connect(made, isolation_level=None)
    if migrations(source, former) != FORMER:
        refuse(f"{former} is not a ledger of the former schema")
    # A copy in a temporary file gets what is new.
    old = sqlite3.connect("", isolation_level=None)
    source.backup(old)
    for (name,) in old.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        old.execute(f"DROP TRIGGER {name}")
    old.executescript(ADDED)
    if migrations(new, made) != ["0001-ledger", "0002-roles", "0003-lists", "0004-webhooks", "0005-user-apps"]:
        refuse(f"{made} is not a ledger of this version")
    # Its only row says that nothing was expired yet.
    filled = [name for name in sorted(tables(new)) if new.execute(f"SELECT count(*) FROM {name}").fetchone()[0]]
    if filled != ["quarantine_expiry"]:
        refuse(f"{made} is not empty: {', '.join(filled)}")
    if old.execute("SELECT count(*) FROM sales WHERE refund_of IS NOT NULL AND takes_back IS NULL").fetchone()[0]:
        refuse(f"{former} has refunds without what they take back")
    pairs = plan(old, new)

    old.execute("BEGIN")
    new.execute("PRAGMA foreign_keys = OFF")
    new.execute("PRAGMA synchronous = FULL")
    new.execute("BEGIN IMMEDIATE")
    # Rows arrive in their final state; the triggers guard the way to it.
    triggers = new.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid").fetchall()
    for name, _ in triggers:
        new.execute(f"DROP TRIGGER {name}")
    new.execute("DELETE FROM quarantine_expiry")
    for table, target, kept, named in pairs:
        places = ", ".join("?" for _ in kept)
        new.executemany(
            f"INSERT INTO {target} ({', '.join(named)}) VALUES ({places})",
            old.execute(f"SELECT {', '.join(kept)} FROM {table}"),
        )
    new.execute("DELETE FROM sqlite_sequence")
    for table, number in old.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
        if table != "migrations":
            new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (TABLES.get(table, table), number))
    for _, sql in triggers:
        new.execute(sql)

    count = 0
    for table, target, kept, named in pairs:
        order = ", ".join(str(number + 1) for number in range(len(kept)))
        before = old.execute(f"SELECT {', '.join(kept)} FROM {table} ORDER BY {order}")
        after = new.execute(f"SELECT {', '.join(named)} FROM {target} ORDER BY {order}")
        for row in before:
            count += 1
            if after.fetchone() != row:
                refuse(f"a row of {table} did not arrive as it was")
        if after.fetchone() is not None:
            refuse(f"{target} has more rows than {table}")
    # What the migration 0003-lists does with the rows that it finds.
    new.execute(
        "INSERT INTO payment_event_objects (provider, object_id, sequence) "
        "SELECT DISTINCT provider, 'sale:' || told.value, sequence FROM payment_events, json_each(sales) AS told"
    )
    for check in ("foreign_key_check", "integrity_check"):
        found = new.execute(f"PRAGMA {check}").fetchone()
        if found not in (None, ("ok",)):
            refuse(f"PRAGMA {check}: {found}")
    new.execute("COMMIT")
    new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    new.close()
    head = old.execute("SELECT sequence, hex(hash) FROM audit_log ORDER BY sequence DESC LIMIT 1").fetchone()
    print(f"{count} rows" + (f"; audit log up to entry {head[0]}, hash {head[1].lower()}" if head else ""))
    del held


if __name__ == "__main__":
    main()
