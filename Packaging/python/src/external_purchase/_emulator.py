"""The emulator as a process of its own, and its control paths."""

import contextlib
import http.client
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Optional, Union

from ._program import program

JSON = dict[str, Any]
Environment = Literal["sandbox", "production"]
TokenType = Literal["ACQUISITION", "SERVICES", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"]

# The shell starts the program and waits for a line, for the end of its standard input, which comes when the parent is
# gone, however it ended, or for a signal. Then it ends the program and deletes the folder.
GUARD = """
folder=$1
shift
end() {
    trap '' HUP INT TERM
    kill "$!"
    wait "$!"
    command -p rm -rf -- "$folder"
    exit
}
trap end HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
exec >/dev/null 2>&1
read -r line <&3
end
"""
# A proxy of the environment is not asked for an address of this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class EmulatorError(Exception):
    """The emulator does not start, or refuses a control request."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class NotificationRefused(Exception):
    """A notification is not genuine."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        """Why, as a word: `signature-wrong`, `chain-untrusted`, …"""


def milliseconds(moment: datetime) -> int:
    """Returns a moment as Apple writes it: milliseconds since 1970."""
    return (_zoned(moment) - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)


def _zoned(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; use datetime.now(timezone.utc)")
    return moment


def _text(moment: datetime) -> str:
    return _zoned(moment).astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise EmulatorError(f"not to be written as JSON: {error}") from error


def _path(*parts: str, **query: str) -> str:
    """Returns a control path of its parts, each quoted whole."""
    path = "".join("/" + urllib.parse.quote(part, safe="") for part in parts)
    return path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")


@dataclass(frozen=True)
class Token:
    """An external purchase token, as a device gets it."""

    text: str
    """What the app passes to the website: Base64URL of a JSON object."""
    external_purchase_id: str
    decoded: JSON = field(repr=False, hash=False)
    """The emulator's reading of it: environment, type, dates."""


@dataclass(frozen=True)
class Answer:
    """What Apple's side answers to a report."""

    accepted: bool
    status: Optional[int]
    """None where no answer came, as after a fault that loses it."""
    errors: list[JSON] = field(hash=False)
    """Apple's errors of a refused report: `errorCode`, `errorMessage`, `fieldName`."""
    message: str
    """What happened, in words. Where Apple's side refuses without errors, as a malformed report, the emulator's reason."""
    reason: Optional[str] = None
    """The emulator's reason of a refusal without errors, as a word: `SA-55`, `signature-wrong`, …"""

    @property
    def codes(self) -> list[int]:
        """The codes of the errors; the setting `messages.12` has the text of code 12."""
        return [error["errorCode"] for error in self.errors]


class _Guard:
    """The program's process and the temporary folder, which end together: by `end`, with this process, or by a signal."""

    def __init__(self, command: list[str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="external-purchase-"))
        reader, writer = os.pipe()
        self._wire = os.fdopen(writer, "wb", buffering=0)
        try:
            with open(self.folder / "log", "w") as log:
                self._process = subprocess.Popen(
                    ["/bin/sh", "-c", GUARD, "sh", os.fspath(self.folder), *command],
                    stdin=reader, stdout=subprocess.PIPE, stderr=log, text=True,
                    # Ctrl-C in a terminal goes to the test alone, which then ends the emulator.
                    start_new_session=True,
                )
        except BaseException:
            self._wire.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            os.close(reader)
        _guards.add(self)
        self.output = self._process.stdout

    def disown(self) -> None:
        """In a forked child: the emulator stays its parent's, and ends with the parent although the child lives on."""
        self._wire.close()

    def end(self) -> None:
        """Ends both; a second call, and one in a forked child, does nothing."""
        if self._wire.closed:
            return
        with contextlib.suppress(BrokenPipeError), self._wire:
            # A line, because another process may have inherited the pipe in a way that Python does not see.
            self._wire.write(b"\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(15)
        if self._process.returncode != 0:
            # The guard was killed, or the program does not end: it is in the guard's process group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


_guards: "weakref.WeakSet[_Guard]" = weakref.WeakSet()


def _disown_all() -> None:
    for guard in list(_guards):
        guard.disown()


os.register_at_fork(after_in_child=_disown_all)


class Emulator:
    """Apple's side, on a free port of this machine, with everything in memory.

    `with Emulator() as apple:` starts it and ends it. The program also ends when this process does, even by a kill. A
    forked process may use the emulator of its parent, and does not end it.
    """

    def __init__(
        self,
        *,
        now: Optional[datetime] = None,
        seed: Optional[int] = None,
        environment: Optional[Environment] = None,
        check_signatures: bool = True,
        settings: Optional[Mapping[str, str]] = None,
        start_timeout: float = 30,
    ) -> None:
        """
        now: where a virtual clock starts; without it the clock is the machine's until it is moved.
        seed: the same number gives the same ids and keys.
        environment: the only one that is served; by default both are, told by the token.
        check_signatures: False accepts requests without a signed token, for a client that does not sign yet.
        settings: named settings, such as {"rules.clockSkew": "300s"}.
        """
        self._options = ["--port", "0"]
        if now is not None:
            self._options += ["--now", _text(now)]
        if seed is not None:
            self._options += ["--seed", str(seed)]
        if environment is not None:
            self._options += ["--environment", environment]
        if not check_signatures:
            self._options.append("--no-auth")
        for name, value in (settings or {}).items():
            self._options += ["--set", f"{name}={value}"]
        self._start_timeout = start_timeout
        self._environment = environment
        self._guard: Optional[_Guard] = None
        self._url: Optional[str] = None

    # Start and end

    def start(self) -> "Emulator":
        """Starts the program and returns when it answers."""
        if self._guard is not None:
            raise EmulatorError("the emulator runs already")
        try:
            self._guard = _Guard([os.fspath(program()), "emulator", *self._options])
        except OSError as error:
            raise EmulatorError(f"the emulator did not start: {error}") from error
        first: "queue.Queue[str]" = queue.Queue()
        try:
            threading.Thread(target=_read, args=(self._guard.output, first), daemon=True).start()
            try:
                line = first.get(timeout=self._start_timeout)
            except queue.Empty:
                line = ""
            if not line.startswith("listening on "):
                raise EmulatorError(f"the emulator did not start: {self.log() or 'no address within the time'}")
            self._url = line.removeprefix("listening on ").strip()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends the program and deletes its temporary folder; a second call does nothing."""
        guard, self._guard, self._url = self._guard, None, None
        if guard is not None:
            guard.end()

    def __enter__(self) -> "Emulator":
        return self.start()

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The base URL for your client, in place of https://api.storekit.apple.com."""
        if self._url is None:
            raise EmulatorError("the emulator does not run: use `with Emulator() as …`, or start()")
        return self._url

    def log(self) -> str:
        """What the program wrote to standard error."""
        return (self._directory / "log").read_text(errors="replace").strip()

    # Apps, tokens, reports

    def register(self, bundle_id: str, app_apple_id: int, notification_url: Optional[str] = None) -> "App":
        """Registers an app, or changes it; its notifications go to the URL."""
        body: JSON = {"appAppleId": app_apple_id}
        if notification_url is not None:
            body["notificationURL"] = notification_url
        return App(self, self.call("PUT", _path("apps", bundle_id), body))

    def tokens(self, bundle_id: Optional[str] = None) -> list[JSON]:
        """Returns the tokens with the reports that were accepted on them."""
        result: list[JSON] = self.call("GET", _path("tokens", bundleId=bundle_id) if bundle_id else "/tokens")
        return result

    def requests(self) -> list[JSON]:
        """Returns the journal of requests to Apple's paths: status, why, errors, body."""
        result: list[JSON] = self.call("GET", "/requests")
        return result

    def clear_requests(self) -> None:
        self.call("DELETE", "/requests")

    # Clock

    @property
    def now(self) -> datetime:
        """The emulator's clock; setting it makes the clock virtual."""
        return _moment(self.call("GET", "/clock")["now"])

    @now.setter
    def now(self, moment: datetime) -> None:
        self.call("PUT", "/clock", {"now": _text(moment)})

    @property
    def now_ms(self) -> int:
        """The emulator's clock as reports write it: milliseconds since 1970."""
        return milliseconds(self.now)

    def advance(self, by: Union[timedelta, int]) -> datetime:
        """Moves the clock forward, by whole seconds, and returns when every notification due in between was sent.

        From then on the clock stands still until it is moved again.
        """
        seconds, rest = divmod(by, timedelta(seconds=1)) if isinstance(by, timedelta) else (by, timedelta())
        if rest:
            raise ValueError(f"{by} are no whole seconds")
        return _moment(self.call("POST", "/clock/advance", {"seconds": seconds})["now"])

    # Faults, settings, state

    def fault(
        self, behaviour: JSON, *, method: str = "PUT", path: str = "/externalPurchase/v1/reports", times: int = 1
    ) -> None:
        """Lets the next requests fail.

        behaviour: one of {"status": 500}, {"status": 429, "retryAfterMs": 2000}, {"dropAfterAccept": True},
        {"delayMs": 500}, {"closeConnection": True}, {"closeMidBody": True}, {"slowBodyMs": 2000}, {"malformedJSON": True}.
        """
        self.call("POST", "/faults", {"match": {"method": method, "path": path}, "behaviour": behaviour, "times": times})

    def clear_faults(self) -> None:
        self.call("DELETE", "/faults")

    def settings(self) -> dict[str, str]:
        """Returns every named setting."""
        result: dict[str, str] = self.call("GET", "/settings")
        return result

    def set(self, settings: Mapping[str, str]) -> None:
        """Changes named settings."""
        self.call("PUT", "/settings", dict(settings))

    def reset(self) -> None:
        """Deletes tokens, reports and customers; clock and settings return to their start. Apps and keys stay."""
        self.call("POST", "/reset", {})

    # Notifications

    @property
    def root_certificate(self) -> bytes:
        """The root that signs notifications, in DER: trust it in your server in place of Apple's."""
        return self._send("GET", self.url + "/emulator/v1/root.cer", None)

    def notifications(self) -> list[JSON]:
        """Returns the notifications with their attempts and their `signedPayload`."""
        result: list[JSON] = self.call("GET", "/notifications")
        return result

    def verify(
        self, body: Union[str, bytes, Mapping[str, Any]], app: Optional["App"] = None, *, environment: Optional[Environment] = None
    ) -> JSON:
        """Verifies a notification as your server should: chain, signature, app and environment; returns its payload.

        body: the signed payload, or the body around it, also as the object that a web framework makes of it.
        environment: the one that the notification must be of; by default that of `Emulator(environment=…)`, or any.
        """
        root = self._file("root.cer", self.root_certificate)
        command = ["notification", "verify", "-", "--root", os.fspath(root), "--format", "json"]
        if app is not None:
            command += ["--bundle-id", app.bundle_id, "--app-apple-id", str(app.app_apple_id)]
        text = _json(dict(body)) if isinstance(body, Mapping) else body if isinstance(body, str) else body.decode("utf-8", "replace")
        answer = self._run(command, text)
        if "payload" not in answer:
            raise NotificationRefused(answer["error"], answer["message"])
        payload: JSON = answer["payload"]
        expected = environment or self._environment
        # A test notification has `data` in place of a token.
        token, data = payload.get("externalPurchaseToken"), payload.get("data", {})
        is_sandbox = token["externalPurchaseId"].startswith("SANDBOX") if token else data.get("environment") == "Sandbox"
        found = "sandbox" if is_sandbox else "production"
        if expected is not None and found != expected:
            raise NotificationRefused("wrong-environment", f"the notification is of {found}, not of {expected}")
        return payload

    def inbox(self) -> "Inbox":
        """Returns a receiver for notifications, for tests without a server of your own."""
        return Inbox()

    # Calls

    def call(self, method: str, path: str, body: Optional[JSON] = None) -> Any:
        """Calls a control path of the emulator, such as `GET /apps`; returns the JSON of the answer."""
        data = None if body is None else _json(body).encode()
        # What an address cannot have is quoted; what has a meaning there keeps it.
        path = urllib.parse.quote(path, safe="/?&=%:@!$'()*+,;~")
        return json.loads(self._send(method, self.url + "/emulator/v1" + path, data))

    def _send(self, method: str, url: str, data: Optional[bytes]) -> bytes:
        request = urllib.request.Request(url, data=data, method=method)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with OPENER.open(request, timeout=120) as answer:
                result: bytes = answer.read()
                return result
        except urllib.error.HTTPError as error:
            text = error.read().decode("utf-8", "replace")
            raise EmulatorError(f"{method} {url}: {error.code} {text}", error.code) from None
        except (OSError, http.client.HTTPException) as error:
            raise EmulatorError(f"{method} {url}: no answer: {error}; the emulator's log: {self.log() or 'empty'}") from error

    def _run(self, command: list[str], standard_input: str) -> JSON:
        """Runs a command of the program that prints one JSON object."""
        try:
            result = subprocess.run(
                [os.fspath(program()), *command], input=standard_input, capture_output=True, text=True, timeout=120, check=False
            )
            answer: JSON = json.loads(result.stdout)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EmulatorError(f"{' '.join(command[:2])}: {error}") from error
        except ValueError:
            raise EmulatorError(f"{' '.join(command[:2])}: {result.stderr.strip() or result.stdout}") from None
        return answer

    def _file(self, name: str, content: bytes) -> Path:
        """Writes a file of the temporary folder, which no reader sees in part."""
        path = self._directory / name
        descriptor, draft = tempfile.mkstemp(dir=self._directory)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(draft, path)
        return path

    @property
    def _directory(self) -> Path:
        if self._guard is None:
            raise EmulatorError("the emulator does not run: use `with Emulator() as …`, or start()")
        return self._guard.folder


class App:
    """An app that the emulator knows, with the key that its server signs with."""

    def __init__(self, emulator: Emulator, members: JSON) -> None:
        self._emulator = emulator
        self.bundle_id: str = members["bundleId"]
        self.app_apple_id: int = members["appAppleId"]
        self.key_id: str = members["keyId"]
        self.issuer_id: str = members["issuerId"]
        self.private_key: str = members["privateKey"]
        """The text of the .p8 file."""

    @property
    def key_file(self) -> Path:
        """The key as a file of the emulator's temporary folder, AuthKey_<keyId>.p8."""
        return self._emulator._file(f"AuthKey_{self.key_id}.p8", self.private_key.encode())

    def mint_token(
        self,
        *,
        environment: Optional[Environment] = None,
        token_type: Optional[TokenType] = None,
        created: Optional[datetime] = None,
        expires: Optional[datetime] = None,
        external_purchase_id: Optional[str] = None,
    ) -> Token:
        """Makes a token, as StoreKit does on a device."""
        body: JSON = {"bundleId": self.bundle_id}
        if environment is not None:
            body["environment"] = environment
        if token_type is not None:
            body["tokenType"] = token_type
        if created is not None:
            body["creationDate"] = milliseconds(created)
        if expires is not None:
            body["expirationDate"] = milliseconds(expires)
        if external_purchase_id is not None:
            body["externalPurchaseId"] = external_purchase_id
        answer = self._emulator.call("POST", "/tokens", body)
        return Token(answer["token"], answer["decoded"]["externalPurchaseId"], answer["decoded"])

    def send(self, report: JSON) -> Answer:
        """Signs a report with the app's key, sends it and returns the answer."""
        text = _json(report)
        answer = self._emulator._run(["report", "send", "-", *self._signed], text)
        status: Optional[int] = answer["status"]
        if not answer["accepted"] and status is not None and not answer["errors"]:
            # Apple's side does not say why; the emulator's journal does.
            for row in reversed(self._emulator.requests()):
                if row["status"] == status and row["fault"] is not None and not row["body"]:
                    return Answer(False, status, [], f"the fault {row['fault']!r} of this emulator answered with {status}")
                if row["status"] == status and row["body"] == text and row["message"] is not None:
                    return Answer(False, status, [], row["message"], row["reason"])
        return Answer(answer["accepted"], status, answer["errors"], answer["message"])

    def get(self, request_identifier: str) -> JSON:
        """Returns a report that was accepted, as Apple's side has it."""
        return self._emulator._run(["report", "get", *self._signed, "--", request_identifier], "")

    @property
    def _signed(self) -> list[str]:
        """The options of a command that signs a request for this app."""
        address = ["--format", "json", "--base-url", self._emulator.url, "--bundle-id", self.bundle_id]
        return [*address, "--key", os.fspath(self.key_file), "--key-id", self.key_id, "--issuer-id", self.issuer_id]

    def notify(self, token: Union[Token, str], subtype: str = "UNREPORTED", *, damage: Optional[str] = None) -> JSON:
        """Sends a notification to the app's address now and returns it with the result of the attempt.

        subtype: CREATED, ACTIVE_TOKEN_REMINDER or UNREPORTED.
        damage: tampers with it, as "signature-wrong" does; an unknown word is answered with the list.
        """
        external_purchase_id = token if isinstance(token, str) else token.external_purchase_id
        body: JSON = {"externalPurchaseId": external_purchase_id, "subtype": subtype}
        if damage is not None:
            body["damage"] = damage
        result: JSON = self._emulator.call("POST", "/notifications", body)
        if not result["sendAttempts"]:
            raise EmulatorError(f"{self.bundle_id} has no address for notifications: register(…, notification_url=…)")
        return result


class Inbox:
    """Receives notifications on a free port of this machine and answers them with 200."""

    def __init__(self) -> None:
        self._bodies: "queue.Queue[bytes]" = queue.Queue()
        bodies = self._bodies

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.put(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def next(self, timeout: float = 30) -> bytes:
        """Returns the body of the next notification, and waits for it."""
        try:
            return self._bodies.get(timeout=timeout)
        except queue.Empty:
            raise EmulatorError(f"no notification arrived within {timeout} s") from None

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> "Inbox":
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def _read(stream: Any, first: "queue.Queue[str]") -> None:
    """Passes the first line on and reads the rest, so that the program never waits for a reader."""
    first.put(stream.readline())
    for _ in stream:
        pass
    stream.close()
