// librdkafka: the workers share a producer; its brokers are the library's own mock cluster.
//
// A worker sends ten messages and serves the producer's events until the reports of its messages
// have come; other workers may serve some of these. Each report must name its own message's text.
#include "world.hpp"

#include <librdkafka/rdkafka.h>

namespace {

rd_kafka_t* producer = nullptr;
constexpr int batch = 10;

struct report {
    std::string text;
    std::atomic<int> state{0};  // 0: none yet; 1: delivered; 2: wrong
};

void delivered(rd_kafka_t*, const rd_kafka_message_t* m, void*) {
    auto& r = *static_cast<report*>(m->_private);
    const std::string_view text(static_cast<const char*>(m->payload), m->len);
    r.state = m->err == RD_KAFKA_RESP_ERR_NO_ERROR && text == r.text ? 1 : 2;
}

class messages : public world::client {
  public:
    explicit messages(int index) : index_(std::to_string(index)) {}

    long op() override {
        for (report& r : reports_) {
            r.text = index_ + ":" + std::to_string(++next_);
            r.state = 0;
            const rd_kafka_resp_err_t error = ::rd_kafka_producev(
                producer, RD_KAFKA_V_TOPIC("world"), RD_KAFKA_V_VALUE(r.text.data(), r.text.size()),
                RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(&r), RD_KAFKA_V_END);
            world::require(error == RD_KAFKA_RESP_ERR_NO_ERROR, ::rd_kafka_err2str(error));
        }
        for (const report& r : reports_) {
            while (r.state == 0) ::rd_kafka_poll(producer, 5);
            world::require(r.state == 1, "not delivered, or the report of another message");
        }
        return batch;
    }

  private:
    const std::string index_;
    long next_ = 0;
    report reports_[batch];
};

void set(rd_kafka_conf_t* to, const char* name, const char* value) {
    char error[256];
    if (::rd_kafka_conf_set(to, name, value, error, sizeof error) != RD_KAFKA_CONF_OK)
        world::wrong(error);
}

}  // namespace

int main() {
    char error[256] = "";
    rd_kafka_conf_t* const conf = ::rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    set(conf, "linger.ms", "1");
    set(conf, "log_level", "3");
    ::rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    producer = ::rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
    if (producer == nullptr) {
        std::printf("wrong: librdkafka: %s\n", error);
        return 1;
    }
    const int status = world::measure("librdkafka", {.workers = 50}, world::each<messages>());
    ::rd_kafka_destroy(producer);
    return status;
}
