#!/usr/bin/env python3
"""Forwards TCP connections and delays what it forwards, as a network between server and database does.

usage: slow_link.py PORT MILLISECONDS

Listens on a free port of the loopback address, which it prints, and forwards to PORT of the same address. Each direction is
delayed by MILLISECONDS; what follows within that time is not delayed more.
"""

import queue
import socket
import sys
import threading
import time


def forward(source, target, delay):
    """Reads as fast as the source sends, so that only the time of each block is delayed."""
    blocks = queue.SimpleQueue()

    def write():
        while True:
            due, block = blocks.get()
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                if not block:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(block)
            except OSError:
                return

    threading.Thread(target=write, daemon=True).start()
    block = b"-"
    while block:
        try:
            block = source.recv(1 << 18)
        except OSError:
            block = b""
        blocks.put((time.monotonic() + delay, block))


def main():
    port, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", port))
        for one, other in ((client, server), (server, client)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=forward, args=(one, other, delay), daemon=True).start()


main()
