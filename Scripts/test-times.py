#!/usr/bin/env python3
"""Prints how the time of a test run divides among the suites, from the event stream of Swift Testing.

Usage: Scripts/test-times.py EVENTS [WIDTH]

Suites run beside each other, so the time from the first to the last event of one says nothing about its cost. Here each
moment is divided among the cases that run in it: with eight cases at once, a second gives each an eighth. The shares add
up to the time of the run. WIDTH is the largest number of cases at once (SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH).

The stream has the start of a case with arguments. That of a test without arguments stands there before the test waits for
its turn, which it gets in the order of these starts.
"""

import collections
import json
import sys

SHOWN = 15


def suite(test: str) -> str:
    """`Module.Suite` of `Module.Suite/test()/File.swift:1:2`."""
    return "/".join(test.split("/")[:-2])


def shares(lines, width: float) -> tuple[dict[str, float], dict[str, int]]:
    """Seconds and finished cases by suite."""
    seconds, finished = collections.Counter(), collections.Counter()
    parameterized, cases, waiting = set(), {}, {}
    last = None
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            # A run that was killed leaves half a line.
            continue
        payload = record["payload"]
        if record["kind"] == "test":
            if payload.get("isParameterized"):
                parameterized.add(payload["id"])
            continue
        now = payload["instant"]["absolute"]
        turns = max(0, width - len(cases))
        running = [*cases.values(), *(test for index, test in enumerate(waiting) if index < turns)]
        for test in running:
            seconds[suite(test)] += (now - last) / len(running)
        last = now
        kind, test = payload["kind"], payload.get("testID", "")
        key = (test, payload.get("_testCase", {}).get("id"))
        if kind == "testCaseStarted":
            cases[key] = test
        elif kind == "testCaseEnded":
            cases.pop(key, None)
            finished[suite(test)] += 1
        # The id of a suite has no function.
        elif test.count("/") < 2 or test in parameterized:
            continue
        elif kind == "testStarted":
            waiting[test] = None
        elif kind in ("testEnded", "testSkipped"):
            waiting.pop(test, None)
            finished[suite(test)] += 1
    return seconds, finished


def main() -> None:
    width = float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    with open(sys.argv[1], encoding="utf-8") as stream:
        seconds, finished = shares(stream, width)
    if not seconds:
        return
    total = sum(seconds.values())
    print("the time of the tests by suite; a moment is divided among the cases that run in it (seconds, cases):")
    ranked = sorted(seconds, key=lambda name: -seconds[name])
    for name in ranked[:SHOWN]:
        print(f"{seconds[name]:9.1f} {finished[name]:6}  {name}")
    rest = ranked[SHOWN:]
    if rest:
        print(f"{sum(seconds[n] for n in rest):9.1f} {sum(finished[n] for n in rest):6}  {len(rest)} other suites")
    print(f"{total:9.1f} {sum(finished.values()):6}  sum")


main()
