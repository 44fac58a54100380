// The workloads of rota_bench: one function each, in the file that bears its name or its family's.
// A workload runs as the main goroutine and prints its results as JSON lines. The same workloads
// of the other runtimes, with the same names, are in peers/; what one operation is, for all of
// them, is said in peers/README.md. Each function here is the Go program of that name, line by
// line.
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
void time_slices_once();  // in a child of time_slices, whose line is not JSON
void trace_cost();
void tcp_echo_server();
void http_hello_server();

}  // namespace rota_bench
