"""The layer `faults`: every call to the kernel refused once, one after the other, with a table.

The unit layer runs the same tests (tests/http/server/fault_walk_test.cpp) without showing the
table. Here the sources are looked through as well: each site that asks for a fault must have been
refused, in the walk or by the test that is named below. A second step has strace refuse calls from
outside (tests/prog/refused_check.py).
"""
import re

from .steps import LOGS, ROOT, GoogleTest, glob

# Refused where the walk does not come by: (site, the test, the words by which it plants the fault).
ELSEWHERE = [
    ("mmap_reserve", "tests/mem/stack_test.cpp", "sys_call::mmap"),
    ("mmap_guard", "tests/mem/stack_test.cpp", "sys_call::madvise"),
    ("mmap_guard_many", "tests/mem/parked_test.cpp", "sys_call::madvise"),
    ("mmap_protect_none", "tests/mem/stack_test.cpp", "sys_call::mprotect"),
    ("thread_create", "tests/sched/m/refusal_test.cpp", "sys_call::clone"),
    ("io_epoll_create", "tests/netpoll/poller_test.cpp", "sys_call::poll_create"),
    ("io_event_create", "tests/os/fault_test.cpp", "sys_call::poll_create"),
    ("io_ring::open", "tests/netpoll/uring_test.cpp", "sys_call::ring_create"),
    ("simulated_backend::add", "tests/sim/net_faults.cpp", "sys_call::poll_add"),
]
OF_RING = {"io_ring::enter", "uring_backend::add", "io_poll_now",  # met with GODEBUG=netpoll=uring
           "file_read_now", "fault_of_file_call"}
FUNCTION = re.compile(r"^[\w:<>*&\[\] ]*?\b(\w+)\(", re.A)
ASKS = re.compile(r"\b(?:fault_at|faulty_size)\((?:rt::)?sys_call::\w+(?:, \w+)?"
                  r"(?:, \"([^\"]+)\")?\)")


def sites():
    """Every site of the sources that asks for a fault: its function's name, or the one it gives."""
    found = set()
    for source in glob("src/**/*.cpp", "src/**/*.hpp"):
        if source.name == "fault.hpp":
            continue
        function = None
        for line in source.read_text().splitlines():
            begins = FUNCTION.match(line) if line[:1].strip() else None
            function = begins[1] if begins else function
            found.update(name or function for name in ASKS.findall(line))
    return found


def unrefused(walked):
    """What is wrong with the sites that the walk has not refused: a line each."""
    known = {site: (test, words) for site, test, words in ELSEWHERE}
    for site in sorted(sites() - walked - OF_RING):
        test, words = known.get(site, (None, None))
        if test is None:
            yield f"{site}: no work of the walk meets a fault there"
        elif words not in (ROOT / test).read_text():
            yield f"{site}: {test} does not plant {words}"
    for site in sorted((walked | set(known)) - sites()):
        yield f"{site}: is no site of the sources"


class FaultWalk(GoogleTest):
    pattern, variant = "fault_walk.*", "-faults"

    def rows(self):
        log = LOGS / f"{self.name}-{self.preset}{self.variant}.log"
        return re.findall(r"^fault: (.*)$", log.read_text(errors="replace"), re.M)

    def run(self, options):
        outcome = super().run(options)
        rows = self.rows()
        walked = {row.split()[1] for row in rows}
        self.show(rows)
        if outcome.failed or options.filter:
            return outcome
        outcome.note = f"{len(walked)} sites, {len(rows)} rows"
        self.look_for_holes(walked, outcome)
        return outcome

    def show(self, rows):
        rows = rows + [f"{'':<9} {site:<18} in {test}" for site, test, _ in ELSEWHERE]
        print("", *(row.rstrip() for row in rows), "", sep="\n    ", end="", flush=True)

    def look_for_holes(self, walked, outcome):
        wrong = list(unrefused(walked))
        outcome.failed += len(wrong)
        outcome.shown, outcome.again = "\n".join(wrong), "./dev test faults"


class FaultWalkByRing(FaultWalk):
    """The same where descriptors are watched by io_uring; only its own rows are shown."""
    variant = "-faults-uring"

    def env(self, options):
        return {**super().env(options), "GODEBUG": "netpoll=uring"}

    def show(self, rows):
        rows = [row.rstrip() for row in rows if row.split()[1] in OF_RING]
        print("", *rows, "", sep="\n    ", end="", flush=True)

    def look_for_holes(self, walked, outcome):
        if not walked & OF_RING:
            outcome.skipped = ["its own sites: this kernel, or who confines us, gives no io_uring"]
        elif OF_RING - walked:
            outcome.failed += 1
            outcome.shown = "not refused: " + ", ".join(sorted(OF_RING - walked))
            outcome.again = "./dev test faults"
