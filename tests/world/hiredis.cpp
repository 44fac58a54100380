// hiredis: pipelines of twenty INCR and a GET on a connection of each worker.
//
// A key belongs to one worker, so that its values must follow each other without a gap.
// REDIS_SOCKET names the server's socket.
#include "world.hpp"

#include <hiredis/hiredis.h>

namespace {

class counter : public world::client {
  public:
    explicit counter(int index) : key_("worker:" + std::to_string(index)) {
        world::require(c_ != nullptr && c_->err == 0, c_ != nullptr ? c_->errstr : "no memory");
        value_ = ask("SET %s 0").integer;
    }

    long op() override {
        constexpr int depth = 20;
        for (int i = 0; i < depth; ++i)
            world::require(::redisAppendCommand(c_.get(), "INCR %s", key_.c_str()) == REDIS_OK,
                           "INCR");
        for (int i = 0; i < depth; ++i) {
            void* answer = nullptr;
            const bool is_there = ::redisGetReply(c_.get(), &answer) == REDIS_OK;
            world::require(is_there, c_->errstr);
            const reply r(static_cast<redisReply*>(answer), ::freeReplyObject);
            world::require(r->integer == ++value_, "the count of another key");
        }
        world::require(ask("GET %s").text == std::to_string(value_), "the value of another key");
        return depth + 1;
    }

  private:
    using reply = std::unique_ptr<redisReply, decltype(&::freeReplyObject)>;
    struct answer {
        long long integer;
        std::string text;
    };

    answer ask(const char* format) {
        const reply r(static_cast<redisReply*>(::redisCommand(c_.get(), format, key_.c_str())),
                      ::freeReplyObject);
        world::require(r != nullptr, c_->errstr);
        return {r->integer, {r->str != nullptr ? r->str : "", r->len}};
    }

    std::unique_ptr<redisContext, decltype(&::redisFree)> c_{
        ::redisConnectUnix(world::variable("REDIS_SOCKET", "redis.sock").c_str()), ::redisFree};
    std::string key_;
    long long value_ = 0;
};

}  // namespace

int main() { return world::measure("hiredis", {}, world::each<counter>()); }
