"""Builds what the layers need while earlier ones run.

Most tests keep one core busy, or none: they wait. The compiler takes what they leave, at a lower
priority, a preset at a time, in the order in which the layers come.
"""
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

from .steps import LOGS, ROOT

COMMAND = ["nice", "-n", "10", "./dev", "build"]


class Failed(Exception):
    """A build failed; what there is to say has been printed."""


class BuildAhead:
    """`wanted`: layer -> preset -> targets, in order. The end of `with` ends what still runs."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.built = {(layer, preset): threading.Event()  # set too after a failure
                      for layer, presets in wanted.items() for preset in presets}
        self.now = ""       # what is being built
        self.took = {}      # how long each has, in seconds
        self.complaint = None
        self.lock = threading.Lock()
        self.child = None   # under the lock
        self.over = False   # under the lock: no further build begins
        self.thread = threading.Thread(target=self.build_all)

    def __enter__(self):
        LOGS.mkdir(parents=True, exist_ok=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        with self.lock:
            self.over = True
            self.send(self.child, signal.SIGTERM)
            self.send(self.child, signal.SIGCONT)  # it may be paused
        self.thread.join()

    def build_all(self):
        for layer, presets in self.wanted.items():
            for preset, targets in presets.items():
                if self.complaint is None:
                    began = time.monotonic()
                    try:
                        self.build(preset, targets)
                    except OSError as e:
                        self.complaint = f"{preset} cannot be built: {e}"
                    self.took[layer, preset] = time.monotonic() - began
                self.built[layer, preset].set()

    def build(self, preset, targets):
        command = [*COMMAND, preset, *targets]
        self.now = preset
        log = LOGS / "build.log"
        with open(log, "wb") as out, self.lock:
            if self.over:
                return
            self.child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=subprocess.STDOUT, start_new_session=True)
        status = self.child.wait()
        with self.lock:
            self.child = None
        if status != 0:
            again = " ".join(["./dev", "build", preset, *targets])
            self.complaint = (f"{log.read_text(errors='replace').rstrip()}\n"
                              f"the build failed; to repeat it: {again}")

    @contextlib.contextmanager
    def paused(self):
        """No compiler runs meanwhile: for what measures how long something takes."""
        with self.lock:
            child = self.child
        try:
            self.send(child, signal.SIGSTOP)
            yield
        finally:
            self.send(child, signal.SIGCONT)

    @staticmethod
    def send(child, what):
        if child is not None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.killpg(child.pid, what)

    def wait_for(self, layer, preset):
        """Until everything of that preset is there that the layer needs."""
        began = time.monotonic()
        while not self.built[layer, preset].wait(1):
            if sys.stdout.isatty():
                print(f"\r  building {self.now}, {time.monotonic() - began:.0f} s ", end="")
        waited = time.monotonic() - began
        if sys.stdout.isatty() and waited >= 1:
            print("\r\033[K", end="")
        if self.complaint is not None:
            print(self.complaint)
            raise Failed
        if waited >= 1:
            print(f"  built {preset} in {self.took[layer, preset]:.0f} s; "
                  f"waited {waited:.0f} s for it", flush=True)
