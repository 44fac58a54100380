// For tests that change GOMAXPROCS: the tests behind them find it as it was.
#pragma once

#include <rota/runtime.hpp>

namespace rota_test {

// Puts the number back at the end.
class gomaxprocs_restored {
  public:
    gomaxprocs_restored() = default;
    ~gomaxprocs_restored() { rota::runtime::gomaxprocs(before_); }
    gomaxprocs_restored(const gomaxprocs_restored&) = delete;
    gomaxprocs_restored& operator=(const gomaxprocs_restored&) = delete;
    int before() const { return before_; }

  private:
    int before_ = rota::runtime::gomaxprocs();
};

}  // namespace rota_test
