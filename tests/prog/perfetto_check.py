#!/usr/bin/env python3
"""Reads what rota::trace::to_perfetto writes, and compares it with the trace that it was made of.

Usage: perfetto_check.py TRACE PERFETTO    prints what it has found; exit status 1 if they disagree

Checked: every packet decodes, with the fields of perfetto_trace.proto and no others; tracks are
declared before they are used; on each track time does not run back and slices nest; a processor has
one goroutine at a time, and a goroutine runs on one thread at a time; every flow begins before it
ends; there are as many turns of goroutines as the trace has starts, and as many samples; nothing
happens at a moment, in nanoseconds, at which nothing happens in the trace.
"""
import collections
import struct
import sys

sys.dont_write_bytecode = True
import trace_check

BEGIN, END, INSTANT = 1, 2, 3
PACKET = {6, 8, 10, 11, 13, 59, 60}
TRACK_EVENT = {4, 9, 11, 23, 47, 48}
DESCRIPTOR = {1, 2, 3, 5, 11, 12}
NOBODY = (1 << 64) - 1


def fields(data):
    """Yields (number, value): integers, or bytes of what has a length."""
    b = trace_check.Bytes(data)
    while b.left():
        key = b.number()
        kind = key & 7
        if kind == 0:
            value = b.number()
        elif kind == 1:
            value = struct.unpack("<Q", b.take(8))[0]
        elif kind == 2:
            value = b.take(b.number())
        else:
            raise AssertionError(f"wire type {kind}")
        yield key >> 3, value


def message(data, known):
    found = collections.defaultdict(list)
    for number, value in fields(data):
        assert number in known, f"field {number}"
        found[number].append(value)
    return found


class Perfetto:
    def __init__(self, data):
        self.names, self.parents = {}, {}
        self.open = collections.defaultdict(list)  # track: names of slices
        self.last = {}
        self.begun_flows, self.ended_flows = set(), set()
        self.counts = collections.Counter()
        self.running = {}  # goroutine: its thread's track
        self.times = set()
        for number, packet in fields(data):
            assert number == 1, f"field {number} of the trace"
            p = message(packet, PACKET)
            assert p[10] == [1], "one sequence"
            for d in p[60]:
                self.declare(message(d, DESCRIPTOR))
            for e in p[11]:
                self.event(p[8][0], message(e, TRACK_EVENT))
        left = {self.names[t]: s for t, s in self.open.items() if s}
        assert not left, f"slices without an end: {left}"

    def declare(self, d):
        (uuid,), (name,) = d[1], d[2]
        assert uuid not in self.names, f"track {name} twice"
        self.names[uuid] = name.decode()
        if d[5]:
            assert d[5][0] in self.names, "its parent is not known yet"
            self.parents[uuid] = d[5][0]

    def group(self, track):
        return self.names[self.parents[track]] if track in self.parents else ""

    def event(self, time, e):
        (kind,), (track,) = e[9], e[11]
        assert track in self.names, "an event on no track"
        assert self.last.get(track, 0) <= time, "time runs back"
        self.last[track] = time
        self.times.add(time)
        group, slices = self.group(track), self.open[track]
        name = e[23][0].decode() if e[23] else ""
        for flow in e[47]:
            assert flow not in self.begun_flows, "a flow begins twice"
            self.begun_flows.add(flow)
        for flow in e[48]:
            assert flow in self.begun_flows - self.ended_flows, "a flow ends that has not begun"
            self.ended_flows.add(flow)
        if kind == BEGIN:
            slices.append(name)
            assert name, "a slice without a name"
            if group.startswith("Processors"):
                assert len(slices) == 1, f"{self.names[track]} runs {slices}"
            elif group.startswith("Threads"):
                self.begin_on_thread(track, slices, name)
            where = self.names[track] if group == "rota" else group.split(":")[0]
            self.counts[f"{where}/{self.kind_of(name)}"] += 1
        elif kind == END:
            assert slices, f"an end without a beginning on {self.names[track]}"
            gone = slices.pop()
            if group.startswith("Threads") and gone != "system call":
                del self.running[gone.split()[0]]
        else:
            assert kind == INSTANT, kind
            self.counts[f"instant/{self.kind_of(name)}"] += 1

    def kind_of(self, name):
        if name.startswith("sample: "):
            return "sample"
        return "G" if name[:1] == "G" and name[1:2].isdigit() else name.split(" G")[0]

    def begin_on_thread(self, track, slices, name):
        assert len(slices) <= 2 and (len(slices) == 1) == (name != "system call"), slices
        if name != "system call":
            g = name.split()[0]
            assert g not in self.running, f"{g} runs on two threads"
            self.running[g] = track


def turns_of(trace):
    """How many turns of goroutines begin in a trace."""
    turns, told = 0, set()
    for generation in trace_check.generations(trace):
        for events in generation.threads.values():
            for _, name, arguments in events:
                values = [v for _, v in arguments]
                if name in ("GoStart", "GoCreateSyscall"):
                    turns += 1
                if (name in ("GoStatus", "GoStatusStack") and values[2] in (2, 3) and
                        generation.number not in told and not told):
                    turns += 1
        told.add(generation.number)
    return turns


def times_of(trace):
    """All moments of a trace, in ns, and those beside them: a unit of time may be a fraction."""
    moments = {int(generation.ns(time)) for generation in trace_check.generations(trace)
               for events in generation.threads.values() for time, _, _ in events}
    moments |= {int(generation.ns(time)) for generation in trace_check.generations(trace)
                for time, *_ in generation.samples}
    return {moment + apart for moment in moments for apart in range(-2, 3)}


def main():
    with open(sys.argv[1], "rb") as trace, open(sys.argv[2], "rb") as perfetto:
        of, made = trace.read(), perfetto.read()
    p = Perfetto(made)
    strange = p.times - times_of(of)
    assert not strange, f"moments that the trace has not: {sorted(strange)[:5]}"
    turns = turns_of(of)
    assert p.counts["Threads (M)/G"] == turns, (p.counts, turns)
    samples = sum(len(g.samples) for g in trace_check.generations(of))
    assert p.counts["instant/sample"] == samples, (p.counts, samples)
    print(" ".join(f"{k.replace(' ', '_')} {n}" for k, n in sorted(p.counts.items())),
          f"flows {len(p.ended_flows)} turns {turns} ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
