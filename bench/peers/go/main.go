// Command peers measures the Go runtime: one subcommand per workload.
//
//	peers [-procs N] [-addr host:port] workload
//
// Every result is one JSON line on stdout.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	procs = flag.Int("procs", envInt("PROCS", 2), "GOMAXPROCS")
	addr  = flag.String("addr", "127.0.0.1:0", "listen address of the servers")
	peer  = envStr("PEER", "go")
	repMS = envInt("BENCH_MS", 1000)
	reps  = max(1, envInt("BENCH_REPS", 5))
)

func envInt(k string, d int) int {
	if v, err := strconv.Atoi(os.Getenv(k)); err == nil {
		return v
	}
	return d
}

func envStr(k, d string) string {
	if v := os.Getenv(k); v != "" {
		return v
	}
	return d
}

func emit(workload string, value float64, unit string) {
	fmt.Printf("{\"peer\":%q,\"workload\":%q,\"procs\":%d,\"value\":%.6g,\"unit\":%q}\n",
		peer, workload, *procs, value, unit)
}

func median(v []float64) float64 {
	s := append([]float64(nil), v...)
	sort.Float64s(s)
	return s[len(s)/2]
}

func pct(sorted []float64, p float64) float64 {
	i := int(p * float64(len(sorted)))
	if i >= len(sorted) {
		i = len(sorted) - 1
	}
	return sorted[i]
}

// bench calibrates f to about BENCH_MS per repetition and emits the median
// over the repetitions of nanoseconds per iteration. step is the granularity
// of the iteration count.
func bench(workload string, step int, f func(n int)) {
	n := step
	target := time.Duration(repMS) * time.Millisecond
	for {
		t := time.Now()
		f(n)
		d := time.Since(t)
		if d >= target/8 {
			n = int(float64(n) * float64(target) / float64(d))
			break
		}
		if d < time.Millisecond {
			n *= 10
		} else {
			n = int(float64(n) * float64(target) / float64(d) / 4)
		}
		n = (n + step - 1) / step * step
	}
	n = max((n+step-1)/step*step, step)
	var v []float64
	for range reps {
		t := time.Now()
		f(n)
		v = append(v, float64(time.Since(t))/float64(n))
	}
	emit(workload, median(v), "ns/op")
}

// benchMS emits the median of the repetitions of f in milliseconds, after a warm-up run.
func benchMS(workload string, f func()) {
	f()
	var v []float64
	for range reps {
		t := time.Now()
		f()
		v = append(v, float64(time.Since(t))/1e6)
	}
	emit(workload, median(v), "ms")
}

func rss() float64 {
	b, _ := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	p, _ := strconv.Atoi(f[1])
	return float64(p) * 4096
}

func cpuSeconds() float64 {
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	return float64(ru.Utime.Nano()+ru.Stime.Nano()) / 1e9
}

func threads() float64 {
	e, _ := os.ReadDir("/proc/self/task")
	return float64(len(e))
}

var workloads = map[string]func(){}

func main() {
	flag.Parse()
	if flag.NArg() != 1 || workloads[flag.Arg(0)] == nil {
		var names []string
		for k := range workloads {
			names = append(names, k)
		}
		sort.Strings(names)
		fmt.Fprintln(os.Stderr, "workloads:", strings.Join(names, " "))
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*procs)
	workloads[flag.Arg(0)]()
}
