// What has changed in a profile from one moment to another. Go: net/http/pprof, serveDeltaProfile.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rota::rt {

class profile_difference {
  public:
    // Takes the profile as it is now. Throws as pprof::write_profile.
    explicit profile_difference(std::string_view name);
    ~profile_difference();
    profile_difference(const profile_difference&) = delete;
    profile_difference& operator=(const profile_difference&) = delete;

    // The file for `go tool pprof`: what is there now, less what was there then. Once.
    std::string finish();

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rota::rt
