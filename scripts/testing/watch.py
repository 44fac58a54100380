"""Runs a program under a watchdog: bounded time, then SIGQUIT so that it reports, then the kill."""
import os
import resource
import shlex
import signal
import subprocess
import time

REPORT_S = 5  # how long a program may take to report after SIGQUIT


class Run:
    """How a program ended, and what it wrote (stdout and stderr together)."""

    def __init__(self, command, status, output, seconds, hung):
        self.command, self.status, self.output = command, status, output
        self.seconds, self.hung = seconds, hung

    def ending(self):
        if self.hung:
            return f"hung: no end after {self.seconds:.0f} s"
        if self.status < 0:
            return f"died of {signal.Signals(-self.status).name}"
        return f"exit status {self.status}"


def no_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def stop(child):
    """Ends a hanging program and everything it has started."""
    try:
        child.send_signal(signal.SIGQUIT)
        child.wait(REPORT_S)
    except subprocess.TimeoutExpired:
        pass
    kill_group(child)


def kill_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def run(command, env, limit_s, log, cwd):
    """Runs `command`, with `env` added to ours, for at most limit_s; its output goes to `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    began, hung = time.monotonic(), False
    with open(log, "wb") as out:
        child = subprocess.Popen(command, env={**os.environ, **env}, cwd=cwd,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 start_new_session=True, preexec_fn=no_core_files)
        try:
            child.wait(limit_s)
        except subprocess.TimeoutExpired:
            hung = True
            stop(child)
        except BaseException:
            kill_group(child)
            raise
    seconds = time.monotonic() - began
    return Run(command, child.returncode, log.read_bytes().decode(errors="replace"), seconds, hung)


def as_typed(command, env, root):
    """The command as a person would type it in the project's directory."""
    words = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
    for word in map(str, command):
        words.append(shlex.quote(word.removeprefix(f"{root}/")))
    return " ".join(words)
