#!/usr/bin/env python3
"""A client that keeps all rules, beside an attack: asks again and again, each time on a new
connection, until stdin ends, and once more then. Prints `begun` after the first answer, and at the
end how many requests were answered and the longest one's seconds.

Usage: honest.py PORT
"""
import selectors
import socket
import sys
import time

PATIENCE = 60  # seconds for one answer
PAUSE = 0.02   # seconds between two requests


def ask(port):
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := s.recv(4096):
            answer += part
    return answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"\r\n\r\nhello")


def main():
    port, longest, count, goes_on = int(sys.argv[1]), 0.0, 0, True
    with selectors.DefaultSelector() as ending:
        ending.register(sys.stdin, selectors.EVENT_READ)
        while goes_on:
            goes_on = not ending.select(PAUSE)
            began = time.monotonic()
            if not ask(port):
                sys.exit("wrong answer")
            longest = max(longest, time.monotonic() - began)
            count += 1
            if count == 1:
                print("begun", flush=True)
    print(count, longest)


if __name__ == "__main__":
    main()
