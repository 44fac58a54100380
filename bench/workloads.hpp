// The workloads of rota_bench: a function each, in the file with its name or the name of its
// family. A workload runs as the main goroutine and prints its results as JSON lines. peers/ has
// the workloads of the other runtimes, under the same names; peers/README.md defines an operation
// of each. Each function here follows the Go program of that name, line by line.
#pragma once

namespace rota_bench {

void spawn();
void spawn_wake();
void yield();
void ping_pong();
void chan_spsc();
void chan_mpmc();
void chan_unbuffered_mpmc();
void select_2();
void select_default();
void mutex_uncontended();
void mutex_contended();
void rwmutex_read();
void waitgroup_fanout();
void skynet();
void fib_forkjoin();
void parallel_sum();
void parked_100k();
void parked_1m();
void sleep_100k();
void timer_reset();
void preempt();
void syscall_handoff();
void gomaxprocs_change();
void time_slices();
void time_slices_once();  // runs in a child of time_slices, and prints no JSON
void trace_cost();
void tcp_echo_server();
void http_hello_server();

}  // namespace rota_bench
