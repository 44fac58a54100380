#!/usr/bin/env bash
# The demonstration: treesum over a real tree, every line verified by sha256sum, then the tour.
#
# Usage: demo.sh [DIR]       DIR defaults to /usr/include
#        demo.sh --compare   treesum against find | xargs sha256sum over 20,000 files, medians of 5
#
# ROTA_BUILD names the build directory (default: build/release). Exit status 0 only if everything
# held: treesum read every file, sha256sum confirmed every line, and the tour saw what it set out to
# see; with --compare, the outputs are the same and treesum is not the slower one.
set -euo pipefail

build=${ROTA_BUILD:-build/release}
rounds=5

die() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

# Prints the path of a program of the build, wherever the generator put it.
program() {
    local place
    for place in "$build/examples/$1" "$build/$1" "$build/bin/$1"; do
        if [[ -f $place && -x $place ]]; then
            printf '%s\n' "$place"
            return
        fi
    done
    die "no $1 below $build: build it first (./dev build release), or set ROTA_BUILD"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/rota-demo.XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failed=0
fail() {
    printf 'demo: %s\n' "$*" >&2
    failed=1
}

# --- treesum, then sha256sum on what it printed ---------------------------------------------------

show_treesum() {
    local directory=$1 treesum lines status=0
    treesum=$(program treesum)
    printf '== treesum %s\n' "$directory"
    "$treesum" -- "$directory" >"$scratch/sums" || status=$?
    lines=$(wc -l <"$scratch/sums")
    if ((status > 1)); then
        fail "treesum ended with status $status"
    elif ((lines > 0)) && ! sha256sum -c --quiet -- "$scratch/sums"; then
        fail "sha256sum did not confirm all $lines lines of treesum"
    else
        printf 'sha256sum -c confirmed all %d lines.\n' "$lines"
    fi
    if ((status == 1)); then
        fail "treesum could not read everything below $directory: see its lines above"
    fi
}

show_tour() {
    local tour
    tour=$(program tour)
    printf '\n== '
    "$tour" || fail "the tour did not see all that it should: look for NOT seen above"
}

# --- the comparison -------------------------------------------------------------------------------

# 200 directories of 100 files; sizes from half a KiB to 16 KiB, as source trees have them.
make_tree() {
    local directory number size
    for number in {0..199}; do
        directory=$1/part-$((number % 10))/dir-$number
        mkdir -p "$directory"
        size=$((512 * (1 + number % 32)))
        head -c $((size * 100)) /dev/urandom | split -a 3 -d -b "$size" - "$directory/file-"
    done
}

with_treesum() { "$(program treesum)" -- "$1" >"$scratch/treesum.out" 2>"$scratch/treesum.err"; }

with_xargs() {
    find "$1" -type f -print0 | xargs -0 -P2 -n64 sha256sum >"$scratch/xargs.out"
}

# Runs a command and appends its wall time in microseconds to a file.
timed() {
    local into=$1 began ended
    shift
    began=${EPOCHREALTIME/[.,]/}
    "$@"
    ended=${EPOCHREALTIME/[.,]/}
    echo $((ended - began)) >>"$into"
}

median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

compare() {
    local tree=$scratch/tree round ours theirs
    program treesum >/dev/null
    printf '== treesum beside find | xargs -P2 -n64 sha256sum\n'
    make_tree "$tree"
    printf '%d files, %s\n' "$(find "$tree" -type f | wc -l)" \
        "$(du -sh --apparent-size "$tree" | cut -f1)"
    with_treesum "$tree"  # both find the files in the page cache
    with_xargs "$tree"
    for ((round = 0; round < rounds; ++round)); do
        timed "$scratch/ours" with_treesum "$tree"
        timed "$scratch/theirs" with_xargs "$tree"
    done
    LC_ALL=C sort -k 2 "$scratch/xargs.out" | cmp - "$scratch/treesum.out" ||
        die "treesum and sha256sum differ on $tree"
    ours=$(median "$scratch/ours")
    theirs=$(median "$scratch/theirs")
    awk -v ours="$ours" -v theirs="$theirs" -v rounds="$rounds" 'BEGIN {
        printf "treesum       %8.1f ms (median of %d)\n", ours / 1000, rounds
        printf "find | xargs  %8.1f ms (median of %d)\n", theirs / 1000, rounds
        printf "treesum takes %.2f of the time\n", ours / theirs
    }'
    ((ours <= theirs)) || die "treesum is the slower one"
}

case ${1-} in
--compare)
    compare
    ;;
-h | --help)
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    ;;
*)
    show_treesum "${1:-/usr/include}"
    show_tour
    exit "$failed"
    ;;
esac
