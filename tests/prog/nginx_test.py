#!/usr/bin/env python3
"""Our HTTP with nginx: behind our reverse proxy, before our servers, and crawled by our client.

Usage: nginx_test.py BUILD_DIR [FILTER]

What could go wrong: both of our ends agree on something that the server and proxy that half of the
net runs does not take for HTTP: how a kept connection goes on, where a body ends, what a range or a
tag is. Each nginx is a process of its own with its own config in a temporary directory; the socket
that it listens on is made here and handed down, so no port is guessed and nothing is waited for.
Where there is no nginx its tests are skipped, and say so.

Prints one line for each test and ends with `N passed, N failed`; exit status 1 if any failed, with
what each program has said. A program of ours that hangs is sent SIGQUIT, to show its goroutines.
"""
import contextlib
import gzip
import http.client
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import verdicts
import whole

TIME_LIMIT = 30  # seconds for one request or program; the longest takes one
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if "proxy" not in k.lower() and k not in ("GODEBUG", "GOTRACEBACK")}
LARGE = 6_000_000  # bytes: more than any buffer on the way
PAGES, DEAD = 40, 8  # of the site that is crawled

HTTP = """
daemon off; worker_processes 1; pid nginx.pid; error_log error.log info; {user}
events {{ worker_connections 256; }}
http {{
    access_log off; default_type application/octet-stream; client_max_body_size 0;
    types {{ text/html html; text/plain txt; }}
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    proxy_connect_timeout {limit}s; proxy_read_timeout {limit}s; proxy_send_timeout {limit}s;
    {upstreams}
    server {{ listen 127.0.0.1:{port}; root {root}; {server} }}
}}
"""
ORIGIN = """
    add_header X-Connection $connection always;
    location /packed/ { alias %(root)s/; gzip on; gzip_types *; gzip_min_length 1; }
    location /slow/ { alias %(root)s/; limit_rate 65536; }
    location /status { stub_status; }
    location /app/ { proxy_pass http://app/; proxy_http_version 1.1; proxy_set_header Connection "";
                     proxy_request_buffering off; }
"""
FRONT = """
    proxy_set_header Connection "";
    location /files/ { proxy_pass http://files; proxy_http_version 1.1; }
    location /unbuffered/ { proxy_pass http://files/files/; proxy_http_version 1.1;
                            proxy_buffering off; }
    location /old/ { proxy_pass http://files/files/; proxy_http_version 1.0; }
    location /app/ { proxy_pass http://app/; proxy_http_version 1.1; proxy_request_buffering off; }
    location /oldapp/ { proxy_pass http://app/; proxy_http_version 1.0; }
    location /hello/ { proxy_pass http://hello; proxy_http_version 1.1; }
    location /oldhello/ { proxy_pass http://hello/hello/; proxy_http_version 1.0; }
"""


class Wrong(Exception):
    """What a test has seen that must not be."""


def require(holds, what):
    if not holds:
        raise Wrong(what)


def until(is_met, what):
    end = time.monotonic() + TIME_LIMIT
    while not is_met():
        require(time.monotonic() < end, f"not so after {TIME_LIMIT} s: {what}")
        time.sleep(0.005)  # between two looks


class Nginx:
    """Serves `root` with the directives `server` until stop()."""

    def __init__(self, folder, root, server, port=0, **upstreams):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(64)
        self.port = listening.getsockname()[1]
        config = self.folder / "nginx.conf"
        config.write_text(HTTP.format(
            limit=TIME_LIMIT, port=self.port, root=root, server=server,
            user="user root;" if os.geteuid() == 0 else "",  # the folder is nobody else's
            upstreams="\n".join(f"upstream {name} {{ server 127.0.0.1:{at}; keepalive 4; }}"
                                for name, at in upstreams.items())))
        with listening, open(self.folder / "said", "ab") as said:
            os.set_inheritable(listening.fileno(), True)
            self.child = subprocess.Popen(
                [nginx_program(), "-p", f"{self.folder}/", "-e", "error.log", "-c", str(config)],
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
                pass_fds=(listening.fileno(),),
                env={**ENVIRONMENT, "NGINX": f"{listening.fileno()};"})
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        """At once, whatever it is doing; its worker with it."""
        self.child.terminate()
        try:
            self.child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()

    def close(self, show):
        ended = self.child.poll()
        self.stop()
        if show:
            print(f"--- nginx at port {self.port}, status {ended}")
            for name in ("said", "error.log"):
                if (self.folder / name).exists():
                    print((self.folder / name).read_text(errors="replace")[-3000:])


class Ours:
    """A server of ours, until close()."""

    def __init__(self, folder, *command):
        self.said = pathlib.Path(folder) / (pathlib.Path(command[0]).name + ".said")
        with open(self.said, "wb") as said:
            self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          stderr=said, text=True, env=ENVIRONMENT)
        timer = threading.Timer(TIME_LIMIT, self.child.kill)
        timer.start()
        line = self.child.stdout.readline()
        timer.cancel()
        require(line.startswith("PORT "), f"{command} says no port but {line!r}")
        self.port = int(line.split()[1])

    def socket_count(self):
        count = 0
        folder = f"/proc/{self.child.pid}/fd"
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                count += os.readlink(f"{folder}/{name}").startswith("socket:")
        return count

    def close(self, show):
        status = self.child.poll()
        if show and status is None:
            self.child.send_signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(timeout=5)
        self.child.kill()
        self.child.wait()
        self.child.stdin.close()
        self.child.stdout.close()
        if show:
            print(f"--- {self.child.args[0]}, status {status}")
            print(self.said.read_text(errors="replace")[-6000:])


class Client:
    """Python's client on one connection, which must last."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIME_LIMIT)
        self.connection.connect()
        self.socket = self.connection.sock

    def ask(self, method, path, body=None, chunked=False, **fields):
        """Status, fields, body; of a connection that is as good as before."""
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        require(self.connection.sock is self.socket, f"connection gone before {method} {path}")
        self.connection.request(method, path, body, fields, encode_chunked=chunked)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def expect(self, status, path, wanted=None, method="GET", **asked):
        """The fields of the answer, which must have this status and, if it is said, this body."""
        got, headers, text = self.ask(method, path, **asked)
        asked = {name: value for name, value in asked.items() if name != "body"}
        require(got == status, f"{method} {path} {asked}: {got} instead of {status}\n{headers}")
        if wanted is not None:
            require(text == wanted, f"{method} {path} {asked}: {len(text)} bytes, not the "
                                    f"{len(wanted)} wanted; they begin {text[:40]!r}\n{headers}")
        return headers


def nginx_program():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


class House:
    """The programs of one test, and the folder of files that is served."""

    def __init__(self, build, folder):
        self.build, self.folder = build, pathlib.Path(folder)
        self.root = self.folder / "site"
        self.root.mkdir()
        self.started = []
        self.large = random.Random(6).randbytes(LARGE)
        self.text = b"".join(b"line %d of a text\n" % i for i in range(20_000))
        (self.root / "large.bin").write_bytes(self.large)
        (self.root / "text.txt").write_bytes(self.text)
        (self.root / "small.txt").write_bytes(b"small")

    def nginx(self, name, server, **more):
        self.started.append(Nginx(self.folder / name, self.root, server, **more))
        return self.started[-1]

    def example(self, name, *words):
        self.started.append(Ours(self.folder, str(self.build / "examples" / name), *words))
        return self.started[-1]

    def interop(self):
        program = str(self.build / "tests/prog/prog_http_interop")
        self.started.append(Ours(self.folder, program, "server"))
        return self.started[-1]

    def close(self, show):
        for one in reversed(self.started):
            one.close(show)


def files_alike(c, house, at, folder):
    """What each way to the same files must show: whole, by parts, by tag and date, not at all."""
    for name, body in (("small.txt", b"small"), ("text.txt", house.text),
                       ("large.bin", house.large)):
        headers = c.expect(200, f"{folder}{name}", body)
        length, tag, date = (headers[n] for n in ("Content-Length", "ETag", "Last-Modified"))
        require(length == str(len(body)), f"{at}: Content-Length {length} of {name}")
        alone = c.expect(200, f"{folder}{name}", b"", method="HEAD")
        require(alone["Content-Length"] == length, f"{at}: HEAD of {name}: {alone}")
        c.expect(304, f"{folder}{name}", b"", If_None_Match=tag)
        c.expect(304, f"{folder}{name}", b"", If_Modified_Since=date)
        c.expect(200, f"{folder}{name}", body, If_None_Match='"another"')
        c.expect(412, f"{folder}{name}", If_Match='"another"')
    for given, wanted in (("0-99", house.large[:100]), ("4000000-", house.large[4_000_000:]),
                          ("-7", house.large[-7:]), ("1000-3000999", house.large[1000:3_001_000])):
        headers = c.expect(206, f"{folder}large.bin", wanted, Range=f"bytes={given}")
        require(headers["Content-Range"].endswith(f"/{LARGE}"), f"{at}: {given}: {headers}")
    c.expect(200, f"{folder}large.bin", house.large, Range="bytes=0-9", If_Range='"another"')
    c.expect(416, f"{folder}large.bin", Range=f"bytes={LARGE}-")
    status, headers, body = c.ask("GET", f"{folder}text.txt", Range="bytes=0-6,100-109")
    require(status == 206 and house.text[:7] in body and house.text[100:110] in body and
            headers.get_content_type() == "multipart/byteranges", f"{at}: {status} {headers}")
    c.expect(404, f"{folder}absent.txt")


def bodies_alike(c, house, at, folder):
    """What each way to the program with /echo must show: uploads with a length and in chunks."""
    pieces = [house.large[i:i + 70_000] for i in range(0, 2_000_000, 70_000)]
    whole_body = b"".join(pieces)
    c.expect(200, f"{folder}echo", b"hello", method="POST", body=b"hello")
    c.expect(200, f"{folder}echo", b"", method="POST", body=b"")
    c.expect(200, f"{folder}echo", whole_body, method="PUT", body=whole_body)
    c.expect(200, f"{folder}echo", whole_body, method="POST", body=iter(pieces), chunked=True,
             Transfer_Encoding="chunked")
    c.expect(200, f"{folder}stream", b"abc", method="POST", body=iter([b"a", b"bc"]),
             chunked=True, Transfer_Encoding="chunked")
    c.expect(200, f"{folder}chunks", b"z" * 300_000)
    c.expect(204, f"{folder}nothing", b"")
    headers = c.expect(200, f"{folder}echo", b"", method="HEAD")
    require(headers["X-Method"] == "HEAD", f"{at}: HEAD has become {headers['X-Method']}")


def behind_our_proxy(house):
    """nginx as the server behind examples/reverse_proxy."""
    app = house.interop()
    origin = house.nginx("origin", ORIGIN % {"root": house.root}, app=app.port)
    proxy = house.example("reverse_proxy", "127.0.0.1:0", origin.url)
    c = Client(proxy.port)
    seen = {c.expect(200, "/small.txt", b"small")["X-Connection"] for _ in range(50)}
    require(len(seen) == 1, f"50 requests in turn on the connections {sorted(seen)} to nginx")
    files_alike(c, house, "our proxy", "/")
    status, headers, body = c.ask("GET", "/packed/text.txt", Accept_Encoding="gzip")
    require(status == 200 and headers["Content-Encoding"] == "gzip", f"{status} {headers}")
    require(gzip.decompress(body) == house.text, "what nginx has packed and sent in chunks")
    bodies_alike(c, house, "our proxy", "/app/")


def that_goes_away(house):
    """nginx ends: while it answers, and for good; and it comes back."""
    origin = house.nginx("origin", ORIGIN % {"root": house.root}, app=1)
    proxy = house.example("reverse_proxy", "127.0.0.1:0", origin.url + "/")
    c = Client(proxy.port)
    c.expect(200, "/small.txt", b"small")

    def writing():
        asked = Client(origin.port)
        text = asked.ask("GET", "/status")[2]
        asked.connection.close()
        return int(re.search(rb"Writing: (\d+)", text)[1]) - 1  # but for this one

    cut = Client(proxy.port)
    cut.connection.request("GET", "/slow/large.bin")
    until(lambda: writing() == 1, "nginx answers the request for a large file")
    origin.stop()
    try:
        answer = cut.connection.getresponse()
        got, length = answer.status, len(answer.read())
    except (http.client.HTTPException, ConnectionError):
        got, length = "cut", 0
    require(got in ("cut", 502), f"half an answer has become one of {got}, {length} bytes")
    c = Client(proxy.port)
    c.expect(502, "/small.txt")
    c.expect(502, "/small.txt", method="POST", body=b"x")
    house.nginx("again", ORIGIN % {"root": house.root}, port=origin.port, app=1)
    c.expect(200, "/small.txt", b"small")


def before_our_servers(house):
    """nginx as the proxy before examples/fileserver, examples/http_hello and prog_http_interop."""
    files = house.example("fileserver", str(house.root), "127.0.0.1:0")
    hello = house.example("http_hello", "127.0.0.1:0")
    app = house.interop()
    front = house.nginx("front", FRONT, files=files.port, hello=hello.port, app=app.port)
    c = Client(front.port)
    for folder in ("/files/", "/unbuffered/", "/old/"):
        files_alike(c, house, folder, folder)
    for folder in ("/app/", "/oldapp/"):
        bodies_alike(c, house, folder, folder)
    for folder in ("/hello/", "/oldhello/"):
        c.expect(200, f"{folder}nginx", b"Hello, nginx!\n")
        c.expect(405, f"{folder}nginx", method="DELETE")


def keeps_its_connections_to_us(house):
    """nginx must find our connections worth keeping: one does for many requests in turn."""
    files = house.example("fileserver", str(house.root), "127.0.0.1:0")
    front = house.nginx("front", FRONT, files=files.port, hello=1, app=1)
    c = Client(front.port)
    before = files.socket_count()
    for i in range(60):
        name, body = (("small.txt", b"small"), ("text.txt", house.text))[i % 2]
        c.expect(200, f"/files/{name}", body)
        c.expect(404, "/files/absent")
        c.expect(304, "/files/small.txt", If_None_Match="*")
    more = files.socket_count() - before
    require(more == 1, f"{more} connections of nginx stand after 180 requests in turn, not 1")


def crawled(house):
    """examples/crawler on a site of nginx: every page once, redirects, dead links, bounds."""
    for i in range(PAGES):
        links = [2 * i + 1, 2 * i + 2, 0]
        page = "".join(f'<a href="/p{n}.html#top">' for n in links if n < PAGES)
        page += f'<a href="/dead{i}">' if i < DEAD else ""
        page += '<a href="//example.org/"><a href="http://example.org/">'
        page += '<a href="/folder">' if i == PAGES - 1 else ""
        (house.root / f"p{i}.html").write_text(page)
    (house.root / "folder").mkdir()
    (house.root / "folder/index.html").write_text("behind a redirect")
    site = house.nginx("site", "index index.html;")
    program = str(house.build / "examples/crawler")
    for words, wanted, pages in (
            ((f"{site.url}/p0.html", "1000", "4", "2000"),
             f"{PAGES + 1} pages, {DEAD} dead links\n", None),
            ((f"{site.url}/p0.html#part", "1000", "1", "100000"),
             f"{PAGES + 1} pages, {DEAD} dead links\n", None),
            ((f"{site.url}/p0.html", "12", "8", "1000"), None, 12)):
        status, out, err = whole.run([program, *words], TIME_LIMIT)
        require(status == 0 and not err, f"crawler {words}: {status}\n{out}\n{err}")
        require(wanted is None or out == wanted, f"crawler {words}: {out!r} instead of {wanted!r}")
        total = sum(int(n) for n in re.findall(r"\d+", out))
        require(pages is None or total == pages, f"crawler {words}: {out!r}, not {pages} in all")


def that_asks_us_again(house):
    """Requests in a circle: our proxy asks nginx, which asks our proxy."""
    circle = """location / { proxy_pass http://app; proxy_http_version 1.1;
                             add_header X-By nginx always; }
                location /loop { add_header X-Loop $http_cdn_loop always; return 204; }"""
    with socket.socket() as kept:  # so that nobody gets that port before nginx does
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        port = kept.getsockname()[1]
        proxy = house.example("reverse_proxy", "127.0.0.1:0", f"http://127.0.0.1:{port}")
        house.nginx("origin", circle, port=port, app=proxy.port)
    c = Client(proxy.port)
    for given in ({}, {"CDN-Loop": "another, rota-0"}):
        headers = c.expect(508, "/", **given)
        by = headers.get_all("X-By")
        require(by == ["nginx"], f"the answer comes by {by}, not once round")
    # Who says that the signatures are for one connection alone must not be rid of them.
    passed = c.expect(204, "/loop", **{"CDN-Loop": "another", "Connection": "CDN-Loop"})
    require(passed["X-Loop"].startswith("another"), f"CDN-Loop: {passed['X-Loop']} is passed on")
    second = house.example("reverse_proxy", "127.0.0.1:0",
                           f"http://127.0.0.1:{proxy.port}")
    Client(second.port).expect(508, "/", method="POST", body=b"x")


def arguments(house):
    """Help and refusals: status, and where what is said."""
    crawler, proxy = (str(house.build / "examples" / n) for n in ("crawler", "reverse_proxy"))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        port = nobody.getsockname()[1]
        for command, wanted, on_out, on_err in (
                ([crawler, "--help"], 0, "usage: crawler", ""),
                ([crawler, "no URL"], 2, "", "malformed URL; write http://"),
                ([crawler, "ftp://a/"], 2, "", "unsupported protocol scheme"),
                ([crawler, "http://a/", "0"], 2, "", "give a number from 1 to 100000"),
                ([crawler, "http://a/", "1", "2", "3", "4"], 2, "", "usage: crawler"),
                ([crawler, f"http://127.0.0.1:{port}/"], 1, "0 pages, 1 dead", "is it there"),
                ([proxy, "--help"], 0, "usage: reverse_proxy", ""),
                ([proxy, "127.0.0.1:0"], 2, "", "no URL behind the address"),
                ([proxy, "127.0.0.1:0", "http://a", "b"], 2, "", '"b" is no server'),
                ([proxy, "127.0.0.1:0", "http://a/?q"], 2, "", "leave it out"),
                ([proxy, f"127.0.0.1:{port}", "http://a"], 1, "", "already in use")):
            status, out, err = whole.run(command, TIME_LIMIT)
            require(status == wanted and on_out in out and on_err in err and
                    bool(out) == bool(on_out) and bool(err) == bool(on_err),
                    f"{command}: status {status} instead of {wanted}\n{out}\n{err}")


def run(test, build):
    """What is wrong with it, once all that it has started has said what it has to."""
    if test is not arguments and nginx_program() is None:
        return verdicts.SKIPPED + "no nginx found (./dev setup test installs it)"
    wrong = ""
    with tempfile.TemporaryDirectory() as folder:
        house = House(build, folder)
        try:
            test(house)
        except (Wrong, OSError, http.client.HTTPException) as e:
            wrong = f"{type(e).__name__}: {e}"
            print(f"--- {test.__name__}")
        finally:
            house.close(bool(wrong))
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    tests = (arguments, behind_our_proxy, that_goes_away, that_asks_us_again, before_our_servers,
             keeps_its_connections_to_us, crawled)
    return verdicts.run_all([(test.__name__, lambda test=test: run(test, build))
                             for test in tests], "".join(sys.argv[2:3]))


if __name__ == "__main__":
    sys.exit(main())
