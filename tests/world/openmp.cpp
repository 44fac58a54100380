// OpenMP (libgomp): a sum in a region of two threads, the first of which is the worker.
//
// In the second row the worker waits inside the region, which belongs to its thread: a pin keeps
// it there.
#include "world.hpp"

#include <omp.h>

namespace {

template <bool Waits>
class sums : public world::client {
  public:
    explicit sums(int index) : index_(index) {}

    long op() override {
        std::optional<rota::runtime::pin> here;
        if (Waits) here.emplace();
        const long first = index_ + ++next_;
        long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            if (Waits && ::omp_get_thread_num() == 0)
                rota::sleep_for(std::chrono::microseconds(200));
#pragma omp for
            for (long i = 0; i < count; ++i) sum += first + i;
        }
        world::require(sum == count * first + count * (count - 1) / 2, "a wrong sum");
        return 1;
    }

  private:
    static constexpr long count = 10'000;
    const int index_;
    long next_ = 0;
};

}  // namespace

int main() {
    ::omp_set_dynamic(0);
    const int quick = world::measure("OpenMP", {.workers = 20}, world::each<sums<false>>());
    return world::measure("OpenMP, first waits", {.workers = 20, .announced = false},
                          world::each<sums<true>>()) |
           quick;
}
