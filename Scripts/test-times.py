#!/usr/bin/env python3
"""Prints how the time of a test run divides among the suites, and what failed, from the event stream of Swift Testing.

Usage: Scripts/test-times.py EVENTS [WIDTH]

Suites run beside each other, so the time from the first to the last event of one says nothing about its cost. Here each
moment is divided among the cases that run in it: with eight cases at once, a second gives each an eighth. The shares add
up to the time of the run. WIDTH is the largest number of cases at once (SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH).

The stream has the start of a case with arguments. That of a test without arguments stands there before the test waits for
its turn. Turns are given in the order in which tests came, so a case with arguments that has started shows that earlier
tests have their turn, and one that has not shows that later ones have none. A test with a turn counts as running while it
waits for a thread, so that short ones get some seconds too many where others occupy all threads.
"""

import collections
import json
import sys

SHOWN = 15
# Of the message of a failure, in characters.
LONGEST = 2000


def suite(test: str) -> str:
    """`Module.Suite` of `Module.Suite/test()/File.swift:1:2`."""
    return "/".join(test.split("/")[:-2])


def records(path: str):
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            try:
                yield json.loads(line)
            except ValueError:
                # A run that was killed leaves half a line.
                continue


def events(records) -> list[tuple[float, str, str, str | None]]:
    """Moment, kind, test and case of what happens to test functions; a case is None for a test without arguments."""
    found, parameterized = [], set()
    for record in records:
        payload = record["payload"]
        test = payload.get("testID") or ""
        if record["kind"] == "test":
            if payload.get("isParameterized"):
                parameterized.add(payload["id"])
        # The id of a suite has no function.
        elif test.count("/") >= 2 and payload["kind"] in (
            "testStarted", "testEnded", "testSkipped", "testCaseStarted", "testCaseEnded",
        ):
            case = (payload.get("_testCase") or {}).get("id", "") if test in parameterized else None
            found.append((payload["instant"]["absolute"], payload["kind"], test, case))
    return found


def failures(records):
    """Each issue that made a test fail: the test, its case, and what was wrong. The end of a log always has them."""
    for record in records:
        payload = record["payload"]
        issue = payload.get("issue") or {}
        if payload.get("kind") != "issueRecorded" or issue.get("isKnown") or issue.get("severity") == "warning":
            continue
        case = (payload.get("_testCase") or {}).get("displayName", "")
        texts = [message.get("text", "") for message in payload.get("messages", [])]
        yield "\n".join([f"{payload.get('testID', 'outside any test')} {case}".strip()] + texts)[:LONGEST]


def queued(found) -> dict[str, int]:
    """The cases of each test with arguments that wait all at once; serialized ones come one after another."""
    running, most, number = collections.Counter(), collections.Counter(), collections.Counter()
    for _, kind, test, _ in found:
        if kind == "testCaseStarted":
            running[test] += 1
            number[test] += 1
            most[test] = max(most[test], running[test])
        elif kind == "testCaseEnded":
            running[test] -= 1
    return {test: count for test, count in number.items() if count == 1 or most[test] > 1}


def shares(found, width: float) -> tuple[dict[str, float], dict[str, int]]:
    """Seconds and finished cases by suite."""
    seconds, finished = collections.Counter(), collections.Counter()
    total = queued(found)
    places: dict[str, int] = {}
    cases, waiting, unstarted = {}, {}, {}
    reached, last = -1, 0.0
    for now, kind, test, case in found:
        running = list(cases.values())
        blocked = min((places[name] for name in unstarted), default=float("inf"))
        for name, place in waiting.items():
            if place > reached and (place > blocked or len(running) >= width):
                break
            running.append(name)
        for name in running:
            seconds[suite(name)] += (now - last) / len(running)
        last = now
        if kind == "testStarted":
            places[test] = len(places)
            if case is None:
                waiting[test] = places[test]
            elif test in total:
                unstarted[test] = total[test]
        elif kind == "testCaseStarted":
            cases[test, case] = test
            if test in unstarted:
                reached = max(reached, places[test])
                unstarted[test] -= 1
                if unstarted[test] == 0:
                    del unstarted[test]
        elif kind == "testCaseEnded":
            cases.pop((test, case), None)
            finished[suite(test)] += 1
        elif case is None:
            waiting.pop(test, None)
            finished[suite(test)] += 1
    return seconds, finished


def main() -> None:
    width = float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    seconds, finished = shares(events(records(sys.argv[1])), width)
    if not seconds:
        return
    lines = ["the time of the tests by suite; a moment is divided among the cases that run in it (seconds, cases):"]
    ranked = sorted(seconds, key=lambda name: -seconds[name])
    lines += [f"{seconds[name]:9.1f} {finished[name]:6}  {name}" for name in ranked[:SHOWN]]
    rest = ranked[SHOWN:]
    if rest:
        lines.append(f"{sum(seconds[n] for n in rest):9.1f} {sum(finished[n] for n in rest):6}  {len(rest)} other suites")
    lines.append(f"{sum(seconds.values()):9.1f} {sum(finished.values()):6}  sum")
    for failure in failures(records(sys.argv[1])):
        lines += ["failed: " + failure.replace("\n", "\n    ")]
    print("\n".join(lines))


main()
