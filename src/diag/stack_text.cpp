// Traces as text.
#include "diag/stack_text.hpp"

#include <memory>

#include "diag/traceback.hpp"

namespace rota::rt {

std::string stack_text(bool all) {
    struct work {
        std::string text;
        report out{[](void* to, const char* more, std::size_t size) {
                       static_cast<work*>(to)->text.append(more, size);
                   },
                   this};
        tracer trace;
    };
    const auto w = std::make_unique<work>();
    w->trace.to(w->out, {});
    w->trace.print_current();
    if (all) w->trace.print_others();
    w->out.flush();
    return std::move(w->text);
}

}  // namespace rota::rt
