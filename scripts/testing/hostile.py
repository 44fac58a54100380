"""The layer `hostile`: a server under attack, with a table of figures and promises at the end.

tests/hostile/hostile_test.py does the work. In its short form the time limits of the server are
shortened; --long gives them ten times as long.
"""
from .steps import ROOT, TabledTest

LIMIT_S = 300
PROGRAMS = ("hostile_server", "hostile_doubling", "reverse_proxy", "fileserver", "http_hello",
            "tcp_echo", "chat", "crawler", "directory_walk", "treesum")


def steps():
    return [TabledTest(ROOT / "tests/hostile/hostile_test.py", "dev", PROGRAMS, LIMIT_S)]
