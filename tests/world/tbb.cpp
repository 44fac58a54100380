// oneTBB: parallel_reduce by each worker, helped by TBB's own threads.
#include "world.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

namespace {

class sums : public world::client {
  public:
    explicit sums(int index) : first_(index) {}

    long op() override {
        constexpr long count = 50'000;
        ++first_;
        const long sum = tbb::parallel_reduce(
            tbb::blocked_range<long>(0, count, 1000), 0L,
            [this](const tbb::blocked_range<long>& part, long so_far) {
                for (long i = part.begin(); i != part.end(); ++i) so_far += first_ + i;
                return so_far;
            },
            std::plus<>());
        world::require(sum == count * first_ + count * (count - 1) / 2, "a wrong sum");
        return 1;
    }

  private:
    long first_;
};

}  // namespace

int main() { return world::measure("TBB", {.workers = 50}, world::each<sums>()); }
