"""The search for goroutines that can never run again, beside tests whose goroutines all run on.

A thread searches every few milliseconds while the tests run, stops the world and all threads for
it, and ends the program if somebody whom it has named runs on: tests/searcher.cpp. Examples are
asked at their ends: tests/prog/examples_test.py. Not asked are rota_sim, since under
GODEBUG=schedseed one thread runs everything and none is held, and rota_unit, whose tests take
memory, threads and processor time away from whoever is there.
"""
import re

from .steps import GoogleTest
from .stress import STRESS, LIMIT_S

# Waits of all kinds, begun and ended, and what is outside rota's sight: a few seconds.
TESTS = ("chan.*:chan_order*:select*:mutex*:shared_mutex*:condition*:semaphore*:wait_group*:once*:"
         "future*:go.*:context.*:timer*:foreign*:os_command*:net_stream*:http_cancel*:scope.*")
PAUSE_MS = 20


class BesideSearches(GoogleTest):
    pattern, variant, pause_ms = TESTS, "-searched", PAUSE_MS

    def __init__(self, sources, limit_s, procs, name="rota_api", preset="dev"):
        super().__init__(name, sources, preset, limit_s, procs)
        self.where += ", searched"

    def wanted(self, options):
        return not options.filter

    def env(self, options):
        return {**super().env(options), "ROTA_TEST_UNREACHABLE": str(self.pause_ms)}

    def judge(self, run, env, options, log):
        outcome = super().judge(run, env, options, log)
        asked = re.search(r"^find_unreachable: (asked \d+ times)", run.output, re.M)
        if not outcome.failed:
            outcome.note = asked.group(1) if asked else "not asked"
            if asked is None:
                outcome.failed, outcome.shown = 1, "nobody has searched beside the tests"
                outcome.again = ""
        return outcome


class StressBesideSearches(BesideSearches):
    """At a fifth of its length."""
    pattern, pause_ms = None, 100

    def __init__(self, procs):
        super().__init__(STRESS, LIMIT_S, procs, "rota_stress", "release")

    def env(self, options):
        return {**super().env(options), "ROTA_TEST_EFFORT": "20"}
