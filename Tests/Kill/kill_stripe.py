"""Kills the merchant's server at random moments while payments arrive, and compares with what Apple's side accepted.

usage: kill_stripe.py EXTERNAL_PURCHASE [--rounds 300] [--seed 1] [--states]

Every round starts the server on the same ledger, posts events of the year of Tests/StripeYear (with --states, payments of `custom`
and Paddle) over several connections, in any order and some again, and ends it with SIGKILL. What was not answered is sent again in a later round, as Stripe does;
so are some that were. Stripe's API answers what the events leave out, and Apple's answers get lost now and then. At the end
every event that was answered with 200 must be stored and applied exactly once: line items, nets, refunds and month exports
are those that the year's own arithmetic gives.
"""

import argparse
import http.client
import os
import random
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "StripeYear"))

from states import States
from trial import DAY, START, Failure, need
from year import Year


class Killed:
    """A trial whose server is killed while its messages arrive."""

    def __init__(self, program, seed, customers, rounds):
        # Corrections are possible for a year.
        super().__init__(program, seed, customers, self.length)
        self.rounds, self.acknowledged, self.posts, self.again = rounds, set(), 0, 0
        self.lock = threading.Lock()

    def begin(self):
        self.start_apple(START + (self.length + 15) * DAY)
        self.configure()
        self.start_server()
        for visit in self.shop.visits:
            self.mint(visit)
            self.visit(visit)
        self.waiting = list(self.messages)
        self.chance.shuffle(self.waiting)

    def kill(self):
        server = self.processes.pop()
        server.send_signal(signal.SIGKILL)
        server.wait()

    def post(self, event):
        """True if the event is answered with 200."""
        try:
            status, answer = self.send(event)
        except (OSError, ValueError, http.client.HTTPException):
            return False
        need(status in (200, 503), f"{event.id} is answered {status}: {answer}")
        with self.lock:
            self.posts += 1
            self.again += status == 200 and event.id in self.acknowledged
            if status == 200:
                self.acknowledged.add(event.id)
        return status == 200

    def load(self, over, chance, failures):
        try:
            while not over.is_set():
                with self.lock:
                    # Stripe repeats what was answered too, now and then.
                    known = len(self.waiting) < len(self.messages) and chance.random() < 0.3
                    event = chance.choice(self.messages) if known or not self.waiting else self.waiting.pop()
                if not self.post(event):
                    time.sleep(0.002)
                    with self.lock:
                        if event.id not in self.acknowledged:
                            self.waiting.insert(chance.randrange(len(self.waiting) + 1), event)
        except Failure as failure:
            failures.append(failure)

    def play(self):
        faults = [{"dropAfterAccept": True}, {"status": 500}, {"closeConnection": True}, {"delayMs": 40}]
        match = {"method": "PUT", "path": "/externalPurchase/v1/reports"}
        for number in range(self.rounds):
            if number:
                self.start_server()
            if number % 3 == 0:
                self.emulator("POST", "/emulator/v1/faults",
                              {"match": match, "behaviour": self.chance.choice(faults), "times": 2})  # fmt: skip
            over, failures = threading.Event(), []
            threads = [
                threading.Thread(target=self.load, args=(over, random.Random(f"{self.seed} {number} {n}"), failures))
                for n in range(4)
            ]
            for thread in threads:
                thread.start()
            time.sleep(self.chance.uniform(0.01, 0.35))
            self.kill()
            over.set()
            for thread in threads:
                thread.join()
            if failures:
                raise failures[0]
            if (number + 1) % 25 == 0:
                print(f"{number + 1} kills, {len(self.acknowledged)} of {len(self.messages)} events acknowledged, "
                      f"{self.again} of them again", flush=True)  # fmt: skip
        self.emulator("DELETE", "/emulator/v1/faults")
        # Without a kill: the rest, and what people do. The start looks at everything that waits.
        self.before = set(self.acknowledged)
        self.start_server()
        for event in self.messages:
            if event.id not in self.acknowledged:
                need(self.post(event), f"{event.id} is not answered")
        self.settle()
        server = self.processes.pop()
        server.terminate()
        server.wait()
        self.start_server()
        stored = {event["eventId"] for event in self.pages("/v1/events", "events")}
        need(self.before <= stored, f"acknowledged and lost: {sorted(self.before - stored)[:10]}")
        self.rest()
        for _ in range(5):
            self.night()
            self.rest()
            self.advance(self.now + 3 * DAY)
        self.settle()

    def rest(self, calm=10):
        """Waits until no event of Stripe has changed for some seconds: a start looks at each that waits, one by one."""
        known, since = None, time.time()
        while time.time() - since < calm:
            states = [(event["eventId"], event["state"], event["detail"])
                      for state in ("waiting", "held") for event in self.pages(f"/v1/events?state={state}", "events")]  # fmt: skip
            if states != known:
                known, since = states, time.time()
            time.sleep(0.5)
        self.settle()

    def refused(self):
        return []  # The faults refuse some; every report must be accepted in the end.


class KilledYear(Killed, Year):
    length = 330


class KilledStates(Killed, States):
    length = 45


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--states", action="store_true", help="payments of custom and Paddle")
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no program; build it with `./run build`")
    kind = KilledStates if options.states else KilledYear
    year = kind(os.path.abspath(options.program), options.seed, max(20, options.rounds), options.rounds)
    try:
        wrong = year.run()
    except Failure as failure:
        wrong = [str(failure)]
    if wrong:
        print(f"{len(wrong)} differences, see {year.folder}")
        for text in wrong[:40]:
            print(f"  {text[:600]}")
        sys.exit(1)
    print(f"{options.rounds} kills: {year.posts} answers, {len(year.before)} events acknowledged while killing, "
          f"{year.again} again; {year.summary}; lost, doubled or different: 0")  # fmt: skip
    shutil.rmtree(year.folder)


if __name__ == "__main__":
    main()
