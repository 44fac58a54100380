// Makes short answers of text, and escapes text for HTML.
#include "http/handlers/error_pages.hpp"

namespace rota::http {

void answer_text(response_writer& w, int status, std::string_view text) {
    w.header().set("Content-Type", "text/plain; charset=utf-8");
    w.header().set("X-Content-Type-Options", "nosniff");
    w.write_header(status);
    w.write(text);
}

std::string html_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&#34;"; break;
            case '\'': escaped += "&#39;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

}  // namespace rota::http
