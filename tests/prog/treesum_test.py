#!/usr/bin/env python3
"""Tests of examples/treesum as a whole program, against find and sha256sum of this system.

Usage: treesum_test.py BUILD_DIR [FILTER]

What could go wrong: a file is missed, hashed twice or wrongly, a name is garbled, one bad file
spoils the rest, an error goes unreported, or the program hangs. Every case builds a small world,
runs treesum in it and compares bytes and exit status, as far as possible with what sha256sum itself
makes of the same world.

Prints one line for each case and ends with `N passed, N failed`; exit status 1 if any failed. A run
that hangs is sent SIGQUIT first, so that its goroutines are on stderr.
"""

import fcntl
import hashlib
import json
import os
import pty
import random
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

TIME_LIMIT = 60  # seconds for one run of treesum; the longest takes a few
PROCS = ("1", "2", "4", "16")
NOBODY = 65534


def find_program(build):
    path = os.path.abspath(f"{build}/examples/treesum")
    missing = f"treesum_test: no treesum below {build}: build it first"
    return path if os.access(path, os.X_OK) else sys.exit(missing)


def place_in_memory():
    """Where tens of thousands of small files cost little, or None: nowhere."""
    room = os.statvfs("/dev/shm") if os.access("/dev/shm", os.W_OK | os.X_OK) else None
    return "/dev/shm" if room and room.f_bavail * room.f_frsize >= 1 << 30 else None


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def complaints(self):
        """The lines on stderr that are neither account nor warning."""
        return [
            line
            for line in self.err.split(b"\n")
            if line.startswith(b"treesum: ")
            and not re.match(rb"treesum: \d+ files, ", line)
            and not line.startswith(b"treesum: WARNING")
        ]


class World:
    """A directory of its own for one case, and the ways to run programs in it."""

    def __init__(self, program, top):
        self.program, self.top = program, top
        self.last = None  # the latest run, for the report of a failure

    def path(self, name):
        name = os.fsencode(name)
        return os.path.join(os.fsencode(self.top), name)

    def write(self, name, content=b"x"):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def treesum(self, *args, procs=None, stdout=subprocess.PIPE, prefix=(), **more):
        env = dict(os.environ)
        env.pop("GOMAXPROCS", None)
        if procs:
            env["GOMAXPROCS"] = procs
        command = [*prefix, self.program, *args]
        more.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen(command, cwd=self.top, env=env, stdout=stdout, **more)
        try:
            out, err = process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            try:
                out, err = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
            text = (err or b"").decode(errors="replace")[-4000:]
            raise AssertionError(f"hangs: {command}, GOMAXPROCS={procs}: {text}") from None
        self.last = Result(process.returncode, out, err)
        return self.last

    def expected(self, directory="."):
        """What find and sha256sum print for the same tree, sorted by the bytes of the paths."""
        names = subprocess.run(
            ["find", directory, "-type", "f", "-print0"],
            cwd=self.top, stdout=subprocess.PIPE, check=True,
        ).stdout.split(b"\0")[:-1]
        if not names:
            return b""
        return subprocess.run(
            ["xargs", "-0", "sha256sum", "--"],
            cwd=self.top, input=b"\0".join(sorted(names)), stdout=subprocess.PIPE, check=True,
        ).stdout

    def sha256sum(self, *args, **more):
        done = subprocess.run(
            ["sha256sum", *args], cwd=self.top, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"}, check=False, **more,
        )
        return Result(done.returncode, done.stdout, done.stderr)


def same(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got!r:.600}, expected {want!r:.600}")


def clean(result, want):
    same(result.out, want, "stdout")
    same(result.complaints(), [], "complaints")
    same(result.status, 0, "exit status")


CASES = []


def case(function):
    CASES.append(function)
    return function


# --- trees ----------------------------------------------------------------------------------------


@case
def empty_tree_prints_nothing(world):
    clean(world.treesum(), b"")


@case
def one_file(world):
    world.write("only", b"content\n")
    clean(world.treesum("."), world.expected())


@case
def a_regular_file_as_dir_is_a_tree_of_one(world):
    world.write("only", b"content\n")
    clean(world.treesum("only"), world.expected("only"))


@case
def dir_is_printed_as_it_was_given(world):
    world.write("tree/a")
    world.write("tree/b/c", b"c")
    for directory in ("tree", "tree/", "./tree", "tree/../tree", "tree//b", world.top):
        clean(world.treesum(directory), world.expected(directory))


@case
def dir_may_be_a_link_to_a_directory(world):
    world.write("tree/a", b"a")
    os.symlink("tree", world.path("link"))
    clean(world.treesum("link"), world.expected("link/").replace(b"link//", b"link/"))


@case
def a_dir_that_begins_with_a_dash(world):
    world.write("-tree/-file", b"a")
    want = world.sha256sum("--", "-tree/-file").out
    clean(world.treesum("--", "-tree"), want)


@case
def a_missing_dir_is_an_error(world):
    result = world.treesum("nowhere")
    same(result.out, b"", "stdout")
    same(result.complaints(), [b"treesum: nowhere: No such file or directory"], "complaints")
    same(result.status, 1, "exit status")


AWKWARD_NAMES = (
    b"new\nline", b"\n", b"back\\slash", b"\\", b"carriage\rreturn", b"\\n", b"\r\n\\",
    b"-dash", b"--check", b" leading", b"trailing ", b"*star", b"tab\there", b"quote\"'",
    b"\xff\xfe", b"caf\xc3\xa9", b"caf\xe9", b"\x01\x1b[31mred", b"#comment", b"a-b", b"a.b", b"a",
    b"A" * 255, b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x7f",
)


def awkward_tree(world):
    for name in AWKWARD_NAMES:
        world.write(name + b".dir/" + name if len(name) < 200 else name, name)
        if len(name) < 200:
            world.write(name, name * 3)


@case
def awkward_names_are_written_as_sha256sum_writes_them(world):
    awkward_tree(world)
    want = world.expected()
    for procs in PROCS:
        clean(world.treesum(procs=procs), want)


@case
def sorted_by_bytes_not_by_components(world):
    for name in ("a/x", "a-b/x", "a.b", "a/b/c", "ab", "B", b"\xc3\xa9", "z"):
        world.write(name)
    want = world.expected()
    names = [line[66:] for line in want.splitlines()]
    same(names, sorted(names), "the expectation itself")
    clean(world.treesum(), want)


@case
def sizes_around_the_read_buffer(world):
    rng = random.Random(1)
    buffer = 128 * 1024
    around = [buffer * pieces + extra for pieces in (1, 2, 8) for extra in (-1, 0, 1)]
    for size in (0, 1, 55, 56, 63, 64, 65, 4096, *around, 9999999):
        world.write(f"size-{size}", rng.randbytes(size))
    want = world.expected()
    for procs in PROCS:
        for jobs in ("1", "3", "64"):
            clean(world.treesum("--jobs", jobs, procs=procs), want)


@case
def files_whose_size_is_a_lie(world):
    path = "/proc/version"
    want = world.sha256sum(path).out
    clean(world.treesum(path), want)


@case
def twenty_thousand_files(world):
    rng = random.Random(2)
    block = rng.randbytes(1 << 16)
    for number in range(20000):
        start = rng.randrange(1 << 15)
        content = block[start : start + rng.randrange(9000)]
        world.write(f"d{number % 7}/e{number % 211}/f{number}", content)
    want = world.expected()
    same(want.count(b"\n"), 20000, "files")
    for procs in PROCS:
        clean(world.treesum(procs=procs), want)
    for jobs in ("1", "2", "100", "1000"):
        clean(world.treesum("--jobs", jobs), want)


@case
def one_directory_of_many_files_and_many_of_one(world):
    for number in range(3000):
        world.write(f"flat/{number}", b"%d" % number)
        world.write(f"wide/{number}/file", b"%d" % number)
    want = world.expected()
    for procs in PROCS:
        clean(world.treesum(procs=procs), want)


@case
def deeper_than_any_path_may_be_long(world):
    depth = 1200
    here = os.open(world.top, os.O_RDONLY)
    lines = []
    for level in range(depth):
        name = "level-%06d" % level
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        content = b"at level %d" % level
        file = os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here)
        os.write(file, content)
        os.close(file)
        path = "./" + "".join("level-%06d/" % i for i in range(level + 1)) + "file"
        lines.append((path.encode(), hashlib.sha256(content).hexdigest().encode()))
    os.close(here)
    assert len(lines[-1][0]) > 3 * 4096
    want = b"".join(b"%s  %s\n" % (sum, path) for path, sum in sorted(lines))
    for procs in PROCS:
        clean(world.treesum(procs=procs), want)
    with tempfile.NamedTemporaryFile() as sums:
        sums.write(want)
        sums.flush()
        result = world.treesum("--check", sums.name)
    same(result.status, 0, "exit status of --check")
    same(result.out.count(b": OK\n"), depth, "files verified")


@case
def sockets_fifos_and_devices_are_passed_over(world):
    world.write("file", b"f")
    os.mkfifo(world.path("fifo"))
    # Bound by a relative name: addresses of sockets are short.
    listener = socket.socket(socket.AF_UNIX)
    before = os.getcwd()
    os.chdir(world.top)
    listener.bind("socket")
    os.chdir(before)
    try:
        os.mknod(world.path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        print("    (no device in this tree: mknod is not permitted)")
    clean(world.treesum(), world.expected())
    listener.close()


@case
def links_are_not_followed(world):
    world.write("real/file", b"f")
    os.symlink("real/file", world.path("to-file"))
    os.symlink("real", world.path("to-directory"))
    os.symlink("nowhere", world.path("dangling"))
    os.symlink("/etc", world.path("to-etc"))
    clean(world.treesum(), world.expected())


@case
def loops_of_links_are_reported_and_the_rest_is_complete(world):
    world.write("a/b/file", b"f")
    os.symlink("self", world.path("self"))
    os.symlink("two", world.path("one"))
    os.symlink("one", world.path("two"))
    os.symlink("..", world.path("a/up"))
    os.symlink(".", world.path("a/b/here"))
    os.symlink("/", world.path("a/b/root"))
    loops = [b"./a/b/here", b"./a/b/root", b"./a/up", b"./one", b"./self", b"./two"]
    for procs in PROCS:
        result = world.treesum(procs=procs)
        same(result.out, world.expected(), "stdout")
        same(sorted(line.split(b": ")[1] for line in result.complaints()), loops, "links")
        same(result.status, 1, "exit status")


# --- what cannot be read --------------------------------------------------------------------------


@case
def unreadable_files_and_directories_cost_a_line_each(world):
    for number in range(200):
        world.write(f"dir-{number % 5}/file-{number}", b"%d" % number)
    for name in ("dir-1/file-1", "dir-2/file-2", b"dir-3/bad\nname"):
        os.chmod(world.write(name, b"secret"), 0)
    world.write("dir-4/closed/file", b"unseen")
    os.chmod(world.path("dir-4/closed"), 0)
    prefix = ()
    os.chmod(world.top, 0o755)
    if os.geteuid() == 0:
        prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    try:
        want = b"".join(
            line + b"\n" for line in world.expected().split(b"\n")[:-1]
            if not re.search(rb"(dir-1/file-1|dir-2/file-2|bad.*name|closed/file)$", line)
        ) if os.geteuid() == 0 else None
        for procs in PROCS:
            result = world.treesum(procs=procs, prefix=prefix)
            same(sorted(result.complaints()), [
                b"treesum: ./dir-1/file-1: Permission denied",
                b"treesum: ./dir-2/file-2: Permission denied",
                b"treesum: ./dir-3/bad\\nname: Permission denied",
                b"treesum: ./dir-4/closed: Permission denied",
            ], "complaints")
            same(result.status, 1, "exit status")
            same(result.out.count(b"\n"), 198, "files hashed")
            if want is not None:
                same(result.out, want, "stdout")
    finally:
        os.chmod(world.path("dir-4/closed"), 0o755)


@case
def files_that_vanish_meanwhile_cost_a_line_each(world):
    rng = random.Random(3)
    reported = 0
    for attempt in range(6):
        contents = {}
        for number in range(3000):
            name = b"./d%d/f%d" % (number % 10, number)
            contents[name] = rng.randbytes(20)
            world.write(name, contents[name])
        names = sorted(contents, reverse=True)

        def remove(delay):
            time.sleep(delay)
            for name in names:
                os.unlink(world.path(name))

        thread = threading.Thread(target=remove, args=(0.005 * attempt,))
        thread.start()
        result = world.treesum(procs=PROCS[attempt % 4])
        thread.join()
        for line in result.out.splitlines():
            sum, name = line.split(b"  ")
            same(sum.decode(), hashlib.sha256(contents[name]).hexdigest(), f"digest of {name!r}")
        for line in result.complaints():
            assert re.fullmatch(rb"treesum: \./d\d/f\d+: No such file or directory", line), line
        same(result.status, 1 if result.complaints() else 0, "exit status")
        reported += len(result.complaints())
    print(f"    ({reported} vanished between the listing and the opening)")


@case
def a_closed_or_full_stdout_is_reported(world):
    for number in range(5000):
        world.write(f"d{number % 10}/{number}")

    def check(result, text):
        assert b"treesum: standard output: " + text in result.complaints(), result.err
        same(result.status, 1, "exit status")

    shell = ("sh", "-c", 'exec "$@" >&-', "sh")
    check(world.treesum(prefix=shell), b"Bad file descriptor")
    with open("/dev/full", "wb") as full:
        check(world.treesum(stdout=full), b"No space left on device")
    reader, writer = os.pipe()
    os.close(reader)
    check(world.treesum(stdout=writer), b"Broken pipe")
    os.close(writer)


@case
def closed_standard_descriptors_do_no_harm(world):
    path = world.write("file", b"precious")
    want = world.expected()
    shell = ("sh", "-c", 'exec "$@" <&- 2>&-', "sh")
    same(world.treesum(prefix=shell).out, want, "stdout")
    shell = ("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    same(world.treesum(prefix=shell).status, 1, "exit status")
    with open(path, "rb") as file:
        same(file.read(), b"precious", "the file")


@case
def a_slow_reader_gets_everything(world):
    for number in range(4000):
        world.write(f"{number}")
    want = world.expected()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    pieces = []

    def read():
        while piece := os.read(reader, 8192):
            pieces.append(piece)
            time.sleep(0.002)

    thread = threading.Thread(target=read)
    thread.start()
    result = world.treesum(stdout=writer)
    os.close(writer)
    thread.join()
    os.close(reader)
    same(b"".join(pieces), want, "stdout")
    same(result.status, 0, "exit status")


@case
def few_descriptors_lower_the_jobs(world):
    for number in range(500):
        world.write(f"d{number % 50}/{number}", b"%d" % number)
    shell = ("sh", "-c", 'ulimit -n 80; exec "$@"', "sh")
    result = world.treesum("--jobs", "1000", prefix=shell)
    same(result.out, world.expected(), "stdout")
    same(result.status, 0, "exit status")
    assert b"treesum: --jobs 1000 lowered to 16" in result.err, result.err


# --- --check --------------------------------------------------------------------------------------


def compare_check(world, list, *options, stdin=b""):
    """Runs both programs on the same list; stdout, exit status and warnings must agree."""
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        ours = world.treesum(*options, "--check", list, stdin=file)
    other = world.sha256sum("-c", *options, list, input=stdin)
    what = f"of --check {list} {options} with {stdin!r}"
    same(ours.out, other.out, f"stdout {what}")
    same(ours.status, other.status, f"exit status {what}")
    warnings = re.findall(rb"(?<=treesum: )WARNING.*", ours.err)
    same(warnings, re.findall(rb"WARNING.*", other.err), f"warnings {what}")
    return ours


@case
def check_confirms_what_was_printed(world):
    awkward_tree(world)
    sums = world.treesum().out
    with tempfile.NamedTemporaryFile() as file:
        file.write(sums)
        file.flush()
        for procs in PROCS:
            result = world.treesum("--check", file.name, procs=procs)
            same(result.status, 0, "exit status")
            same(result.complaints(), [], "complaints")
        compare_check(world, file.name)
        compare_check(world, file.name, "--quiet")
        confirmed = world.sha256sum("-c", "--quiet", file.name)
        same((confirmed.status, confirmed.out, confirmed.err), (0, b"", b""), "sha256sum -c")


@case
def check_reports_altered_missing_and_unreadable(world):
    for number in range(300):
        world.write(f"file-{number}", b"%d" % number)
    world.write("list", world.treesum(".").out.replace(b"./list", b"./file-1"))
    world.write("file-7", b"altered")
    world.write("file-8", b"altered too")
    os.unlink(world.path("file-9"))
    os.unlink(world.path("file-10"))
    os.mkdir(world.path("file-10"))
    result = compare_check(world, "list")
    same(result.status, 1, "exit status")
    same(sorted(result.complaints()), [
        b"treesum: ./file-10: Is a directory",
        b"treesum: ./file-9: No such file or directory",
    ], "complaints")
    compare_check(world, "list", "--quiet")


@case
def check_reads_every_form_of_line(world):
    world.write("b\\s", b"z")
    world.write(" led", b"z")
    world.write("paren(1)", b"z")
    world.write("n\nl", b"z")
    sum = hashlib.sha256(b"z").hexdigest()
    forms = (
        "{0}  b\\s\n", "{0} *b\\s\n", "{0} b\\s\n", "{0}\tb\\s\n", "\\{0}  b\\\\s\n",
        "{0}   led\n", "\\{0}  n\\nl\n", "\\{0}  b\\s\n", "\\{0}  b\\\n", "SHA256 (b\\s) = {0}\n",
        "SHA256(b\\s)={0}\n", "SHA256 (paren(1)) = {0}\n", "\\SHA256 (n\\nl) = {0}\n",
        "SHA256 (b\\s) {0}\n", "SHA256 b\\s = {0}\n", "SHA256 (b\\s = {0}\n",
        "SHA1 (b\\s) = {0}\n", "  {0}  b\\s\n", "# comment\n", "\n", "\r\n", "{0}\n", "{0} \n",
        "{0}  \n", "{0}   \n", "{0}  b\\s\r\n", "{0}x  b\\s\n", "{0}  b\\s", "x{0}  b\\s\n",
        "short\n", "{1}  b\\s\n", "SHA256 () = {0}\n", "\\\n", "SHA256\n", "SHA256 (\n",
    )
    for form in forms:
        compare_check(world, "-", stdin=form.format(sum, sum.upper()).encode())
    everything = "".join(forms).format(sum, sum.upper()).encode()
    compare_check(world, "-", stdin=everything)
    compare_check(world, "-", "--quiet", stdin=everything)


@case
def check_agrees_with_sha256sum_on_mangled_lists(world):
    seed = int(os.environ.get("TREESUM_TEST_SEED", "20"))
    rng = random.Random(seed)
    names = [b"plain", b"n\nl", b"b\\s", b" lead", b"*star", b"c\rr"]
    for name in names:
        world.write(name, name)
    original = world.sha256sum("--", *names).out + world.sha256sum("--tag", "--", *names).out
    pieces = (b" ", b"\n", b"\\", b"*", b"\r", b"(", b")", b"=", b"#", b"\t", b"0", b"Z", b"SHA256")
    for attempt in range(200):
        text = bytearray(original)
        for _ in range(rng.randrange(1, 8)):
            at = rng.randrange(len(text))
            if rng.random() < 0.5:
                del text[at:at + rng.randrange(1, 4)]
            else:
                text[at:at] = rng.choice(pieces)
        try:
            compare_check(world, "-", stdin=bytes(text))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, list {attempt} {bytes(text)!r}: {error}") from None


@case
def check_of_a_missing_list_is_an_error(world):
    result = world.treesum("--check", "nowhere")
    same(result.status, 1, "exit status")
    same(result.complaints(), [b"treesum: nowhere: No such file or directory"], "complaints")


@case
def check_follows_links_and_reads_standard_input_and_fifos(world):
    world.write("real", b"content")
    os.symlink("real", world.path("link"))
    sum = hashlib.sha256(b"content").hexdigest().encode()
    world.write("list", sum + b"  link\n" + sum + b"  /dev/stdin\n")
    with open(world.path("real"), "rb") as file:
        result = world.treesum("--check", "list", stdin=file)
    same(result.out, b"link: OK\n/dev/stdin: OK\n", "stdout")
    os.mkfifo(world.path("fifo"))
    world.write("list", sum + b"  real\n" + sum + b"  fifo\n" + sum + b"  -\n")

    def feed():
        with open(world.path("fifo"), "wb") as fifo:
            for piece in (b"con", b"tent"):
                fifo.write(piece)
                fifo.flush()
                time.sleep(0.05)

    thread = threading.Thread(target=feed)
    thread.start()
    with open(world.path("real"), "rb") as file:
        result = world.treesum("--check", "list", stdin=file)
    thread.join()
    same(result.out, b"real: OK\nfifo: OK\n-: OK\n", "stdout")
    same(result.status, 0, "exit status")


# --- options, account, progress -------------------------------------------------------------------


def json_sums(document):
    """The files of a JSON answer as lines of sha256sum without escapes."""
    return [
        (bytes.fromhex(file.get("path_hex", "")) or file["path"].encode(), file["sha256"])
        for file in document["files"]
    ]


@case
def json_holds_results_problems_and_account(world):
    awkward_tree(world)
    os.symlink("self", world.path("self"))
    result = world.treesum("--json")
    document = json.loads(result.out)
    want = []
    for top, _, files in os.walk(os.fsencode(world.top)):
        for name in files:
            path = os.path.join(top, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                sum = hashlib.sha256(file.read()).hexdigest()
            want.append((b"./" + os.path.relpath(path, os.fsencode(world.top)), sum))
    same(json_sums(document), sorted(want), "files")
    same([p["path"] for p in document["problems"]], ["./self"], "problems")
    account = document["account"]
    same(account["files"], len(want), "files in the account")
    same(account["problems"], 1, "problems in the account")
    same(account["bytes"], sum_of_sizes(document), "bytes in the account")
    assert account["goroutines_created"] >= len(want), account
    assert account["syscalls"] >= len(want), account
    same(result.status, 1, "exit status")


def sum_of_sizes(document):
    return sum(file["bytes"] for file in document["files"])


@case
def json_of_an_empty_tree_and_of_check(world):
    document = json.loads(world.treesum("--json").out)
    same((document["files"], document["problems"]), ([], []), "an empty tree")
    world.write("good", b"good")
    world.write("bad", b"bad")
    world.write("list", world.treesum(".").out)
    world.write("bad", b"worse")
    result = world.treesum("--json", "--check", "list")
    document = json.loads(result.out)
    verdicts = {file["path"]: file["verdict"] for file in document["files"]}
    same(verdicts, {"./good": "OK", "./bad": "FAILED"}, "verdicts")
    same(result.status, 1, "exit status")


@case
def quiet_leaves_stderr_empty(world):
    world.write("file")
    result = world.treesum("--quiet")
    same((result.out, result.err), (world.expected(), b""), "output")


@case
def the_account_adds_up(world):
    for number in range(1000):
        world.write(f"d{number % 20}/{number}", b"%d" % number)
    for procs in PROCS:
        for jobs in (1, 8, 200):
            result = world.treesum("--json", "--jobs", str(jobs), procs=procs)
            account = json.loads(result.out)["account"]
            same(account["files"], 1000, "files")
            same(account["procs"], int(procs), "procs")
            # The main goroutine, 21 directories, 1000 files, the one that sorts.
            same(account["goroutines_created"], 1023, "goroutines created")
            bound = max(jobs, min(4 * int(procs), 32)) + 3 + int(procs)  # on each P one may end
            assert account["goroutines_peak"] <= bound, (account, bound)
            # The first thread and the monitor; a thread being made is counted a little later.
            assert account["threads"] >= 2, account
            assert account["steals"] <= account["stolen"], account
    text = world.treesum().err.decode()
    for pattern in (r"1000 files, [\d.]+ MB in [\d.]+ s \([\d.]+ MB/s\), 0 problems",
                    r"1023 goroutines created \(peak \d+\), \d+ threads on \d+ Ps, \d+ steals "
                    r"\(\d+ goroutines\), \d+ hand-offs, \d+ system calls, \d+ parks"):
        assert re.search(pattern, text), (pattern, text)


@case
def nonsense_on_the_command_line_is_refused(world):
    for args in (["--jobs", "0"], ["--jobs", "x"], ["--jobs", "-1"], ["--nope"], ["a", "b"],
                 ["--check"], ["--check", "list", "."], ["--jobs", "5000"]):
        result = world.treesum(*args)
        same(result.status, 2, f"exit status of {args}")
        same(result.out, b"", f"stdout of {args}")
        assert result.err, args
    result = world.treesum("--help")
    same(result.status, 0, "exit status of --help")
    assert b"--check" in result.out, result.out


def on_terminal(world, *args):
    """Runs treesum, stderr a terminal of 100 columns; returns the result and what was shown."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 100, 0, 0))
    shown = []

    def read():
        try:
            while piece := os.read(master, 4096):
                shown.append(piece)
        except OSError:
            pass  # EIO: the last writer has gone

    thread = threading.Thread(target=read)
    thread.start()
    result = world.treesum(*args, stderr=slave)
    os.close(slave)
    thread.join()
    os.close(master)
    return result, b"".join(shown)


@case
def a_terminal_gets_a_progress_bar(world):
    with open(world.path("sparse"), "wb") as file:
        file.truncate(1 << 30)
    os.symlink("self", world.path("self"))
    result, shown = on_terminal(world, ".")
    same(result.out.count(b"\n"), 1, "lines")
    assert re.search(rb"\[#*-*\] +\d+%  \d+/1 files  [\d.]+ MB/s  ETA \d+:\d\d", shown), shown
    for drawn in re.findall(rb"\r([^\r\x1b]*)\x1b\[K", shown):
        assert len(drawn) < 100, drawn
    last = re.sub(rb"^.*\r\x1b\[K", b"", shown, flags=re.S)
    assert b"treesum: 1 files, 1073.7 MB" in last, shown
    assert b"ETA" not in last, shown
    assert b"treesum: ./self: symbolic links in a loop: not followed\r\n" in shown, shown
    result, shown = on_terminal(world, "--quiet", "sparse")
    same(shown, b"", "shown with --quiet")


@case
def many_runs_in_a_row_end(world):
    for number in range(100):
        world.write(f"d{number % 10}/{number}", b"%d" % number)
    want = world.expected()
    for round in range(200):
        clean(world.treesum(procs=PROCS[round % 4]), want)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    chosen = sys.argv[2] if len(sys.argv) == 3 else ""
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="treesum-test.") as top:
        os.chmod(top, 0o755)  # everybody may run the copy: the build tree may be closed to others
        copy = shutil.copy(program, os.path.join(top, "treesum"))
        for function in CASES:
            name = function.__name__.replace("_", " ")
            if chosen not in function.__name__ and chosen not in name:
                continue
            place = tempfile.mkdtemp(prefix="treesum-test.", dir=place_in_memory())
            os.chmod(place, 0o755)
            began = time.monotonic()
            world = World(copy, place)
            try:
                function(world)
                passed += 1
                print(f"  passed  {name} ({time.monotonic() - began:.2f} s)", flush=True)
            except Exception as error:  # a case that breaks is a case that failed
                failed += 1
                print(f"  FAILED  {name}: {type(error).__name__}: {error}")
                if world.last:
                    print(f"    the last run: status {world.last.status}, stderr:")
                    print((world.last.err or b"").decode(errors="replace")[-4000:], flush=True)
            subprocess.run(["rm", "-rf", place], check=False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
