// Shared by storms of connections: changes of GOMAXPROCS beside them, and the check that they leave
// nothing behind.
#pragma once

#include "../api/sockets.hpp"
#include "../gomaxprocs_restored.hpp"
#include "load.hpp"

namespace rota_test {

// Changes the number while the box is open, and restores it at the end.
inline void change_processors(const time_box& box) {
    const gomaxprocs_restored at_end;
    choices choose(99);
    while (box.open()) {
        constexpr int numbers[] = {1, 2, 16, 3, 64};
        rota::runtime::gomaxprocs(numbers[choose.below(std::size(numbers))]);
        rota::sleep_for(std::chrono::milliseconds(1));
    }
}

// The numbers of goroutines and descriptors before a storm, which must be the same after it.
class base_line {
  public:
    base_line() {
        (void)connected();  // opens the descriptors that the poller keeps
        descriptors_ = open_descriptors();
        goroutines_ = rota::runtime::num_goroutine();
    }
    void expect() const {
        EXPECT_TRUE(eventually([&] { return rota::runtime::num_goroutine() <= goroutines_; }))
            << rota::runtime::num_goroutine() << " goroutines, before: " << goroutines_;
        EXPECT_TRUE(eventually([&] { return open_descriptors() <= descriptors_; }))
            << open_descriptors() << " descriptors, before: " << descriptors_;
    }

  private:
    int descriptors_ = 0, goroutines_ = 0;
};

}  // namespace rota_test
