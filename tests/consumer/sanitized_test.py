#!/usr/bin/env python3
"""Links programs that have a sanitizer to the library as it is installed, which has none.

Usage: sanitized_test.py BUILD_DIR [FILTER]

What could go wrong: AddressSanitizer is not told of the switch from one stack to the next. It
reports frames of other goroutines, or memory that only a goroutine knows, as faults; or it misses
faults. ThreadSanitizer cannot be told, and nobody says so. Prints one line for each test and ends
with `N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/prog"))
import verdicts  # noqa: E402

TIME_LIMIT = 120  # seconds for one run
LIBRARIES = ["-lssl", "-lcrypto", "-lnghttp2", "-lz", "-pthread"]


def compiled(build, compiler, sanitizer, folder):
    if shutil.which(compiler) is None:
        raise verdicts.Skipped(f"no {compiler}")
    program = folder / f"{compiler}-{sanitizer}"
    command = [compiler, "-std=c++20", "-O1", "-g", f"-fsanitize={sanitizer}",
               "-fstack-clash-protection", "-Wl,-z,now", "-I", str(ROOT / "include"),
               str(ROOT / "tests/consumer/sanitized.cpp"), str(build / "src/librota.a"),
               *LIBRARIES, "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr[-3000:]}"
    return program


def run(program, *arguments):
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True,
                          timeout=TIME_LIMIT, stdin=subprocess.DEVNULL,
                          env={**os.environ, "GOMAXPROCS": "4"})
    return done.returncode, done.stdout + done.stderr


def address(build, compiler, folder):
    program = compiled(build, compiler, "address", folder)
    status, text = run(program)
    assert status == 0 and text == "", f"status {status}\n{text[:4000]}"
    status, text = run(program, "fault")
    assert status == 1 and "AddressSanitizer: heap-use-after-free" in text, \
        f"status {status}\n{text[:4000]}"


def test_address_sanitizer_of_clang(build, folder):
    address(build, "clang++-19", folder)


def test_address_sanitizer_of_gcc(build, folder):
    address(build, "g++", folder)


def test_thread_sanitizer_is_named_as_untold(build, folder):
    program = compiled(build, "clang++-19", "thread", folder)
    text = run(program, "boot")[1]  # more may not end: its view of the stacks is wrong
    said = "rota: the program has ThreadSanitizer, and this build of rota has not"
    assert said in text, text[:500]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory(prefix="rota-sanitized-") as folder:
        return verdicts.run_functions(dict(globals()), wanted, build, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
