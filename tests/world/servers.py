"""Servers for the programs of tests/world: each in a directory of its own, on Unix sockets where it
can, and stopped when its `with` is left. As root they run as their packages' users; without that
user, as `nobody`. The kernel ends them too if this process dies."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 60  # how long a server may take to answer
CONNECTIONS = 2200  # those of 1,000 workers, and those of the round before that are still ending


class Missing(Exception):
    """A server that cannot be had here: the text says what to install."""


def program(name, package, *places):
    found = shutil.which(name, path=os.pathsep.join((*places, os.environ.get("PATH", ""),
                                                     "/usr/sbin", "/sbin")))
    if found is None:
        raise Missing(f"there is no {name}: the package {package} is not installed")
    return found


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Place:
    """A temporary directory of a server's user."""

    def __init__(self, user):
        self.user = None
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="rota-world-"))
        if os.geteuid() == 0:
            try:
                self.user = pwd.getpwnam(user)
            except KeyError:
                self.user = pwd.getpwnam("nobody")
            os.chown(self.path, self.user.pw_uid, self.user.pw_gid)
        self.path.chmod(0o755)

    def command(self, words):
        demotion = []
        if self.user is not None:
            demotion = ["--reuid", str(self.user.pw_uid), "--regid", str(self.user.pw_gid),
                        "--clear-groups"]
        return ["setpriv", "--pdeathsig", "KILL", *demotion, "--", *map(str, words)]

    def run(self, *words):
        done = subprocess.run(self.command(words), cwd=self.path, text=True, timeout=START_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{words[0]}: exit status {done.returncode}\n{done.stdout}")

    def write(self, name, text):
        (self.path / name).write_text(text)
        return self.path / name

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


@contextlib.contextmanager
def server(place, words, answers, stop=signal.SIGTERM):
    """Runs a server until the `with` ends. `answers` tells whether it serves."""
    log = place.path / "output.log"
    with open(log, "wb") as out:
        child = subprocess.Popen(place.command(words), cwd=place.path, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + START_S
        while not answers():
            if child.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{words[0]} does not serve\n{log.read_text(errors='replace')}")
            time.sleep(0.02)
        yield
    finally:
        if child.poll() is None:
            child.send_signal(stop)
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def place_of(user):
    place = Place(user)
    try:
        yield place
    finally:
        place.remove()


def accepts(address):
    """A call that tells whether somebody accepts at a port of 127.0.0.1, or at a socket's path."""
    def asks():
        family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
        with socket.socket(family) as s:
            s.settimeout(5)
            try:
                s.connect(("127.0.0.1", address) if family == socket.AF_INET else str(address))
                return True
            except OSError:
                return False
    return asks


# --- the servers: each yields the variables of its program --------------------------------------

@contextlib.contextmanager
def nothing():
    yield {}


@contextlib.contextmanager
def postgresql():
    places = [str(p) for p in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"),
                                     key=lambda p: int(p.parent.name), reverse=True)]
    initdb = program("initdb", "postgresql", *places)
    postgres = program("postgres", "postgresql", *places)
    with place_of("postgres") as at:
        at.run(initdb, "-D", at.path / "data", "-U", "rota", "-A", "trust", "--no-sync")
        sock = at.path / ".s.PGSQL.5432"
        words = [postgres, "-D", at.path / "data", "-k", at.path]
        for setting in ("listen_addresses=", "port=5432", f"max_connections={CONNECTIONS}",
                        "fsync=off", "shared_buffers=32MB"):
            words += ["-c", setting]
        with server(at, words, accepts(sock), signal.SIGINT):
            yield {"PGHOST": str(at.path), "PGPORT": "5432", "PGUSER": "rota",
                   "PGDATABASE": "postgres"}


@contextlib.contextmanager
def redis():
    with place_of("redis") as at:
        sock = at.path / "redis.sock"
        words = [program("redis-server", "redis-server"), "--port", "0", "--unixsocket", sock,
                 "--unixsocketperm", "777", "--save", "", "--appendonly", "no",
                 # hiredis connects without blocking, and fails while the queue is full.
                 "--tcp-backlog", "4096"]
        with server(at, words, accepts(sock)):
            yield {"REDIS_SOCKET": str(sock)}


NGINX = """
daemon off; worker_processes 1; pid nginx.pid; error_log error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off; default_type text/plain; keepalive_requests 1000000;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{plain} backlog=4096; listen 127.0.0.1:{tls} ssl backlog=4096;
        ssl_certificate cert.pem; ssl_certificate_key key.pem;
        location / {{ return 200 $request_uri; }}
    }}
}}
"""


@contextlib.contextmanager
def nginx():
    executable = program("nginx", "nginx-light")
    with place_of("www-data") as at:
        plain, tls = free_port(), free_port()
        config = at.write("nginx.conf", NGINX.format(plain=plain, tls=tls))
        at.run(program("openssl", "openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
               "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
               "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
        words = [executable, "-p", at.path, "-c", config, "-e", at.path / "error.log"]
        with server(at, words, accepts(tls)):
            yield {"CURL_BASE": f"http://127.0.0.1:{plain}",
                   "CURL_BASE_TLS": f"https://127.0.0.1:{tls}",
                   "CURL_AUTHORITY": str(at.path / "cert.pem")}


@contextlib.contextmanager
def mariadb():
    install = program("mariadb-install-db", "mariadb-server")
    daemon = program("mariadbd", "mariadb-server")
    with place_of("mysql") as at:
        data, sock = at.path / "data", at.path / "mariadb.sock"
        at.run(install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method="
               "normal", "--skip-test-db")
        first = at.write("first.sql", "create user rota@localhost;\ncreate database test;\n"
                         "grant all on test.* to rota@localhost;\n"
                         "create table test.counter(id int primary key, v bigint);\n")
        words = [daemon, "--no-defaults", f"--datadir={data}", f"--socket={sock}",
                 "--skip-networking", f"--init-file={first}", f"--max-connections={CONNECTIONS}",
                 f"--pid-file={at.path}/pid", "--innodb-flush-log-at-trx-commit=0",
                 "--thread-handling=pool-of-threads"]
        with server(at, words, accepts(sock)):
            yield {"MYSQL_SOCKET": str(sock)}
