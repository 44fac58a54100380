#!/usr/bin/env bash
# The rude demonstration: goroutines that compute without end or block inside libpq, and others that
# get their turns all the same.
#
# Usage: demo_rude.sh [CONNECTIONS [REQUESTS [SECONDS]]]      defaults: 50, 1000, 5; some 30 s
#
# 1. Two Fibonacci hogs at GOMAXPROCS=1, then the same with the scheduler's own trace.
# 2. A PostgreSQL of its own on a free port, which ends with the script; a thousand goroutines on
#    two processors use it through libpq. At the end, a row for each way to send short queries: in
#    threads, in goroutines, and in goroutines that librota_hook.so parks (docs/hook.md).
#
# ROTA_BUILD names the build directory (default: build/release). Exit status 0 only if everything
# was seen. PostgreSQL refuses to run as root: then the server runs as the user postgres.
set -euo pipefail

build=${ROTA_BUILD:-build/release}
connections=${1:-50}

die() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

case ${1-} in
-h | --help)
    sed -n '2,14s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac

for name in fibonacci_hogs blocking_client; do
    [[ -x $build/examples/$name ]] ||
        die "no $build/examples/$name: build it first (./dev demo rude does), or set ROTA_BUILD"
done

build=$(cd -- "$build" && pwd)
hook=$build/hook/librota_hook.so
[[ -f $hook ]] || die "no $hook: build it first (./dev demo rude does), or set ROTA_BUILD"

# --- the server -----------------------------------------------------------------------------------

scratch=$(mktemp -d "${TMPDIR:-/tmp}/rota-rude.XXXXXX")
server=''
as_server=()

finish() {
    if [[ -n $server ]]; then
        "${as_server[@]}" "$bin/pg_ctl" -D "$scratch/data" -m immediate -s stop || true
    fi
    rm -rf -- "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The directory of the newest server that is installed.
server_programs() {
    local found
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin/pg_ctl | sort -V | tail -n 1)
    [[ -x $found ]] || die "no PostgreSQL below /usr/lib/postgresql: ./dev setup rude installs it"
    dirname -- "$found"
}

free_port() {
    python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

start_server() {
    bin=$(server_programs)
    if ((EUID == 0)); then
        as_server=(setpriv --reuid postgres --regid postgres --init-groups)
        chown postgres: "$scratch"
    fi
    cd "$scratch" # the server's user may not enter the caller's directory
    if ! "${as_server[@]}" "$bin/initdb" -D "$scratch/data" -U rota -A trust --no-sync \
        >"$scratch/initdb.log" 2>&1; then
        cat "$scratch/initdb.log" >&2
        die "initdb failed"
    fi
    export PGHOST=127.0.0.1 PGUSER=rota PGDATABASE=postgres PGPORT
    PGPORT=$(free_port)
    server=yes
    if ! "${as_server[@]}" "$bin/pg_ctl" -D "$scratch/data" -l "$scratch/server.log" -s -w -t 60 \
        -o "-p $PGPORT -c listen_addresses=$PGHOST -c unix_socket_directories= \
            -c max_connections=$((connections + 220)) -c fsync=off" start >/dev/null; then
        cat "$scratch/server.log" >&2
        die "PostgreSQL did not start"
    fi
}

# --- what is shown --------------------------------------------------------------------------------

failed=0

printf '== two Fibonacci hogs and a ticker, GOMAXPROCS=1\n'
"$build/examples/fibonacci_hogs" || failed=1

printf '\n== the same with GODEBUG=schedtrace=100\n'
GODEBUG=schedtrace=100 "$build/examples/fibonacci_hogs" || failed=1

printf '\n== goroutines inside libpq, GOMAXPROCS=2\n'
start_server
GOMAXPROCS=2 "$build/examples/blocking_client" "$@" || failed=1
GOMAXPROCS=2 LD_PRELOAD=$hook "$build/examples/blocking_client" hook || failed=1

((failed == 0)) || die "not everything was seen"
