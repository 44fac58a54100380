// Goroutines that were left behind: what a test finds at its end that should have ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rota::leak {

struct goroutine_info {
    std::uint64_t id = 0;
    std::uint64_t parent_id = 0;     ///< who started it; it may have ended
    std::string state;               ///< as in a dump: "chan receive", "running"
    std::string name;                ///< go_options::name
    std::chrono::seconds waited{0};  ///< in that state, give or take a second
    std::vector<std::pair<std::string, std::string>> labels;  ///< see pprof::do_labels
    std::string trace;  ///< header, stack and creator, in Go's layout
};

struct options {
    /// How long to wait for goroutines that are about to end. 0: not at all.
    std::chrono::nanoseconds max_wait = std::chrono::seconds(1);
    /// Goroutines in whose trace one of these texts stands are let be: "my_pool::worker".
    std::vector<std::string> ignore_functions = {};
    /// As are those with these numbers. See ignore_current.
    std::vector<std::uint64_t> ignore = {};
    /// Only goroutines with all of these labels are looked at. Since labels are inherited, a test
    /// that works within pprof::do_labels finds what it has started itself, whatever runs beside.
    std::vector<std::pair<std::string, std::string>> labels = {};
};

/// Options that ignore the goroutines that exist now. Go (goleak): IgnoreCurrent.
options ignore_current();

/// The goroutines that are alive, without the caller, the main goroutines of run(), and those that
/// rota keeps for itself. Looks again and again until there are none, or max_wait has passed; what
/// is found then is returned. It blocks meanwhile, and may migrate. From a goroutine or any thread,
/// any number at once. Throws std::bad_alloc. Go (goleak): Find.
std::vector<goroutine_info> find(const options& how = {});

/// What verify_none throws. what() has all traces.
class leak_error : public std::runtime_error {
  public:
    explicit leak_error(std::vector<goroutine_info> found);
    const std::vector<goroutine_info>& goroutines() const noexcept { return found_; }

  private:
    std::vector<goroutine_info> found_;
};

/// Throws leak_error if find() finds any.
///
///     rota::leak::verify_none();  // at the end of a test
void verify_none(const options& how = {});

}  // namespace rota::leak
