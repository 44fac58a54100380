// Exceptions that leave the handlers of http/.
#include "diag/panic_text.hpp"
#include "diag/stack_text.hpp"
#include "http/panic_report.hpp"

namespace rota::http {

std::string panic_text() { return rt::current_panic_text(); }

void call_traced(void (*f)(void*), void* arg, std::string& trace) {
    try {
        f(arg);
    } catch (...) {
        trace = rt::stack_text(false);
        throw;
    }
}

}  // namespace rota::http
