// JSON, written as it goes: members and elements, with commas between.
//
// Texts may hold any bytes, as names and labels of goroutines do. JSON is UTF-8: each byte that is
// not valid UTF-8 comes out as U+FFFD, so that strict readers accept the text.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace rota::rt {

class json_text {
  public:
    // `{` or `[`, as an element or as the value of a member. close() takes the other bracket.
    void open(char bracket);
    void open(std::string_view name, char bracket);
    void close(char bracket);

    void number(std::string_view name, long long v);
    void number(long long v);  // an element
    void flag(std::string_view name, bool v);
    void text(std::string_view name, std::string_view v);

    std::string take() { return std::move(out_); }

  private:
    void before();
    void key(std::string_view name);
    void quoted(std::string_view v);

    std::string out_;
    bool is_first_ = true;
};

}  // namespace rota::rt
