#!/usr/bin/env python3
"""Lets clients that are not ours speak with prog_http2: openssl s_client, curl, h2load, nghttp.

Usage: tls_test.py BUILD_DIR

What could go wrong: our two ends understand each other and nobody else. Each client must get whole
answers, over TLS and without, of HTTP/1.1 and HTTP/2; a server that is told to end must end with
status 0. A client that is not installed is skipped, and said so. With ROTA_TEST_LONG h2load and
curl ask 100,000 times each.

Prints one line for each case and ends with `N passed, N failed`; exit status 1 if any failed.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LONG = "ROTA_TEST_LONG" in os.environ
LIMIT = 600 if LONG else 60  # seconds for one client; the longest takes 15, or a tenth of one
LARGE = 1_000_000  # what /large answers with


def run(*command, given=""):
    try:
        done = subprocess.run(command, input=given.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return f"hung for {LIMIT} s", (e.stdout or b"").decode(errors="replace")


def openssl_cases(plain, tls, cert):
    request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    client = ("openssl", "s_client", "-connect", f"127.0.0.1:{tls}", "-CAfile", cert, "-ign_eof",
              "-verify_return_error", "-verify_hostname", "localhost", "-quiet")
    for version in ("-tls1_2", "-tls1_3"):
        yield f"s_client {version}", client + (version,), request, "GET a"
    # K and k at the beginning of a line: a key update, with an answer and without.
    update = tuple(word for word in client if word not in ("-quiet", "-ign_eof"))
    yield "s_client key update", update + ("-tls1_3",), "K\nk\n" + request + "\n", "KEYUPDATE"


def curl_cases(plain, tls, cert):
    curl = ("curl", "-sS", "--max-time", "20", "--cacert", cert)
    for version in ("--http1.1", "--http2"):
        yield f"curl {version} https", curl + (version, f"https://localhost:{tls}/"), "", "GET loc"
        size = ("-o", "/dev/null", "-w", "%{size_download}")
        yield (f"curl {version} large", curl + (version, *size, f"https://localhost:{tls}/large"),
               "", str(LARGE))
        yield (f"curl {version} upload", curl + (version, "--data-binary", "@-",
                                                 f"https://localhost:{tls}/length"),
               "x" * LARGE, str(LARGE))
        yield (f"curl {version} failing", curl + (version, "-o", "/dev/null", "-w", "%{http_code}",
                                                  f"https://localhost:{tls}/throw"), "", "500")
    yield ("curl prior knowledge", curl + ("--http2-prior-knowledge", f"http://127.0.0.1:{plain}/"),
           "", "GET 127")
    if LONG:
        # Each answer's status and version: lines of one kind. Not without TLS: there curl 7.88
        # fails with its second request on a connection, whoever serves.
        ask = ("curl", "-sS", "--cacert", cert, "--http2", "-o", "/dev/null", "-w",
               r"%{http_code} %{http_version}\n", f"https://localhost:{tls}/[1-100000]")
        yield ("curl 100,000", ("sh", "-c", '"$@" | sort | uniq -c | sed "s/^ *//"', "sh", *ask),
               "", "100000 200 2\n")
    yield ("curl without our root", ("curl", "-sS", f"https://localhost:{tls}/"), "",
           "SSL certificate problem")


def h2load_cases(plain, tls, cert):
    count = "50000" if LONG else "500"
    for scheme, port in (("https", tls), ("http", plain)):
        yield (f"h2load {scheme}", ("h2load", "-n", count, "-c", "4", "-m", "20",
                                    f"{scheme}://localhost:{port}/"), "",
               f"{count} succeeded, 0 failed, 0 errored")


def nghttp_cases(plain, tls, cert):
    for scheme, port in (("https", tls), ("http", plain)):
        yield (f"nghttp {scheme}", ("sh", "-c", '"$@" | grep -c "  200   "', "sh", "nghttp", "-s",
                                    "-n", "-m", "50", f"{scheme}://localhost:{port}/"), "", "50\n")


def main():
    build = pathlib.Path(sys.argv[1])
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
        if shutil.which("openssl") is None:
            print("skipped: no openssl to make a certificate with\n0 passed, 0 failed")
            return 0
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        server = subprocess.Popen([build / "tests/prog/prog_http2", cert, key],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        _, plain, tls = server.stdout.readline().split()
        for client, cases in (("openssl", openssl_cases), ("curl", curl_cases),
                              ("h2load", h2load_cases), ("nghttp", nghttp_cases)):
            if shutil.which(client) is None:
                print(f"skipped: {client} is not installed")
                continue
            for name, command, given, wanted in cases(plain, tls, cert):
                status, said = run(*command, given=given)
                good = wanted in said and not str(status).startswith("hung")
                passed, failed = (passed + 1, failed) if good else (passed, failed + 1)
                print(f"{'ok' if good else 'FAILED':<6} {name}", flush=True)
                if not good:
                    print(f"wanted {wanted!r}, status {status}:\n{said[-2000:]}")
        try:
            _, complaints = server.communicate("", timeout=LIMIT)
        except subprocess.TimeoutExpired:
            server.kill()
            complaints = "the server does not end"
        if server.returncode != 0:
            failed += 1
            print(f"FAILED the server: status {server.returncode}\n{complaints[-3000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
