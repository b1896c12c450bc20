"""Holds every answer of the merchant's server against its request, behind nginx with upstream connections that stay open.

    desync.py EXTERNAL-PURCHASE NGINX

A request whose answer comes before its body is read, or whose body is broken, must not leave bytes on the connection
that the next request of somebody else is sent on: every answer belongs to its request. Each request asks for a path of its
own, and its answer names it, so that an answer to another request is recognised.
"""

import pathlib
import random
import re
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from servers import Servers, free_port  # noqa: E402

ROUNDS = 40
CLIENTS = 4


def start_proxy(sides, nginx):
    """Starts nginx before the server and returns its port."""
    folder, port = sides.folder, free_port()
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
        daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
        events {{ worker_connections 256; }}
        http {{
            access_log off; {temporary}
            upstream merchant {{ server {sides.address}; keepalive 2; }}
            server {{
                listen 127.0.0.1:{port};
                client_max_body_size 0;
                large_client_header_buffers 8 64k;
                location / {{
                    proxy_pass http://merchant;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_set_header Host localhost;
                    # The body goes on while it arrives, so that the answer can overtake it.
                    proxy_request_buffering off;
                    proxy_buffering off;
                    # nginx would hide a broken connection by trying again.
                    proxy_next_upstream off;
                }}
            }}
        }}
    """)
    sides.start([nginx, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")])
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return port
        except OSError:
            time.sleep(0.05)
    sys.exit("nginx does not listen:\n" + (folder / "error.log").read_text())


def read_answer(connection):
    """Reads one answer by its framing; returns status, fields and body, or None if the connection ended."""
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            part = connection.recv(65536)
            if not part:
                return None
            received += part
        head, rest = received.split(b"\r\n\r\n", 1)
        status = int(head.split(b" ", 2)[1])
        if status >= 200:
            break
        received = rest
    fields = {name.lower(): value.strip() for name, value in re.findall(r"(?m)^([^:\r\n]+):([^\r\n]*)", head.decode())}
    if "chunked" in fields.get("transfer-encoding", ""):
        body = b""
        while True:
            while b"\r\n" not in rest:
                rest += receive(connection)
            size, rest = rest.split(b"\r\n", 1)
            length = int(size.split(b";")[0], 16)
            while len(rest) < length + 2:
                rest += receive(connection)
            body, rest = body + rest[:length], rest[length + 2:]
            if length == 0:
                return status, fields, body, rest
    length = int(fields.get("content-length", 0))
    while len(rest) < length:
        rest += receive(connection)
    return status, fields, rest[:length], rest[length:]


def receive(connection):
    part = connection.recv(65536)
    if not part:
        raise ConnectionError("the answer broke off")
    return part


def request(head, body=b"", fields=(), length=True):
    lines = [f"{head} HTTP/1.1", "Host: localhost", *fields]
    if length and not any(field.lower().startswith("transfer-encoding") for field in fields):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


JSON = "Content-Type: application/json"
# What would be answered if the rest of a body were read as a request.
SMUGGLED = b"GET /out/nl HTTP/1.1\r\nHost: localhost\r\n\r\n"


def chunked(*parts, end=True):
    text = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return text + (b"0\r\n\r\n" if end else b"")


def hostile(generator):
    """Requests that are answered early or are broken: name, bytes, and the statuses that are right."""
    filler = SMUGGLED * generator.randint(1, 2000)
    return [
        ("413", request("POST /v1/sales", filler * 40 + b" " * 300_000, [JSON]), {413}),
        ("413 chunked", request("POST /v1/sales", chunked(*[filler[:60_000] or b"x"] * 12, b" " * 300_000),
                                [JSON, "Transfer-Encoding: chunked"]), {413}),
        ("415", request("POST /v1/sales", filler), {415}),
        ("404", request("POST /v1/nowhere", filler), {404}),
        ("405", request("PUT /v1/tokens", filler), {405}),
        ("422 query", request("POST /v1/sales?unknown=1", filler, [JSON]), {422}),
        ("422 body", request("POST /v1/tokens", b'{"token":"no"}', [JSON]), {422}),
        ("400", request("POST /v1/tokens", filler, [JSON]), {400}),
        ("401 or 403", request("GET /v1/tokens", filler, ["Authorization: Bearer epk_read_none"]), {200, 401, 403}),
        ("GET with a body", request("GET /health/live", filler), {200}),
        ("HEAD with a body", request("HEAD /v1/tokens", filler), {200}),
        ("redirect with a body", request("GET /out/nl", filler), {303}),
        ("expect", request("POST /v1/sales", filler, ["Expect: 100-continue"]), {415}),
        ("expect 413", request("POST /v1/sales", b" " * 300_000, [JSON, "Expect: 100-continue"]), {413}),
        ("chunked 404", request("POST /v1/nowhere", chunked(filler, SMUGGLED), ["Transfer-Encoding: chunked"]), {404}),
        ("notification", request("POST /v1/notifications", filler), {400}),
        ("large head", request("GET /v1/tokens", b"", ["X-Large: " + "x" * 20_000]), {431}),
        # One read may meet both limits at once.
        ("long target", request("GET /v1/tokens?q=" + "x" * 20_000), {414, 431}),
        ("both lengths", request("POST /v1/nowhere", chunked(SMUGGLED),
                                 ["Content-Length: 5", "Transfer-Encoding: chunked"]), {400, 404}),
        ("truncated body", request("POST /v1/nowhere", b"", ["Content-Length: 5000"], length=False) + SMUGGLED, None),
        ("truncated chunk", request("POST /v1/nowhere", b"", ["Transfer-Encoding: chunked"]) + b"1000\r\n" + SMUGGLED,
         None),
        ("truncated JSON", request("POST /v1/sales", b"", [JSON, "Content-Length: 900"], length=False) + b"{", None),
        ("wrong chunk", request("POST /v1/nowhere", b"", ["Transfer-Encoding: chunked"]) + b"zz\r\n" + SMUGGLED, None),
    ]


def probe(port, name):
    """A request whose answer nobody else's request gets; returns what is wrong with it, or None."""
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall(request(f"GET /v1/tokens?{name}=1", fields=["Connection: close"]))
        answer = read_answer(connection)
    if answer is None:
        return "no answer"
    status, _, body, rest = answer
    if status != 422 or f"?{name}".encode() not in body or rest:
        return f"{status} {body[:200]!r} {rest[:100]!r}"
    return None


def play(port, number, faults, seen):
    generator = random.Random(number)
    for round_number in range(ROUNDS):
        cases = hostile(generator)
        generator.shuffle(cases)
        for name, data, statuses in cases:
            try:
                with socket.create_connection(("127.0.0.1", port), 20) as connection:
                    # In pieces, so that the answer may come in the middle of the body.
                    cut = generator.randrange(1, len(data))
                    try:
                        connection.sendall(data[:cut])
                        time.sleep(generator.choice([0, 0, 0.002]))
                        connection.sendall(data[cut:])
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    if statuses is not None:
                        answer = read_answer(connection) if not name.startswith("HEAD") else (200,)
                        if answer is None:
                            # A proxy may end the connection when the server answers before the body.
                            seen[name, "ended"] = seen.get((name, "ended"), 0) + 1
                        else:
                            seen[name, answer[0]] = seen.get((name, answer[0]), 0) + 1
                            # 502: the server ended the connection while nginx was still sending.
                            if answer[0] not in statuses | {502}:
                                faults.append(f"{name}: {answer[0]} {answer[2][:200]!r}")
            except (ConnectionError, socket.timeout):
                seen[name, "reset"] = seen.get((name, "reset"), 0) + 1
            for index in range(2):
                wrong = probe(port, f"n{number}r{round_number}x{index}q{generator.randrange(10**9)}")
                if wrong:
                    faults.append(f"after '{name}': the next request got {wrong}")


def main():
    settings = {"http.bodyTimeout": "2s", "http.headTimeout": "2s", "log.format": "text"}
    sides = Servers(sys.argv[1], settings=settings)
    faults, seen = [], {}
    direct = int(sides.address.rsplit(":", 1)[1])
    for port, what in ((start_proxy(sides, sys.argv[2]), "nginx"), (direct, "direct")):
        threads = [threading.Thread(target=play, args=(port, number, faults, seen)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{what}: {CLIENTS * ROUNDS * len(hostile(random.Random(0)))} requests, each followed by two others")
    for (name, status), count in sorted(seen.items(), key=str):
        print(f"  {name}: {status}: {count}")
    code = sides.end()
    if code != 0:
        faults.append(f"the server ended with {code}")
    for fault in faults[:20]:
        print("FAULT", fault)
    if faults:
        sys.exit(f"{len(faults)} answers do not belong to their requests")
    print("every answer belongs to its request")


main()
