#!/usr/bin/env bash
# The HTTP server under load: examples/http_hello, driven by wrk on this machine.
#
# Usage: demo_serve.sh [SECONDS]     5 by default
#
# ROTA_BUILD names the build directory (default: build/release). Prints requests a second, the
# percentiles of the latency, the processor time of a request, and errors. Exit status 0 only if
# there were answers and no errors. The server ends with the script, however that ends.
set -euo pipefail

build=${ROTA_BUILD:-build/release}
seconds=${1:-5}
connections=64

die() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || die "not a number of seconds: $seconds"
command -v wrk >/dev/null || die "there is no wrk: ./dev setup bench installs it"
server_program=$build/examples/http_hello
[[ -x $server_program ]] || die "no $server_program: build it first (./dev build release)"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/rota-demo.XXXXXX")
server=
finish() {
    if [[ -n $server ]]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf -- "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$server_program" 127.0.0.1:0 >"$scratch/port" 2>"$scratch/log" &
server=$!
port=
for ((i = 0; i < 200; ++i)); do
    port=$(sed -n 's/^PORT //p' "$scratch/port")
    [[ -n $port ]] && break
    kill -0 "$server" 2>/dev/null || die "the server has ended: $(cat "$scratch/log")"
    sleep 0.05
done
[[ -n $port ]] || die "the server names no port"

# Ticks that the server has used so far.
ticks() {
    local stat
    stat=$(<"/proc/$server/stat")
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    echo $((${12} + ${13}))
}

url=http://127.0.0.1:$port/hello/world
printf '== wrk on %s: %s s, %s connections\n' "$url" "$seconds" "$connections"
before=$(ticks)
wrk -t2 -c"$connections" -d"${seconds}s" --latency "$url" >"$scratch/wrk" 2>&1 &
wait $! || die "wrk failed: $(cat "$scratch/wrk")"
kill -0 "$server" 2>/dev/null || die "the server has ended: $(cat "$scratch/log")"
used=$(($(ticks) - before))

awk -v used="$used" -v hertz="$(getconf CLK_TCK)" '
    /^ +(50|75|90|99)%/ { latency = latency "  " $1 " " $2 }
    /requests in/ { requests = $1 }
    /^Requests\/sec/ { rate = $2 }
    /Socket errors/ { sub(/^ +/, ""); errors = $0 }
    /Non-2xx/ { sub(/^ +/, ""); wrong = $0 }
    END {
        if (requests + 0 == 0) { print "no answers"; exit 1 }
        printf "requests/s       %.0f\n", rate
        printf "latency        %s\n", latency
        printf "CPU a request    %.1f us of the server\n", used / hertz * 1e6 / requests
        printf "errors           %s\n", errors wrong == "" ? "none of " requests : errors " " wrong
        exit errors wrong != ""
    }' "$scratch/wrk" || die "that is not as it should be: $(cat "$scratch/wrk")"
[[ -s $scratch/log ]] && die "the server has said: $(cat "$scratch/log")"
exit 0
