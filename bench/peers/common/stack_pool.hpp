// A slab pool of fiber stacks of one size: thread-local free lists over a shared one, no guards.
// A million guarded stacks would need two million memory mappings, more than a stock kernel allows.
#pragma once
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace peers {

class StackPool {
    static constexpr size_t kSlab = 64 << 20, kBatch = 256;
    struct Global {
        std::mutex mu;
        std::vector<void*> free;
        char* cur = nullptr;
        char* end = nullptr;
    };
    static Global& global() {
        static Global* g = new Global;
        return *g;
    }
    __attribute__((noinline)) static std::vector<void*>& local() {
        thread_local auto* v = new std::vector<void*>;
        return *v;
    }
    static void refill(std::vector<void*>& l) {
        auto& g = global();
        std::lock_guard lk(g.mu);
        for (size_t i = 0; i < kBatch; i++) {
            if (!g.free.empty()) {
                l.push_back(g.free.back());
                g.free.pop_back();
                continue;
            }
            if (g.cur == g.end) {
                g.cur = (char*)mmap(nullptr, kSlab, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                if (g.cur == MAP_FAILED) abort();
                madvise(g.cur, kSlab, MADV_NOHUGEPAGE);
                g.end = g.cur + kSlab;
            }
            l.push_back(g.cur);
            g.cur += kSize;
        }
    }

public:
    static constexpr size_t kSize = 16 << 10;
    static void* get() {
        auto& l = local();
        if (l.empty()) refill(l);
        void* p = l.back();
        l.pop_back();
        return p;
    }
    static void put(void* p) {
        auto& l = local();
        l.push_back(p);
        if (l.size() >= 4 * kBatch) {
            auto& g = global();
            std::lock_guard lk(g.mu);
            g.free.insert(g.free.end(), l.end() - 2 * kBatch, l.end());
            l.resize(l.size() - 2 * kBatch);
        }
    }
};

}  // namespace peers
