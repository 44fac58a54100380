#!/usr/bin/env python3
"""Reads the notes about probes in a program's file, as bpftrace and perf do.

Usage: probes_test.py BUILD_DIR [FILTER]

What could go wrong: a probe is missing or has no such arguments as documented, a note names a place
that is no nop, or it is written so that tracers skip it. Prints one line for each test and ends
with `N passed, N failed`; exit status 1 if any failed.
"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOP = {0x3E: (b"\x90",), 0xB7: (b"\x1f\x20\x03\xd5",)}  # by the machine's number: x86-64, AArch64
ARGUMENT = {0x3E: r"-?[148]@(-?(0x)?\w*\(%r\w+(,%r\w+(,\d)?)?\)|\w+(\+\d+)?\(%rip\))",
            0xB7: r"-?[148]@\[\w+(, ?#?-?\d+)?\]"}
ARGUMENT_COUNTS = {"go_create": 2, "go_start": 2, "go_park": 2, "go_ready": 1, "go_preempt": 1,
                   "go_end": 1, "go_steal": 2, "syscall_enter": 2, "syscall_exit": 1,
                   "p_handoff": 1, "m_start": 1, "m_stop": 1, "m_park": 1, "m_wake": 1,
                   "stw_begin": 1, "stw_end": 1, "netpoll_sleep": 1, "netpoll_wake": 1,
                   "timer_fire": 2}


class Elf:
    def __init__(self, path):
        data = path.read_bytes()
        self.path = path
        assert data[:6] == b"\x7fELF\2\1", "no little-endian 64-bit file"
        self.data = data
        self.machine = struct.unpack_from("<H", data, 18)[0]
        at, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<3H", data, 58)
        raw = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        text = raw[names]
        self.sections = {}
        for s in raw:
            start = text[4] + s[0]
            self.sections[data[start:data.index(b"\0", start)].decode()] = s

    def bytes_of(self, name):
        s = self.sections[name]
        return self.data[s[4]:s[4] + s[5]]

    def at_address(self, address, n):
        for s in self.sections.values():
            if s[3] <= address < s[3] + s[5] and s[2] & 2 and s[1] != 8:
                at = s[4] + address - s[3]
                return self.data[at:at + n]
        raise AssertionError(f"{address:#x} is in no section")


def probes(elf):
    """(name, address, arguments) of each note."""
    data, at = elf.bytes_of(".note.stapsdt"), 0
    base = elf.sections[".stapsdt.base"][3]
    while at < len(data):
        owner, size, kind = struct.unpack_from("<3I", data, at)
        assert (owner, kind) == (8, 3) and data[at + 12:at + 20] == b"stapsdt\0", "another note"
        body = data[at + 20:at + 20 + size]
        address, told_base, semaphore = struct.unpack_from("<3Q", body)
        provider, name, arguments = body[24:].split(b"\0")[:3]
        assert (provider, told_base, semaphore) == (b"rota", base, 0), (provider, told_base, base)
        yield name.decode(), address, arguments.decode()
        at += 20 + (size + 3) // 4 * 4


def are_where_their_notes_say(elf):
    seen = {}
    for name, address, arguments in probes(elf):
        code = elf.at_address(address, 4)
        assert any(code.startswith(nop) for nop in NOP[elf.machine]), (name, hex(address), code)
        parts = re.findall(r"-?\d@\S+(?:, ?[^\]]*\])?", arguments)
        assert len(parts) == ARGUMENT_COUNTS[name], (name, arguments)
        for part in parts:
            assert re.fullmatch(ARGUMENT[elf.machine], part), (name, arguments, part)
        seen[name] = seen.get(name, 0) + 1
    assert set(seen) == set(ARGUMENT_COUNTS), seen
    return f"{sum(seen.values())} places"


def told_probes():
    """Name -> arguments, of the table in the documents."""
    page = (ROOT / "docs/debugging.md").read_text()
    table = re.search(r"^\| probe \| arguments \|\n.*\n((?:\|.*\n)+)", page, re.M).group(1)
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.M))


def are_read_by_others_as_documented(elf):
    """By readelf, a reader of notes that has nothing of ours."""
    if shutil.which("readelf") is None:
        return "no readelf here: not looked at by it"
    run = subprocess.run(["readelf", "--notes", "--wide", elf.path], capture_output=True, text=True,
                         timeout=60)
    found = re.findall(r"Provider: rota\s+Name: (\w+)\s+Location: [^\n]*\s+Arguments: ([^\n]*)",
                       run.stdout)
    counts = {name: len(arguments.split(",")) for name, arguments in told_probes().items()}
    assert {name for name, _ in found} == set(counts), found
    for name, arguments in found:
        assert len(re.findall(r"-?\d@", arguments)) == counts[name], (name, arguments)
    return f"{len(found)} notes"


def are_documented(_elf):
    told = told_probes()
    assert set(told) == set(ARGUMENT_COUNTS), told
    for name, arguments in told.items():
        assert len(arguments.split(",")) == ARGUMENT_COUNTS[name], (name, arguments)
    page = (ROOT / "docs/debugging.md").read_text()
    examples = re.findall(r"^`(\w+)`: [^`]*:\n\n    bpftrace -e '([^']*)'", page, re.M)
    assert [name for name, _ in examples] == list(told), examples
    for own, script in examples:
        assert script.count("{") == script.count("}") > 0, script
        used = re.findall(r"usdt:PROGRAM:rota:(\w+)", script)
        assert used and set(used) <= set(told), f"no such probe: {script}"
        assert own in used, f"another probe's: {script}"
        for number in re.findall(r"\barg(\d)", script):
            assert any(int(number) < ARGUMENT_COUNTS[name] for name in used), script
    reasons = re.search(r"enum class wait_reason[^{]*{(.*?)}",
                        (ROOT / "src/core/status.hpp").read_text(), re.S).group(1)
    assert reasons.replace(" ", "").strip().split(",\n")[9] == "mutex_lock", "the example is wrong"
    return ""


TESTS = (are_where_their_notes_say, are_read_by_others_as_documented, are_documented)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    elf = Elf(pathlib.Path(sys.argv[1]) / "tests/prog/prog_parked")
    wanted, passed, failed = "".join(sys.argv[2:3]), 0, 0
    for test in TESTS:
        if wanted not in test.__name__:
            continue
        try:
            print("ok", test.__name__, test(elf))
            passed += 1
        except (AssertionError, KeyError, ValueError, struct.error) as e:
            failed += 1
            print("FAILED", test.__name__, repr(e)[:3000])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not (passed or wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
