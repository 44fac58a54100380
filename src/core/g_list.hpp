// Lists of goroutines, linked through g::sched_link: a g is in one of them at most. Not synchronised.
#pragma once

#include <cstdint>

#include "core/g.hpp"

namespace rota::rt {

// First in, first out. Go: gQueue.
class g_queue {
  public:
    bool empty() const { return head_ == nullptr; }
    std::uint32_t size() const { return size_; }

    void push_back(g& gp) {
        gp.sched_link = nullptr;
        if (tail_ == nullptr) head_ = &gp;
        else tail_->sched_link = &gp;
        tail_ = &gp;
        ++size_;
    }

    // Moves all of `other` behind what is here.
    void push_back_all(g_queue& other) {
        if (other.empty()) return;
        if (tail_ == nullptr) head_ = other.head_;
        else tail_->sched_link = other.head_;
        tail_ = other.tail_;
        size_ += other.size_;
        other = g_queue{};
    }

    g* pop() {
        g* gp = head_;
        if (gp == nullptr) return nullptr;
        head_ = gp->sched_link;
        if (head_ == nullptr) tail_ = nullptr;
        gp->sched_link = nullptr;
        --size_;
        return gp;
    }

  private:
    g* head_ = nullptr;
    g* tail_ = nullptr;
    std::uint32_t size_ = 0;
};

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
