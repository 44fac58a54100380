"""Frames of HTTP/2, made by hand: a client that keeps no rule, and reads what it likes."""
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0, 1, 3, 4, 6, 7, 8, 9)
END_STREAM, END_HEADERS = 1, 4
CANCEL, ENHANCE_YOUR_CALM = 8, 11

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# `GET http://a/` and `POST http://a/` without their path, by HPACK's static table. They leave the
# table of the connection as it is.
GET, POST = b"\x82\x86\x01\x01a", b"\x83\x86\x01\x01a"
ROOT = b"\x84"
FAULTY_FIELD = b"\x00\x01A\x01b"  # a name in upper case


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload


def path(text):
    """The field `:path`, of less than 127 bytes, that enters no table."""
    return b"\x04" + bytes([len(text)]) + text.encode()


def get(stream, where=ROOT):
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, GET + where)


def hello(window=None):
    """What a client begins with; `window`: what each stream may send to it."""
    setting = b"" if window is None else struct.pack(">HI", 4, window)
    return PREFACE + frame(SETTINGS, 0, 0, setting)


class Reader:
    """Counts the frames in what has come, piece by piece."""

    def __init__(self):
        self.pending = b""
        self.resets = self.bytes = 0
        self.goaway = None  # the code of the last GOAWAY

    def take(self, data):
        self.bytes += len(data)
        self.pending += data
        at = 0
        while len(self.pending) - at >= 9:
            word, _, _ = struct.unpack_from(">IBI", self.pending, at)
            size, kind = word >> 8, word & 255
            if len(self.pending) - at < 9 + size:
                break
            payload = self.pending[at + 9:at + 9 + size]
            at += 9 + size
            if kind == RST_STREAM:
                self.resets += 1
            elif kind == GOAWAY:
                self.goaway = struct.unpack_from(">I", payload, 4)[0]
        self.pending = self.pending[at:]
