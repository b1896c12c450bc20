"""The merchant's server beside an emulator, for tests that hold other programs against it."""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

BUNDLE = "com.example.shop"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(process, prefix):
    line = process.stdout.readline()
    if not line.startswith(prefix):
        sys.exit(f"expected '{prefix}…', got '{line}'")
    return line[len(prefix):].strip()


class Servers:
    """Both servers and what a test starts beside them, in a folder that goes with them."""

    def __init__(self, program, **configuration):
        self.temporary = tempfile.TemporaryDirectory(prefix="external-purchase-")
        self.folder = pathlib.Path(self.temporary.name)
        self.log = open(self.folder / "log.txt", "w+")
        self.processes = []
        try:
            self.serve(program, configuration)
        except BaseException:
            sys.stderr.write(self.last_lines())
            self.end()
            raise

    def serve(self, program, configuration):
        emulator = self.start([program, "emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890",
                               "--credentials", str(self.folder)])
        self.apple = wait_for(emulator, "listening on ")
        key = json.loads((self.folder / "credentials.json").read_text())["apps"][0]
        (self.folder / "serve.yaml").write_text(json.dumps({
            "apps": [{
                "bundleId": BUNDLE, "appAppleId": 1234567890,
                "key": {"file": key["keyFile"], "keyId": key["keyId"], "issuerId": key["issuerId"]},
                "baseURL": {"sandbox": self.apple}, "links": {"nl": "https://shop.example.com/nl"},
            }],
            **configuration,
        }))
        self.server = self.start([program, "serve", "--config", str(self.folder / "serve.yaml"), "--port", "0",
                                  "--database", f"sqlite:{self.folder / 'ledger.sqlite'}"])
        self.address = wait_for(self.server, "listening on http://")

    def start(self, arguments):
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.processes.append(process)
        return process

    def end(self):
        """Ends all processes, the last one first, and returns the exit code of the merchant's server."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(30)
        self.log.close()
        self.temporary.cleanup()
        return self.server.returncode if len(self.processes) > 1 else None

    def last_lines(self):
        self.log.seek(0)
        return "".join(self.log.readlines()[-30:])
