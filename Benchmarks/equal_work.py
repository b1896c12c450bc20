"""The least that storing the rows of a ledger costs: the same rows, put into the same tables with the same indexes.

A ledger that a server filled is read; then its rows go into an empty ledger in groups, each committed durably before the next
one begins, by the shell of the engine alone. Triggers and references, which the ledger checks besides, are off, so that the
limit is rather too high.
"""

import pathlib
import shutil
import sqlite3
import subprocess
import time


def parts(rows, groups):
    """The rows in as many parts, in their order."""
    return [rows[len(rows) * part // groups : len(rows) * (part + 1) // groups] for part in range(groups)]


def in_sqlite(filled, empty, groups):
    """The seconds that the rows of one file take in another one, which has the tables and no rows."""
    source = sqlite3.connect(filled)
    tables = [name for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    slices = {}
    for table in tables:
        # Generated columns, which take no values, are hidden.
        columns = [f'"{column[1]}"' for column in source.execute(f"PRAGMA table_xinfo({table})") if column[6] == 0]
        rows = source.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
        if rows:
            statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
            slices[statement] = parts(rows, groups)
    source.close()
    target = sqlite3.connect(empty, isolation_level=None)
    target.execute("PRAGMA synchronous = FULL")
    target.execute("PRAGMA foreign_keys = OFF")
    for (name,) in target.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        target.execute(f"DROP TRIGGER {name}")
    for table in tables:
        target.execute(f"DELETE FROM {table}")
    start = time.monotonic()
    for group in range(groups):
        target.execute("BEGIN IMMEDIATE")
        for statement, rows in slices.items():
            target.executemany(statement, rows[group])
        target.execute("COMMIT")
    seconds = time.monotonic() - start
    target.close()
    return seconds


def in_postgres(filled, empty, groups, folder):
    """The same for two schemas; the groups are read from a file of statements, one for the rows of a table."""
    psql = [shutil.which("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]

    def ask(address, sql):
        # Texts of rows have line breaks.
        shown = subprocess.run([*psql, "-0", address, "-c", sql], capture_output=True, text=True, check=True)
        return shown.stdout.split("\0")[:-1]

    tables = ask(filled, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace")
    slices = {}
    for table in tables:
        columns = ask(
            filled,
            f"SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 "
            "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        )
        values = ", ".join(f"COALESCE(quote_literal({column}::text), 'NULL')" for column in columns)
        rows = ask(filled, f"SELECT concat_ws(',', {values}) FROM {table} ORDER BY ctid")
        if rows:
            begin = f"INSERT INTO {table} ({', '.join(columns)}) OVERRIDING SYSTEM VALUE VALUES "
            slices[begin] = parts(rows, groups)
    file = pathlib.Path(folder) / "equal-work.sql"
    with open(file, "w") as output:
        for group in range(groups):
            output.write("BEGIN;\n")
            for begin, rows in slices.items():
                if rows[group]:
                    output.write(begin + ",".join(f"({row})" for row in rows[group]) + ";\n")
            output.write("COMMIT;\n")
    for table in tables:
        ask(empty, f"SET session_replication_role = replica; DELETE FROM {table}")
    start = time.monotonic()
    settings = "SET session_replication_role = replica; SET synchronous_commit = on"
    subprocess.run([*psql, empty, "-c", settings, "-f", file], check=True)
    seconds = time.monotonic() - start
    file.unlink()
    return seconds
