// Eigen: solves systems of linear equations with known solutions.
#include "world.hpp"

#include <Eigen/Dense>

namespace {

class systems : public world::client {
  public:
    explicit systems(int index) : index_(index) {}

    long op() override {
        constexpr int n = 32;
        Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n) * n;
        for (int i = 0; i < n; ++i) a(i, (i * 7 + index_ + ++next_) % n) += 1;
        const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, index_, index_ + n);
        const Eigen::VectorXd found = a.partialPivLu().solve(a * x);
        world::require((found - x).norm() < 1e-6 * (1 + x.norm()), "a wrong solution");
        return 1;
    }

  private:
    const int index_;
    int next_ = 0;
};

}  // namespace

int main() { return world::measure("Eigen", {.workers = 20}, world::each<systems>()); }
