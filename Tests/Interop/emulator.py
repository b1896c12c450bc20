"""A running emulator, and what the checks of this folder share."""

import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request


class Emulator:
    """A running emulator and its control paths."""

    def __init__(self, binary, log, *options):
        self.process = subprocess.Popen(
            [binary, "emulator", "--port", "0", *options],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        self.base = None
        deadline = time.monotonic() + 30
        while self.base is None:
            found = re.search(r"listening on (http://\S+)", pathlib.Path(log.name).read_text())
            self.base = found and found[1]
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                sys.exit(f"interop: the emulator did not start: {pathlib.Path(log.name).read_text()}")
            time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    def bytes(self, path):
        with urllib.request.urlopen(f"{self.base}/emulator/v1{path}", timeout=30) as answer:
            return answer.read()

    def control(self, method, path, body=None):
        request = urllib.request.Request(f"{self.base}/emulator/v1{path}", method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())
