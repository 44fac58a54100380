// rota::singleflight: one call of a function for concurrent callers with the same key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include <rota/detail/atomic.hpp>
#include <rota/panic.hpp>
#include <rota/sync/latch.hpp>
#include <rota/sync/mutex.hpp>

namespace rota {

/// Runs a function once for the callers that pass the same key while it runs, and gives its result
/// to each of them. K needs std::hash and ==; V must be copyable if callers are to share. For
/// goroutines and threads. Go: golang.org/x/sync/singleflight.
///
///     rota::singleflight<std::string, page> loads;
///     page p = loads.run(url, [&] { return fetch(url); }).value;
template <class K, class V>
class singleflight {
  public:
    struct result {
        V value;
        bool shared;  ///< whether another caller got the same value
    };

    singleflight() = default;
    /// No run() may be in progress.
    ~singleflight() = default;
    singleflight(const singleflight&) = delete;
    singleflight& operator=(const singleflight&) = delete;

    /// Returns f(), or the result of the call for this key that is in progress. Blocks until that
    /// call has ended; the goroutine may continue on another thread. An exception of f reaches
    /// every caller. If f ends its goroutine by goexit, the other callers get panic_error "rota:
    /// the goroutine that ran for this key ended by goexit". Go: Do.
    template <class F>
    result run(const K& key, F&& f) {
        const std::size_t hash = std::hash<K>()(key);
        flight* call = nullptr;
        {
            const lock guard(mu_);
            flight*& bucket = buckets_[hash % bucket_count];
            for (call = bucket; call != nullptr; call = call->next) {
                if (call->hash == hash && call->key == key) break;
            }
            if (call != nullptr) {
                call->shared = true;
                call->users.fetch_add(1u, std::memory_order_relaxed);  // relaxed: the list has one
            } else {
                call = nullptr;
                bucket = new flight{key, hash, bucket};
                return lead(guard, *bucket, std::forward<F>(f));
            }
        }
        const share mine{call};
        call->landed.wait();
        if (call->error) std::rethrow_exception(call->error);
        if (!call->value) panic("rota: the goroutine that ran for this key ended by goexit");
        return {*call->value, true};
    }

    /// Makes the next run() for this key run its function, even if a call is in progress. Go:
    /// Forget.
    void forget(const K& key) {
        const std::size_t hash = std::hash<K>()(key);
        const lock guard(mu_);
        for (flight** link = &buckets_[hash % bucket_count]; *link != nullptr;
             link = &(*link)->next) {
            if ((*link)->hash != hash || !((*link)->key == key)) continue;
            (*link)->listed = false;
            *link = (*link)->next;
            return;
        }
    }

  private:
    struct flight {
        flight(const K& k, std::size_t h, flight* n) : key(k), hash(h), next(n) {}

        const K key;
        const std::size_t hash;
        // --- guarded by mu_ ------------------------------------------------------
        flight* next;
        bool listed = true;
        bool shared = false;
        // --- written before `landed` opens -------------------------------------------
        std::optional<V> value;
        std::exception_ptr error;
        latch landed{1};
        atomic<std::uint32_t> users{1};  // the last user frees it: pairs(singleflight.users)
    };

    struct share {
        flight* call;
        ~share() {
            if (call->users.fetch_sub(1u, std::memory_order_acq_rel) ==
                1)  // pairs(singleflight.users)
                delete call;
        }
    };

    class lock {
      public:
        explicit lock(mutex& mu) : mu_(mu) { mu_.lock(); }
        ~lock() {
            if (held_) mu_.unlock();
        }
        lock(const lock&) = delete;
        lock& operator=(const lock&) = delete;
        void give_up() const {
            mu_.unlock();
            held_ = false;
        }

      private:
        mutex& mu_;
        mutable bool held_ = true;
    };

    // Ends a call, however f ended: removes it from the list and wakes its waiters.
    struct landing {
        singleflight& owner;
        flight& call;
        bool shared = false;
        bool done = false;
        void land() {
            done = true;
            {
                const lock guard(owner.mu_);
                shared = call.shared;
                if (call.listed) {
                    flight** link = &owner.buckets_[call.hash % bucket_count];
                    while (*link != &call) link = &(*link)->next;
                    *link = call.next;
                }
            }
            call.landed.count_down();
        }
        ~landing() {
            if (!done) land();
        }
    };

    template <class F>
    result lead(const lock& guard, flight& call, F&& f) {
        guard.give_up();
        const share mine{&call};
        landing end{*this, call};
        try {
            call.value.emplace(std::forward<F>(f)());
        } catch (...) {
            call.error = std::current_exception();  // null: goexit, which must propagate
            throw;
        }
        end.land();
        if (!end.shared) return {std::move(*call.value), false};
        return {*call.value, true};
    }

    static constexpr std::size_t bucket_count = 64;

    mutex mu_;
    flight* buckets_[bucket_count] = {};  // guarded by mu_
};

}  // namespace rota
