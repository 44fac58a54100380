// sqlite3: each worker has a connection to one file (write-ahead log), with 15 reads to each write.
//
// A write moves 1 from one account to another; the sum over the accounts must stay the same in
// every read and at the end. Writers meet the busy handler, which sleeps in nanosleep().
#include "world.hpp"

#include <sqlite3.h>
#include <unistd.h>

namespace {

constexpr int accounts = 64, each_has = 1000;
const std::string file = "world-" + std::to_string(::getpid()) + ".db";

class bank : public world::client {
  public:
    explicit bank(int index) : index_(index) {
        sqlite3* opened = nullptr;
        const int code = ::sqlite3_open(file.c_str(), &opened);
        c_.reset(opened);
        world::require(code == SQLITE_OK, "open: " + file);
        ::sqlite3_busy_timeout(opened, 60'000);
        ask("pragma synchronous = off");
    }

    long ask(const std::string& sql) {
        long value = 0;
        char* error = nullptr;
        const auto take = [](void* to, int, char** columns, char**) {
            *static_cast<long*>(to) = columns[0] != nullptr ? std::atol(columns[0]) : 0;
            return 0;
        };
        if (::sqlite3_exec(c_.get(), sql.c_str(), take, &value, &error) == SQLITE_OK) return value;
        const std::unique_ptr<char, decltype(&::sqlite3_free)> text(error, ::sqlite3_free);
        world::wrong(sql + ": " + error);
    }

    long op() override {
        if (++count_ % 16 == index_ % 16) {
            ask("begin immediate");
            ask("update account set v = v - 1 where id = " + std::to_string(count_ % accounts));
            ask("update account set v = v + 1 where id = " + std::to_string(index_ % accounts));
            ask("commit");
        } else {
            world::require(ask("select sum(v) from account") == accounts * each_has,
                           "the sum of all accounts changed");
        }
        return 1;
    }

  private:
    std::unique_ptr<sqlite3, decltype(&::sqlite3_close)> c_{nullptr, ::sqlite3_close};
    const int index_;
    int count_ = 0;
};

std::string balance() {
    const long sum = bank(0).ask("select sum(v) from account");
    return sum == accounts * each_has ? "" : "the sum at the end is " + std::to_string(sum);
}

}  // namespace

int main() {
    {
        bank first(0);
        first.ask("pragma journal_mode = wal");
        first.ask("create table account(id integer primary key, v integer)");
        for (int i = 0; i < accounts; ++i)
            first.ask("insert into account values(" + std::to_string(i) + ", " +
                      std::to_string(each_has) + ")");
    }
    return world::measure("sqlite3", {.workers = 50, .balance = balance}, world::each<bank>());
}
