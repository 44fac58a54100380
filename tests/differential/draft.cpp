// Correct requests: what every server has to read in the same way.
#include "draft.hpp"

#include <algorithm>
#include <cstdio>

namespace rota_differential {

namespace {

// Bodies that are requests: a server that ends a body too early reads them as such.
constexpr std::string_view bodies[] = {
    "GET /smuggled HTTP/1.1\r\nHost: s\r\n\r\n",
    "POST /smuggled HTTP/1.1\r\nHost: s\r\nContent-Length: 3\r\n\r\nabc",
    "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: s\r\n\r\n",
    "5\r\nhello\r\n0\r\n\r\n",
    "hello",
    "a",
    "\r\n\r\n",
    "\n",
};
constexpr std::string_view targets[] = {
    "/a", "/", "/a?b=c", "/a%20b?c=%41", "/a;b=c", "/a//b", "/~a/(b)'!*", "/a?b?c=/d", "/a,b:c@d",
};
constexpr std::string_view hosts[] = {"a", "a.example:80", "127.0.0.1", "[::1]:80", "A.Example"};
constexpr std::string_view values[] = {"b", "", "b c", "b,c", "\"b\"", "b\tc", "\xc3\xa4", "b: c"};
constexpr std::string_view separators[] = {": ", ":", ": \t", ":  "};
constexpr std::string_view ends[] = {"\r\n", " \r\n", "\t\r\n"};
constexpr std::string_view with_body[] = {"POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"};
constexpr std::string_view without[] = {"GET", "HEAD", "OPTIONS", "DELETE", "POST", "PUT"};

std::string hex(std::size_t n, dice& d) {
    char text[32];
    std::snprintf(text, sizeof text, d.one_in(2) ? "%zx" : "%zX", n);
    return text;
}

std::string body_of(dice& d) {
    std::string all(d.pick(bodies));
    while (d.one_in(3)) all += d.pick(bodies);
    return all;
}

void cut_into_chunks(draft& r, std::string_view body, dice& d) {
    while (!body.empty()) {
        const std::size_t n = d.one_in(2) ? body.size() : 1 + d.below(body.size());
        r.chunks.push_back({hex(n, d), "", std::string(body.substr(0, n))});
        body.remove_prefix(n);
    }
    r.chunks.push_back({"0", "", ""});
}

}  // namespace

field* draft::find(std::string_view name) {
    const auto at = std::find_if(fields.begin(), fields.end(),
                                 [name](const field& f) { return f.name == name; });
    return at == fields.end() ? nullptr : &*at;
}

std::string draft::text() const {
    std::string all = before + method + space_1 + target + space_2 + version + line_end;
    for (const field& f : fields) all += f.text();
    all += head_end;
    if (framed == framing::length) all += body;
    if (framed == framing::chunks) {
        for (const chunk& c : chunks) {
            all += c.size + c.extension + c.size_end;
            if (&c != &chunks.back()) all += c.data + c.data_end;
        }
        for (const field& f : trailers) all += f.text();
        all += body_end;
    }
    for (const noise& n : noises) {
        if (all.empty()) break;
        const auto at = static_cast<std::size_t>(n.place % all.size());
        switch (n.how) {
            case noise::what::insert: all.insert(at, 1, n.byte); break;
            case noise::what::replace: all[at] = n.byte; break;
            case noise::what::remove: all.erase(at, 1); break;
            case noise::what::repeat: all.insert(at, 1, all[at]); break;
        }
    }
    if (cut_at != 0 && !all.empty()) all.resize(static_cast<std::size_t>(cut_at % all.size()));
    return all;
}

draft make_draft(framing framed, dice& d) {
    draft r;
    r.framed = framed;
    r.method = framed == framing::none ? d.pick(without) : d.pick(with_body);
    r.target = d.pick(targets);
    r.fields.push_back({"Host", std::string(d.pick(hosts))});
    if (framed == framing::length) {
        r.body = body_of(d);
        r.fields.push_back({"Content-Length", std::to_string(r.body.size())});
    } else if (framed == framing::chunks) {
        cut_into_chunks(r, body_of(d), d);
        r.fields.push_back({"Transfer-Encoding", "chunked"});
    }
    if (framed != framing::chunks && d.one_in(10)) {
        r.version = "HTTP/1.0";
        if (!d.one_in(3)) r.fields.push_back({"Connection", "keep-alive"});
    }
    for (std::size_t more = d.below(3); more != 0; --more)
        r.fields.push_back({"X-" + std::string(1, static_cast<char>('A' + d.below(26))),
                            std::string(d.pick(values)), std::string(d.pick(separators)),
                            std::string(d.pick(ends))});
    if (d.one_in(4)) std::swap(r.fields.front(), r.fields.back());
    return r;
}

}  // namespace rota_differential
