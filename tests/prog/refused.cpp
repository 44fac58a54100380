// The everyday work of the walk of faults (http/server/fault_work.hpp), twice, for refusals that
// come from outside: tests/prog/refused_check.py runs it under strace. Prints how each round has
// ended; status 1: something was left behind, or what was thrown is no system's error.
#include "program.hpp"

#include <exception>
#include <new>
#include <system_error>

#include "../http/server/fault_work.hpp"
#include "../open_descriptors.hpp"

namespace {

int rounds_of(void (*work)()) {
    int descriptors = -1, status = 0;
    for (int i = 0; i < 2; ++i) {
        try {
            rota::run(work);
            std::puts("done");
        } catch (const std::system_error& e) {
            std::printf("told: %s\n", e.code().message().c_str());
            if (e.code() == std::errc::timed_out) status = 1;
        } catch (const std::bad_alloc&) {
            std::puts("told: no memory");
        } catch (const std::exception& e) {
            std::printf("wrong: %s\n", e.what());
            status = 1;
        }
        rota_test::await([] { return rota::runtime::num_goroutine() == 0; });
        // What is opened once stays: the first round may have been kept from it.
        const int now = rota_test::open_descriptors();
        if (descriptors >= 0 && now > descriptors + 3) {
            std::printf("left open: %d descriptors, %d before\n", now, descriptors);
            status = 1;
        }
        descriptors = now;
    }
    return status;
}

template <void (*work)()>
int rounds() {
    return rounds_of(work);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace rota_test;
    return run_case(argc, argv,
                    {{"tcp", rounds<talk_by_tcp>},
                     {"unix", rounds<talk_by_unix>},
                     {"messages", rounds<send_messages>},
                     {"http", rounds<serve_http>},
                     {"served", rounds<serve_files>},
                     {"files", rounds<use_files>},
                     {"programs", rounds<run_programs>},
                     {"signals", rounds<watch_signals>}});
}
