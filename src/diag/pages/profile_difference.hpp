// The change of a profile between two moments. Go: net/http/pprof, serveDeltaProfile.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rota::rt {

class profile_difference {
  public:
    // Takes the profile of this moment. Throws as pprof::write_profile.
    explicit profile_difference(std::string_view name);
    ~profile_difference();
    profile_difference(const profile_difference&) = delete;
    profile_difference& operator=(const profile_difference&) = delete;

    // The file for `go tool pprof`: the profile of this moment less the first. Call it once.
    std::string finish();

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rota::rt
