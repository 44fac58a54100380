"""Clients that make the server work for nothing: streams that end as soon as they begin."""
import select
import time

import frames
import served
import stalls
from table import Figure

MANY = 20_000
AT_ONCE = 50
RESETS, RESETS_A_SECOND = 1000, 33  # docs/http.md
WRITE_LIMIT_MS = 1000               # for a client that reads nothing


def taken_back(stream):
    return frames.get(stream) + frames.frame(frames.RST_STREAM, 0, stream, b"\0\0\0\x08")


def overflown(stream):
    """Makes the server reset it: its window would be larger than there may be."""
    return frames.get(stream) + frames.frame(frames.WINDOW_UPDATE, 0, stream, b"\x7f\xff\xff\xff")


def malformed(stream):
    """Likewise: its head has a field that there may not be."""
    return frames.frame(frames.HEADERS, frames.END_STREAM | frames.END_HEADERS, stream,
                        frames.GET + frames.ROOT + frames.FAULTY_FIELD)


KINDS = (
    ("resets by the client", taken_back, True),
    ("resets by the client, which reads nothing", taken_back, False),
    ("resets that the server has to send", overflown, True),
    ("resets that the server has to send, unread", overflown, False),
    ("heads that the server has to reset", malformed, True),
)


class Flood:
    """Sends MANY streams as fast as the server takes them, until it closes the connection."""

    def __init__(self, server, make, reads):
        self.make, self.reads = make, reads
        self.socket = server.connect()
        self.socket.sendall(frames.hello())
        self.socket.setblocking(False)
        self.reader, self.is_closed, self.sent = frames.Reader(), False, 0
        self.pending = b""

    def step(self):
        if not self.pending and self.sent < MANY:
            self.pending = b"".join(self.make(2 * n + 1)
                                    for n in range(self.sent, self.sent + AT_ONCE))
            self.sent += AT_ONCE
        readable, writable, _ = select.select([self.socket] if self.reads else [],
                                              [self.socket] if self.pending else [], [], 0.1)
        try:
            if readable:
                more = self.socket.recv(1 << 16)
                self.is_closed = not more
                self.reader.take(more)
            if writable:
                self.pending = self.pending[self.socket.send(self.pending):]
        except ConnectionError:
            self.is_closed = True

    def run(self):
        end = time.monotonic() + served.TIME_LIMIT
        while not self.is_closed and time.monotonic() < end:
            self.step()
            if not self.reads and self.sent == MANY and not self.pending:
                return
        if not self.is_closed:
            raise served.Wrong(f"the server bears {self.sent} resets")


def flood(build, name, make, reads):
    with served.Server(build, write=WRITE_LIMIT_MS) as server:
        began = time.monotonic()
        with served.Honest(server.plain) as honest:
            attacker = Flood(server, make, reads)
            attacker.run()
            attacker.socket.close()
        seconds = time.monotonic() - began
        called = server.figures()[1] - honest.count
    most = RESETS + round(RESETS_A_SECOND * (seconds + 1)) + stalls.STREAMS
    calm = attacker.reader.goaway == frames.ENHANCE_YOUR_CALM or not reads
    return [Figure(f"{MANY} {name}: the server ends it, with so many handlers called",
                   f"{most}", f"{called}{'' if calm else ', without ENHANCE_YOUR_CALM'}",
                   called <= most and calm),
            stalls.honest_figure(honest)]
