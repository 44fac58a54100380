/* Attacks a server session of libnghttp2 as two published attacks do, and tells how it fares.
 *
 * Distributions mend a library without a change of its version number, so the number says nothing.
 * cmake/nghttp2.cmake compiles and runs this; the exit status is
 *
 *     0   both attacks are warded off
 *     1   CVE-2024-28182: a head may have any number of CONTINUATION frames
 *     2   CVE-2026-27135: a faulty frame behind the end of a session aborts the process
 *     3   no session could be made
 */
#include <nghttp2/nghttp2.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { fine, endless_head, aborts, no_session };
enum { data = 0, headers = 1, priority = 2, settings = 4, continuation = 9 };
enum { end_headers = 4, continuations = 1000 };

static uint8_t wire[64 + 9 * continuations];
static size_t size;

static void add(const void *bytes, size_t n) {
    memcpy(wire + size, bytes, n);
    size += n;
}

static void add_frame(int type, int flags, int stream, const char *payload, size_t n) {
    const uint8_t head[9] = {0, 0, (uint8_t)n, (uint8_t)type, (uint8_t)flags,
                             0, 0, 0, (uint8_t)stream};
    add(head, sizeof head);
    add(payload, n);
}

static void begin_wire(void) {
    size = 0;
    add("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    add_frame(settings, 0, 0, "", 0);
}

/* As a server does for which a client is too much. */
static int end_session(nghttp2_session *session, uint8_t flags, int32_t stream,
                       const uint8_t *bytes, size_t n, void *user) {
    (void)flags, (void)stream, (void)bytes, (void)n, (void)user;
    return nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static nghttp2_session *make_session(void) {
    nghttp2_session_callbacks *calls;
    nghttp2_session *session;
    if (nghttp2_session_callbacks_new(&calls) != 0) return NULL;
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, end_session);
    if (nghttp2_session_server_new(&session, calls, NULL) != 0) session = NULL;
    nghttp2_session_callbacks_del(calls);
    return session;
}

/* A head that goes on in frames without a byte. */
static int takes_endless_head(nghttp2_session *session) {
    begin_wire();
    add_frame(headers, 0, 1, "\x82", 1);
    for (int i = 0; i < continuations; ++i) add_frame(continuation, 0, 1, "", 0);
    const int is_taken = nghttp2_session_mem_recv(session, wire, size) == (ssize_t)size;
    return is_taken && nghttp2_session_want_read(session);
}

/* A body at which the session is ended, and behind it a frame of a wrong length. */
static void take_frame_behind_end(nghttp2_session *session) {
    begin_wire();
    add_frame(headers, end_headers, 1, "\x83\x86\x84\x41\x01" "a", 6);
    add_frame(data, 0, 1, "b", 1);
    add_frame(priority, 0, 1, "\0\0\0\0", 4);
    nghttp2_session_mem_recv(session, wire, size);
}

static void on_abort(int signal_number) {
    (void)signal_number;
    _exit(aborts);
}

int main(void) {
    nghttp2_session *first = make_session(), *second = make_session();
    if (first == NULL || second == NULL) return no_session;
    signal(SIGABRT, on_abort);
    if (takes_endless_head(first)) return endless_head;
    take_frame_behind_end(second);
    nghttp2_session_del(first);
    nghttp2_session_del(second);
    return fine;
}
