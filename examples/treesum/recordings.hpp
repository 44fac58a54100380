// What a run can leave behind for Go's tools: a CPU profile and an execution trace.
#pragma once

#include <rota/pprof.hpp>
#include <rota/trace.hpp>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "console.hpp"
#include "names.hpp"

namespace treesum {

// Records from begin() to end(), into the files that have names. What cannot be recorded is
// complained of, and the run goes on without it.
class recordings {
  public:
    recordings(std::string profile, std::string trace, console& messages)
        : profile_(std::move(profile)), trace_(std::move(trace)), messages_(messages) {}
    ~recordings() { end(); }
    recordings(const recordings&) = delete;
    recordings& operator=(const recordings&) = delete;

    void begin() {
        if (!profile_.empty()) begin_profile();
        if (trace_.empty()) return;
        std::error_code error;
        rota::trace::start(trace_, {}, error);
        tracing_ = !error;
        if (error) messages_.complain(trace_, error.message());
    }

    void end() {
        if (std::exchange(tracing_, false)) {
            std::error_code error;
            rota::trace::stop(error);
            if (error) messages_.complain(trace_, error.message());
        }
        if (!std::exchange(profiling_, false)) return;
        rota::pprof::stop_cpu_profile();
        errno = 0;
        profile_file_.close();
        if (!profile_file_) messages_.complain(profile_, error_text(errno != 0 ? errno : EIO));
    }

  private:
    void begin_profile() {
        errno = 0;
        profile_file_.open(profile_, std::ios::binary);
        if (!profile_file_) {
            messages_.complain(profile_, error_text(errno != 0 ? errno : EIO));
            return;
        }
        try {
            rota::pprof::start_cpu_profile(profile_file_);
            profiling_ = true;
        } catch (const std::system_error& e) {
            messages_.complain(profile_, e.code().message());
        }
    }

    std::string profile_, trace_;
    console& messages_;
    std::ofstream profile_file_;
    bool profiling_ = false, tracing_ = false;
};

}  // namespace treesum
