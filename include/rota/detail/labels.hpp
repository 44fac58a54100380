// Sets profiler labels of the calling goroutine for the lifetime of a scope.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <rota/detail/exceptions.hpp>

namespace rota::detail {

class label_scope {
  public:
    // Adds to the goroutine's labels. Throws std::bad_alloc.
    explicit label_scope(
        std::initializer_list<std::pair<std::string_view, std::string_view>> labels);
    ~label_scope();
    label_scope(const label_scope&) = delete;
    label_scope& operator=(const label_scope&) = delete;

  private:
    void* before_ = nullptr;
};

}  // namespace rota::detail
