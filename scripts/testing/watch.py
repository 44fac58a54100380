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


def like_in_foreground():
    """In a child: no core files, and the signals that a shell has its background jobs ignore."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
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
    return run_side_by_side(command, [env], limit_s, log, cwd)


def run_side_by_side(command, envs, limit_s, log, cwd):
    """The same with each of `envs` at once, as if they were one run: it fails if one does, and what
    that one wrote stands last."""
    log.parent.mkdir(parents=True, exist_ok=True)
    began, children, runs = time.monotonic(), [], []
    try:
        for index, env in enumerate(envs):
            children.append((start(command, env, f"{log}.{index}", cwd), f"{log}.{index}"))
        for child, own_log in children:
            hung = not ends_within(child, began + limit_s - time.monotonic())
            with open(own_log, "rb") as written:
                output = written.read().decode(errors="replace")
            runs.append(Run(command, child.returncode, output, time.monotonic() - began, hung))
    finally:
        for child, own_log in children:
            if child.returncode is None:
                kill_group(child)
            os.unlink(own_log)
    runs.sort(key=lambda run: run.hung or run.status != 0)
    output = "".join(run.output for run in runs)
    log.write_text(output)
    return Run(command, runs[-1].status, output, max(run.seconds for run in runs), runs[-1].hung)


def start(command, env, log, cwd):
    with open(log, "wb") as out:
        return subprocess.Popen(command, env={**os.environ, **env}, cwd=cwd,
                                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                start_new_session=True, preexec_fn=like_in_foreground)


def ends_within(child, seconds):
    """Whether it ends by itself; if not, it has been stopped."""
    try:
        child.wait(max(seconds, 0))
        return True
    except subprocess.TimeoutExpired:
        stop(child)
        return False


def as_typed(command, env, root):
    """The command as a person would type it in the project's directory."""
    words = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
    for word in map(str, command):
        words.append(shlex.quote(word.removeprefix(f"{root}/")))
    return " ".join(words)
