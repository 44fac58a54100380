// libmariadb: `select N` on a connection of each worker, and a counter of its own in a table.
//
// Each answer must be the number of its own question; the counter must hold how often its worker
// added to it. MYSQL_SOCKET names the server's socket.
#include "world.hpp"

#include <mysql.h>

namespace {

class questions : public world::client {
  public:
    explicit questions(int index) : index_(std::to_string(index)) {
        const bool is_connected =
            ::mysql_real_connect(c_.get(), nullptr, "rota", "", "test", 0,
                                 world::variable("MYSQL_SOCKET", "").c_str(), 0) != nullptr;
        world::require(is_connected, ::mysql_error(c_.get()));
        ask("insert into counter values(" + index_ + ", 0) on duplicate key update v = 0");
    }

    long op() override {
        const std::string number = std::to_string(++next_);
        world::require(
            ask("select concat(" + index_ + ", '-', " + number + ")") == index_ + "-" + number,
            "the answer to another question");
        if (next_ % 16 != 0) return 1;
        ask("update counter set v = v + 1 where id = " + index_);
        world::require(
            ask("select v from counter where id = " + index_) == std::to_string(next_ / 16),
            "the counter of another worker");
        return 3;
    }

  private:
    std::string ask(const std::string& sql) {
        const bool is_done = ::mysql_real_query(c_.get(), sql.data(), sql.size()) == 0;
        world::require(is_done, ::mysql_error(c_.get()));
        const std::unique_ptr<MYSQL_RES, decltype(&::mysql_free_result)> rows(
            ::mysql_store_result(c_.get()), ::mysql_free_result);
        if (rows == nullptr) return "";
        const MYSQL_ROW row = ::mysql_fetch_row(rows.get());
        return row != nullptr && row[0] != nullptr ? row[0] : "";
    }

    std::unique_ptr<MYSQL, decltype(&::mysql_close)> c_{::mysql_init(nullptr), ::mysql_close};
    const std::string index_;
    long next_ = 0;
};

}  // namespace

int main() {
    ::mysql_library_init(0, nullptr, nullptr);
    return world::measure("libmariadb", {}, world::each<questions>());
}
