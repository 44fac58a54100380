// libzmq: a REQ socket of each worker asks a ROUTER in a thread of the program, within the process.
//
// Each answer must be the question's own text. A socket goes from thread to thread with its
// goroutine: libzmq allows that.
#include "world.hpp"

#include <zmq.h>

namespace {

void* context = nullptr;
constexpr const char* place = "inproc://world";

using socket = std::unique_ptr<void, decltype(&::zmq_close)>;

class questions : public world::client {
  public:
    explicit questions(int index) : index_(std::to_string(index)) {
        world::require(::zmq_connect(s_.get(), place) == 0, ::zmq_strerror(::zmq_errno()));
    }

    long op() override {
        const std::string question = index_ + ":" + std::to_string(++next_);
        char answer[64];
        world::require(::zmq_send(s_.get(), question.data(), question.size(), 0) >= 0, "zmq_send");
        const int n = ::zmq_recv(s_.get(), answer, sizeof answer, 0);
        world::require(n >= 0, std::string("zmq_recv: ") + ::zmq_strerror(::zmq_errno()));
        world::require(std::string_view(answer, static_cast<std::size_t>(n)) == question,
                       "the answer to another question");
        return 1;
    }

  private:
    const socket s_{::zmq_socket(context, ZMQ_REQ), ::zmq_close};
    const std::string index_;
    long next_ = 0;
};

// Sends each part back as it came, until the context ends.
void answer_all(const socket& router) {
    for (;;) {
        zmq_msg_t part;
        ::zmq_msg_init(&part);
        if (::zmq_msg_recv(&part, router.get(), 0) < 0) return;
        const int more = ::zmq_msg_more(&part) != 0 ? ZMQ_SNDMORE : 0;
        if (::zmq_msg_send(&part, router.get(), more) < 0) return;
    }
}

}  // namespace

int main() {
    context = ::zmq_ctx_new();
    std::thread server([] {
        const socket router(::zmq_socket(context, ZMQ_ROUTER), ::zmq_close);
        if (::zmq_bind(router.get(), place) == 0) answer_all(router);
    });
    const int status = world::measure("libzmq", {.workers = 100}, world::each<questions>());
    ::zmq_ctx_shutdown(context);
    server.join();
    ::zmq_ctx_term(context);
    return status;
}
