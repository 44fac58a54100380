"""What connections of HTTP/2 make the server hold, and what stays of it when they have gone."""
import time

import frames
import served
import stalls
from table import Figure

MIB = 1 << 20
CONNECTIONS = 8
HEAP_MAX = 8 * MIB       # of a connection, docs/http.md
CREDIT = 256 << 10       # of a connection that has sent nothing
OF_A_REQUEST = 16 << 10  # its buffers, and what its answer may have unsent in any case
RATIO_MAX = 100          # bytes for a byte of the wire, beyond these
RSS_MAX = 32 * MIB       # above the beginning, after three rounds
ROUNDS, PAUSE = 3, 5     # seconds behind the last round


def streams(make):
    return b"".join(make(2 * n + 1) for n in range(stalls.STREAMS))


def head(stream, fields, where="/wait"):
    return frames.frame(frames.HEADERS, frames.END_STREAM | frames.END_HEADERS, stream,
                        frames.GET + frames.path(where) + fields)


def text(size):
    """A length of HPACK and so many bytes; from 127 on the length is written in pieces."""
    rest, length = size - 127, b"\x7f"
    while rest >= 128:
        length += bytes([rest % 128 + 128])
        rest //= 128
    return length + bytes([rest]) + b"&" * size


ENTERED = b"\x40\x01x" + text(3900)  # a field that the table keeps, as its first one from now on


def posted(stream):
    return (frames.frame(frames.HEADERS, frames.END_HEADERS, stream,
                         frames.POST + frames.path("/wait")) +
            frames.frame(frames.DATA, 0, stream, bytes(200)))


KINDS = (
    ("250 answers, window 0", frames.hello(0) + streams(
        lambda n: frames.get(n, frames.path("/large")))),
    ("250 heads that repeat a long field", frames.hello() + head(1, ENTERED) + streams(
        lambda n: head(n + 2, b"\xbe" * 100))),
    ("250 heads that repeat a short field", frames.hello() + streams(
        lambda n: head(n, b"\x90" * 200))),
    ("250 bodies that no handler reads", frames.hello() + streams(posted)),
    ("250 redirects, window 0", frames.hello(0) + streams(
        lambda n: frames.frame(frames.HEADERS, frames.END_STREAM | frames.END_HEADERS, n,
                               frames.GET + b"\x04" + text(2000).replace(b"&", b"/", 2)))),
)


def settled_heap(server):
    """The most that it has been, once it has grown no more for half a second."""
    most = grown_at = 0
    while not grown_at or time.monotonic() - grown_at < 0.5:
        now = server.figures()[0]
        if now > most + (64 << 10) or not grown_at:
            grown_at = time.monotonic()
        most = max(most, now)
        time.sleep(0.02)  # between two looks
    return most


def hold(build, name, sent):
    """Connections that hold what they can: bytes of heap of each, and for each byte of the wire."""
    clients = []
    with served.Server(build) as server:
        before, rss_before = server.figures()[0], server.rss()
        for _ in range(CONNECTIONS):
            clients.append(server.connect())
            clients[-1].sendall(sent)
        heap = (settled_heap(server) - before) // CONNECTIONS
        rss = (server.rss() - rss_before) // CONNECTIONS
        for s in clients:
            s.close()
    ratio = (heap - CREDIT - stalls.STREAMS * OF_A_REQUEST) / len(sent)
    return [Figure(f"HTTP/2: {name}: heap of a connection", "8 MiB",
                   f"{heap / MIB:.2f} MiB (RSS {rss / MIB:.2f})", heap <= HEAP_MAX),
            Figure("    bytes for each byte of the wire, beyond 256 KiB and 16 KiB a request",
                   f"{RATIO_MAX}", f"{max(ratio, 0):.0f} ({heap / len(sent):.0f} in all)",
                   ratio <= RATIO_MAX)]


def one_round(server, count):
    clients = []
    calls = server.figures()[1] + count * stalls.STREAMS
    for _ in range(count):
        clients.append(server.connect())
        clients[-1].sendall(KINDS[0][1])
    served.until(lambda: server.figures()[1] >= calls, "all handlers are called")
    peak = server.rss()
    for s in clients:
        s.close()
    served.until(lambda: server.figures()[2] <= 8, "the goroutines end")
    return peak


def come_back(build, count, is_judged):
    with served.Server(build) as server:
        before = server.rss()
        peak = max(one_round(server, count) for _ in range(ROUNDS))
        time.sleep(PAUSE)  # the promise is about the moment behind it
        left = server.rss() - before
    return [Figure(f"RSS {PAUSE} s after {ROUNDS} rounds of {count} such connections",
                   "32 MiB more" if is_judged else "32 MiB more, not judged",
                   f"{left / MIB:.0f} MiB more, {(peak - before) / MIB:.0f} at the peak",
                   left <= RSS_MAX or not is_judged)]
