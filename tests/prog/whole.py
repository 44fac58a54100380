"""Runs a program as a whole; one that hangs is sent SIGQUIT, to show its goroutines."""
import os
import signal
import subprocess


def run(command, limit_s, **variables):
    """Status or a text, stdout, stderr. The runtime's own variables are not inherited."""
    env = {k: v for k, v in os.environ.items() if k not in ("GODEBUG", "GOTRACEBACK")}
    child = subprocess.Popen(command, env={**env, **variables}, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    try:
        out, err = child.communicate(timeout=limit_s)
        return child.returncode, out, err
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGQUIT)
    try:
        out, err = child.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
    return f"hung for {limit_s} s", out, err
