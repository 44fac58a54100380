// A list of goroutines, linked through g::sched_link: a g is in one at most. Not synchronised.
#pragma once

#include <cstdint>

#include "core/g.hpp"

namespace rota::rt {

// Last in, first out: what was used last is still in the cache. Go: gList.
class g_stack {
  public:
    bool empty() const { return top_ == nullptr; }
    std::uint32_t size() const { return size_; }
    g* top() const { return top_; }

    void push(g& gp) {
        gp.sched_link = top_;
        top_ = &gp;
        ++size_;
    }

    g* pop() {
        g* gp = top_;
        if (gp == nullptr) return nullptr;
        top_ = gp->sched_link;
        gp->sched_link = nullptr;
        --size_;
        return gp;
    }

  private:
    g* top_ = nullptr;
    std::uint32_t size_ = 0;
};

}  // namespace rota::rt
