"""The search for goroutines that can never run again, beside tests whose goroutines all run on.

A thread searches every few milliseconds while the tests run, stops the world and all threads for
it, and ends the program if somebody whom it has named runs on: tests/api/unreachable_test.cpp.
"""
from .steps import GoogleTest

# Waits of all kinds, begun and ended, and what is outside rota's sight: a few seconds.
TESTS = ("chan.*:chan_order*:select*:mutex*:shared_mutex*:condition*:semaphore*:wait_group*:once*:"
         "future*:go.*:context.*:timer*:foreign*:os_command*:net_stream*:http_cancel*:scope.*")
PAUSE_MS = 20


class BesideSearches(GoogleTest):
    pattern, variant = TESTS, "-searched"

    def __init__(self, sources, limit_s, procs):
        super().__init__("rota_api", sources, "dev", limit_s, procs)
        self.where += ", searched"

    def wanted(self, options):
        return not options.filter

    def env(self, options):
        return {**super().env(options), "ROTA_TEST_UNREACHABLE": str(PAUSE_MS)}
