// Makes the texts of exceptions for reports.
#include "diag/crash/panic_text.hpp"

#include <cstdlib>
#include <exception>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <cxxabi.h>

#include <rota/panic.hpp>

namespace rota::rt {

namespace {

std::string demangled(const std::type_info& type) {
    int status = 0;
    char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = status == 0 ? name : type.name();
    std::free(name);
    // std::throw_with_nested throws a class of the library's own, derived from the program's.
    const std::string wrapping = "std::_Nested_exception<";
    if (text.rfind(wrapping, 0) == 0 && text.back() == '>')
        text = text.substr(wrapping.size(), text.size() - wrapping.size() - 1);
    return text;
}

std::string with_text(const std::string& name, std::string_view text) {
    return text.empty() ? name : name + ": " + std::string(text);
}

// The exception being handled, without those nested in it.
std::string own_text() {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    const std::string name = type != nullptr ? demangled(*type) : "unknown exception";
    try {
        throw;
    } catch (const panic_error& e) {
        return e.what();
    } catch (const std::exception& e) {
        return with_text(name, e.what());
    } catch (const std::string& s) {
        return with_text(name, s);
    } catch (const char* s) {
        return with_text(name, s != nullptr ? s : "");
    } catch (bool b) {
        return name + (b ? ": true" : ": false");
    } catch (char c) {
        return name + ": " + c;
    } catch (int v) {
        return name + ": " + std::to_string(v);
    } catch (unsigned v) {
        return name + ": " + std::to_string(v);
    } catch (long v) {
        return name + ": " + std::to_string(v);
    } catch (unsigned long v) {
        return name + ": " + std::to_string(v);
    } catch (long long v) {
        return name + ": " + std::to_string(v);
    } catch (unsigned long long v) {
        return name + ": " + std::to_string(v);
    } catch (float v) {
        return name + ": " + std::to_string(v);
    } catch (double v) {
        return name + ": " + std::to_string(v);
    } catch (...) {
        return name;
    }
}

std::exception_ptr nested_in_current() {
    try {
        throw;
    } catch (const std::nested_exception& e) {
        return e.nested_ptr();
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

std::string current_panic_text() {
    constexpr int depth_max = 100;
    std::string text = own_text();
    std::exception_ptr next = nested_in_current();
    for (int depth = 0; next != nullptr && depth < depth_max; ++depth) {
        try {
            std::rethrow_exception(std::exchange(next, nullptr));
        } catch (...) {
            text += "\n\tnested: " + own_text();
            next = nested_in_current();
        }
    }
    return text;
}

}  // namespace rota::rt
