#!/usr/bin/env python3
"""Which libnghttp2 CMake takes: cmake/nghttp2.cmake, with libraries that fare as old ones do.

Usage: nghttp2_test.py BUILD_DIR

What could go wrong: a library without the mends of 2024 and 2026 is built in, and any client stops
the server. The version number does not tell, so the probe is run against stand-ins: one reads
CONTINUATION frames for ever, one aborts, one refuses the first and survives the second attack.

Prints one line for each test and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/prog"))
import verdicts

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES C)
include("{ROOT}/cmake/nghttp2.cmake")
"""
# What the probe calls. FIRST is what the first session says to the endless head, SECOND what the
# second one does with the frame behind its end.
STAND_IN = """
#include <stdlib.h>
#include <nghttp2/nghttp2.h>
static int sessions, asked;
int nghttp2_session_callbacks_new(nghttp2_session_callbacks **to) { *to = malloc(1); return 0; }
void nghttp2_session_callbacks_del(nghttp2_session_callbacks *c) { free(c); }
void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
    nghttp2_session_callbacks *c, nghttp2_on_data_chunk_recv_callback f) { (void)c; (void)f; }
int nghttp2_session_server_new(nghttp2_session **to, const nghttp2_session_callbacks *c, void *u) {
    (void)c; (void)u; ++sessions; *to = malloc(1); return 0;
}
void nghttp2_session_del(nghttp2_session *s) { free(s); }
int nghttp2_session_terminate_session(nghttp2_session *s, uint32_t why) {
    (void)s; (void)why; return 0;
}
int nghttp2_session_want_read(nghttp2_session *s) { (void)s; return 1; }
ssize_t nghttp2_session_mem_recv(nghttp2_session *s, const uint8_t *bytes, size_t n) {
    (void)s; (void)bytes;
    if (++asked == 1) return FIRST;
    SECOND;
    return (ssize_t)n;
}
"""


def configure(folder, library, *options):
    """Status and what CMake says, on one line."""
    (folder / "CMakeLists.txt").write_text(PROJECT)
    run = subprocess.run(["cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Ninja",
                          f"-DROTA_NGHTTP2={library}", *options],
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.returncode, " ".join(run.stdout.split())


def make_stand_in(folder, first, second):
    library = folder / "libnghttp2.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), f"-DFIRST={first}",
                    f"-DSECOND={second}", "-x", "c", "-"], input=STAND_IN, text=True, check=True)
    return library


def judge(first, second, wanted):
    """What is wrong with how CMake takes the stand-in; `wanted` is a part of its message, or None
    where it is taken. A library that takes the place of a refused one is probed anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = make_stand_in(folder, first, second)
        status, said = configure(folder, library)
        if wanted is None:
            return said if status else ""
        if status == 0 or wanted not in said or "apt-get install" not in said:
            return f"status {status}: {said}"
        make_stand_in(folder, "-905", "(void)0")
        status, said = configure(folder, library)
        return said if status else ""


def endless_heads_are_refused():
    return judge("(ssize_t)n", "(void)0", "CVE-2024-28182")


def aborts_are_refused():
    return judge("-905", "abort()", "CVE-2026-27135")


def mended_one_is_taken():
    return judge("-905", "(void)0", None)


def installed_one_is_taken():
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "CMakeLists.txt").write_text(PROJECT)
        run = subprocess.run(["cmake", "-S", name, "-B", name + "/build", "-G", "Ninja"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.stdout if run.returncode else ""


def cross_builds_do_not_run_it():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = make_stand_in(folder, "(ssize_t)n", "abort()")
        status, said = configure(folder, library, "-DCMAKE_SYSTEM_NAME=Linux")
        return "" if status == 0 and "cross build" in said else f"status {status}: {said}"


def main():
    if shutil.which("cmake") is None or shutil.which("cc") is None:
        sys.exit("nghttp2_test: there is no cmake, or no cc")
    tests = (endless_heads_are_refused, aborts_are_refused, mended_one_is_taken,
             installed_one_is_taken, cross_builds_do_not_run_it)
    return verdicts.run_all([(test.__name__, test) for test in tests], "".join(sys.argv[2:3]))


if __name__ == "__main__":
    sys.exit(main())
