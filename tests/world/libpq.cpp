// libpq: `select N` on a connection of each worker. It blocks in poll() until the server answers.
//
// Each answer must be the number that its own question held. PGHOST and the like name the server.
#include "world.hpp"

#include <libpq-fe.h>

namespace {

class questions : public world::client {
  public:
    explicit questions(int index) : next_(static_cast<long>(index) * 1'000'000) {
        world::require(::PQstatus(c_.get()) == CONNECTION_OK, ::PQerrorMessage(c_.get()));
    }

    long op() override {
        const std::string number = std::to_string(++next_);
        const std::unique_ptr<PGresult, decltype(&::PQclear)> answer(
            ::PQexec(c_.get(), ("select " + number).c_str()), ::PQclear);
        world::require(::PQresultStatus(answer.get()) == PGRES_TUPLES_OK,
                       ::PQerrorMessage(c_.get()));
        world::require(::PQgetvalue(answer.get(), 0, 0) == number,
                       "the answer to another question");
        return 1;
    }

  private:
    std::unique_ptr<PGconn, decltype(&::PQfinish)> c_{::PQconnectdb(""), ::PQfinish};
    long next_;
};

}  // namespace

int main() { return world::measure("libpq", {}, world::each<questions>()); }
