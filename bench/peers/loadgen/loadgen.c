// TCP echo load generator: a single thread, epoll, a message in flight per connection.
//
//   loadgen echo PORT CONNS SECONDS SERVER_PID   requests/s, p50, p99, server CPU s per 1M requests
//   loadgen idle PORT CONNS SERVER_PID           server resident bytes per idle connection
//
// Prints one JSON object per metric: {"metric":..., "value":..., "unit":...}
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MSG = 64 };

struct conn { int fd; int got; uint64_t sent_at; };

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what) { perror(what); exit(1); }

// Log-linear histogram: 128 linear steps per power of two, from 1 ns.
static uint64_t hist[64 * 128];
static void record(uint64_t ns) {
    int e = ns < 128 ? 0 : 63 - __builtin_clzll(ns) - 6;
    hist[e * 128 + (int)(ns >> e)]++;
}
static double quantile(uint64_t total, double q) {
    uint64_t want = (uint64_t)(q * (double)total), seen = 0;
    for (int i = 0; i < 64 * 128; i++) {
        seen += hist[i];
        if (seen > want) return (double)((uint64_t)(i % 128) << (i / 128));
    }
    return 0;
}

static double cpu_of(int pid) {
    char path[64], buf[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    size_t n = fread(buf, 1, sizeof buf - 1, f);
    fclose(f);
    buf[n] = 0;
    unsigned long u = 0, s = 0;
    char *p = strrchr(buf, ')');
    static const char fields[] = "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu";
    if (!p || sscanf(p + 2, fields, &u, &s) != 2) die("stat");
    return (double)(u + s) / (double)sysconf(_SC_CLK_TCK);
}

static double rss_of(int pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    unsigned long total = 0, res = 0;
    if (fscanf(f, "%lu %lu", &total, &res) != 2) die("statm");
    fclose(f);
    return (double)res * (double)sysconf(_SC_PAGESIZE);
}

static int dial(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket");
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0) die("connect");
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void send_msg(int fd) {
    static const char msg[MSG] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde";
    if (send(fd, msg, MSG, MSG_NOSIGNAL) != MSG) die("send");
}

static void recv_msg(int fd) {
    char buf[MSG];
    for (int got = 0; got < MSG;) {
        ssize_t n = recv(fd, buf, (size_t)(MSG - got), 0);
        if (n <= 0) die("recv");
        got += (int)n;
    }
}

static int idle(int port, int conns, int pid) {
    int warm = dial(port);
    send_msg(warm);
    recv_msg(warm);
    usleep(200000);
    double before = rss_of(pid);
    int *fd = calloc((size_t)conns, sizeof *fd);
    for (int i = 0; i < conns; i++) {
        fd[i] = dial(port);
        send_msg(fd[i]);
        recv_msg(fd[i]);
    }
    usleep(500000);
    double per = (rss_of(pid) - before) / conns;
    printf("{\"metric\":\"rss\",\"value\":%.1f,\"unit\":\"B/conn\"}\n", per);
    return 0;
}

static int echo(int port, int conns, double seconds, int pid) {
    int ep = epoll_create1(0);
    struct conn *c = calloc((size_t)conns, sizeof *c);
    for (int i = 0; i < conns; i++) {
        c[i].fd = dial(port);
        send_msg(c[i].fd); // the server has accepted the connection and runs its handler
        recv_msg(c[i].fd);
        struct epoll_event ev = {.events = EPOLLIN, .data.ptr = &c[i]};
        if (epoll_ctl(ep, EPOLL_CTL_ADD, c[i].fd, &ev) < 0) die("epoll_ctl");
    }
    for (int i = 0; i < conns; i++) {
        c[i].sent_at = now_ns();
        send_msg(c[i].fd);
    }
    uint64_t begin = now_ns() + 500000000u, end = begin + (uint64_t)(seconds * 1e9), total = 0;
    int measuring = 0;
    double cpu = 0;
    struct epoll_event ev[512];
    for (;;) {
        uint64_t t = now_ns();
        if (!measuring && t >= begin) {
            measuring = 1;
            begin = t;
            cpu = cpu_of(pid);
        }
        if (t >= end) { end = t; break; }
        int n = epoll_wait(ep, ev, 512, 100);
        for (int i = 0; i < n; i++) {
            struct conn *k = ev[i].data.ptr;
            char buf[MSG];
            ssize_t r = recv(k->fd, buf, (size_t)(MSG - k->got), MSG_DONTWAIT);
            if (r < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (r <= 0) die("recv");
            k->got += (int)r;
            if (k->got < MSG) continue;
            uint64_t done = now_ns();
            if (measuring) {
                record(done - k->sent_at);
                total++;
            }
            k->got = 0;
            k->sent_at = done;
            send_msg(k->fd);
        }
    }
    cpu = cpu_of(pid) - cpu;
    double s = (double)(end - begin) / 1e9;
    printf("{\"metric\":\"rps\",\"value\":%.1f,\"unit\":\"req/s\"}\n", (double)total / s);
    printf("{\"metric\":\"p50\",\"value\":%.2f,\"unit\":\"us\"}\n", quantile(total, .50) / 1e3);
    printf("{\"metric\":\"p99\",\"value\":%.2f,\"unit\":\"us\"}\n", quantile(total, .99) / 1e3);
    cpu = cpu * 1e6 / (double)total;
    printf("{\"metric\":\"cpu\",\"value\":%.4f,\"unit\":\"CPU s/1M req\"}\n", cpu);
    return 0;
}

int main(int argc, char **argv) {
    struct rlimit rl;
    if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
        rl.rlim_cur = rl.rlim_max;
        setrlimit(RLIMIT_NOFILE, &rl);
    }
    if (argc == 6 && !strcmp(argv[1], "echo"))
        return echo(atoi(argv[2]), atoi(argv[3]), atof(argv[4]), atoi(argv[5]));
    if (argc == 5 && !strcmp(argv[1], "idle"))
        return idle(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    fprintf(stderr, "usage: loadgen echo PORT CONNS SECONDS PID | loadgen idle PORT CONNS PID\n");
    return 2;
}
