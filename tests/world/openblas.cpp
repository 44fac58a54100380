// OpenBLAS, with two threads of its own: products of matrices of whole numbers.
//
// C = A B must agree with A and B in C v = A (B v), which is exact. The library has 60 KiB of
// static thread-local data.
#include "world.hpp"

#include <cblas.h>

namespace {

class products : public world::client {
  public:
    explicit products(int index) : seed_(static_cast<unsigned>(index) * 2654435761u + 1) {}

    long op() override {
        for (double& x : a_) x = next();
        for (double& x : b_) x = next();
        for (double& x : v_) x = next();
        ::cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a_.data(), n,
                      b_.data(), n, 0, c_.data(), n);
        world::require(times(c_, v_) == times(a_, times(b_, v_)), "a wrong product");
        return 1;
    }

  private:
    using column = std::vector<double>;
    static constexpr int n = 128;
    static constexpr std::size_t size = n;

    static column times(const column& matrix, const column& x) {
        column y(size);
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t k = 0; k < size; ++k) y[i] += matrix[i * size + k] * x[k];
        return y;
    }

    double next() {
        seed_ = seed_ * 1664525u + 1013904223u;
        return static_cast<double>(seed_ >> 28);
    }

    column a_ = column(size * size), b_ = column(size * size), c_ = column(size * size);
    column v_ = column(size);
    unsigned seed_;
};

}  // namespace

int main() {
    ::openblas_set_num_threads(2);
    return world::measure("OpenBLAS", {.workers = 20}, world::each<products>());
}
