// What storms of connections share: GOMAXPROCS that changes beside them, and nothing that they may
// leave behind.
#pragma once

#include "../api/sockets.hpp"
#include "../gomaxprocs_restored.hpp"
#include "load.hpp"

namespace rota_test {

// As long as the box is open; the number is as before then.
inline void change_processors(const time_box& box) {
    const gomaxprocs_restored at_end;
    choices choose(99);
    while (box.open()) {
        constexpr int numbers[] = {1, 2, 16, 3, 64};
        rota::runtime::gomaxprocs(numbers[choose.below(std::size(numbers))]);
        rota::sleep_for(std::chrono::milliseconds(1));
    }
}

// Goroutines and descriptors before a storm, which are those behind it.
class base_line {
  public:
    base_line() {
        (void)connected();  // what the poller keeps is there
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
