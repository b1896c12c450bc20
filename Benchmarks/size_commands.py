"""Bulk commands on a large ledger: rows a second beside the engine's own shell, which reads the same rows, and peak memory."""

import os
import pathlib
import re
import subprocess
import time


class Measured:
    def __init__(self, seconds, cpu, peak, code, output, errors):
        self.seconds, self.cpu, self.peak, self.code, self.output, self.errors = seconds, cpu, peak, code, output, errors


def run(arguments, folder, output=subprocess.DEVNULL):
    """Runs a command and samples the memory that no file backs, in MiB."""
    errors = open(folder / "errors", "w+")
    begin, peak = time.monotonic(), 0.0
    process = subprocess.Popen(list(map(str, arguments)), stdout=output, stderr=errors, cwd=folder)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        try:
            text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            match = re.search(r"RssAnon:\s+(\d+)", text)
            peak = max(peak, int(match[1]) / 1024 if match else 0)
        except OSError:
            pass
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    errors.seek(0)
    text = errors.read()
    errors.close()
    return Measured(seconds, usage.ru_utime + usage.ru_stime, peak, process.returncode, None, text)


def shell(database, sql, folder):
    """Seconds in which the engine's own shell reads rows and writes them as text, and their number.

    A statement before a semicolon is run too, without counting its rows.
    """
    before, _, sql = sql.rpartition(";")
    count = f"SELECT count(*) FROM ({sql}) AS counted"
    if database.startswith("sqlite:"):
        program, statements = ["sqlite3", "-readonly", database.removeprefix("sqlite:")], [*filter(None, [before]), sql]
    else:
        program, statements = ["psql", "-X", "-q", "-A", "-t", "-d", database, "-c"], [f"COPY ({sql}) TO STDOUT"]
    begin = time.monotonic()
    # Through a pipe, as another program would read them.
    reader = subprocess.Popen([*program, *statements], stdout=subprocess.PIPE, cwd=folder)
    subprocess.run(["wc", "-l"], stdin=reader.stdout, check=True, stdout=subprocess.DEVNULL)
    if reader.wait():
        raise SystemExit(f"{' '.join([*program, *statements])} failed")
    seconds = time.monotonic() - begin
    counted = subprocess.run([*program, count], check=True, capture_output=True, text=True, cwd=folder)
    return seconds, int(counted.stdout)


MONTH = "2026-03"
SPAN = "occurred_at >= 1772323200000 AND occurred_at < 1775001600000"
IDLE = 12


def commands(program, database, folder, result, engine, names=None):
    """Each command, the rows that it reads, and the statements by which the shell reads them."""
    is_file = database.startswith("sqlite:")
    ledger = ["--database", database, "--config", folder / "serve.json"]
    events = "SELECT * FROM payment_events"
    month = f"SELECT * FROM sales WHERE bundle_id = 'com.example.shop' AND {SPAN}"
    every = [
        ("export-csv", [program, "ledger", "export", MONTH, *ledger, "--bundle-id", "com.example.shop", "--output", "month.csv"], month),
        ("export-json", [program, "ledger", "export", MONTH, *ledger, "--bundle-id", "com.example.shop", "--format", "json",
                         "--output", "month.json"], month),
        # Of a file, its pages are checked first.
        ("verify", [program, "ledger", "verify", "--database", database],
         ("PRAGMA quick_check;" if is_file else "") + "SELECT * FROM audit_log"),
        ("reconcile", [program, "ledger", "reconcile", "payments", *ledger], events),
        ("archive", [program, "ledger", "archive", *ledger, "--bundle-id", "com.example.shop", "--from", "2026-01", "--through", "2026-12",
                     "--output", "archive.tar"], "SELECT * FROM sales WHERE bundle_id = 'com.example.shop'"),
        # A dry run looks at every record for what it belongs to.
        ("purge", [program, "ledger", "purge", "--before", "2015-01-01", *ledger], "SELECT * FROM sales"),
    ]  # fmt: skip
    if is_file:
        every.append(("backup", [program, "ledger", "backup", "backup.sqlite", "--database", database], None))
    for name, arguments, sql in every:
        if names and name not in names:
            continue
        if sql:
            # Both find the rows in the same state of the system's cache.
            shell(database, sql, folder)
        measured = run(arguments, folder)
        text = measured.errors.strip().splitlines()
        print(f"  {name}: {measured.seconds:.1f} s, CPU {measured.cpu:.1f} s, {measured.peak:.0f} MiB that no file backs, "
              f"exit code {measured.code}; {len(text)} lines of progress and messages: {text[-1][-120:] if text else ''}", flush=True)  # fmt: skip
        if sql:
            seconds, rows = shell(database, sql, folder)
            result(f"ledger {name}, {rows:,} rows in {engine}", rows / measured.seconds, rows / seconds, "rows/s",
                   "the engine's shell reading them", least=0.3)  # fmt: skip
        result(f"ledger {name} in {engine}, memory above an idle server", max(0.1, measured.peak - IDLE), 64, "MiB", "64 MiB", most=1)
