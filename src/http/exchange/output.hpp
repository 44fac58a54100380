// The bytes that are to be sent next on a connection.
//
// Answers to pipelined requests go together: while a whole next request is there, the answer before
// it is held back, so that one call sends many. Its client must not wait for a slow handler, or for
// a handler that waits for the client's next action. So a timer gets the held bytes, and sends them
// a millisecond later from a goroutine of its own. The connection takes them back before it adds to
// them, by stopping the timer. Only one of the two has them at a time: no lock is needed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <rota/chan.hpp>
#include <rota/time.hpp>

#include "http/connection/transport.hpp"

namespace rota::http {

class output {
  public:
    output() = default;
    ~output() { (void)text(); }
    output(const output&) = delete;
    output& operator=(const output&) = delete;

    // The text to add to; takes held bytes back first.
    std::string& text() {
        if (held_) take_back();
        return text_;
    }
    // True: nothing is to be sent, as far as is known without taking bytes back.
    bool is_empty() const { return !held_ && text_.empty(); }

    // Sends it. Also tells of an error that the timer's goroutine has met.
    void send(const transport& to, std::error_code& error);
    // The same, with `more` pieces behind it that are sent at once.
    void send_with(const transport& to, std::string_view more, std::string_view still_more,
                   std::string_view end, std::error_code& error);

    // Something comes soon that may go with it. Sends it if it is much. Throws std::bad_alloc.
    // `to` stays until it has been taken back.
    void hold(const transport& to, std::error_code& error);

    // The text's memory goes if it is large; for another connection.
    void reset() noexcept;

  private:
    void take_back();
    void send_late() noexcept;

    std::string text_;  // the timer's goroutine's, from its beginning to its message in sent_
    std::error_code late_error_;          // likewise
    const transport* late_to_ = nullptr;  // likewise
    chan<unit> sent_;                     // nil until something is held for the first time
    timer late_;                          // likewise
    bool has_timer_ = false;
    bool held_ = false;
};

}  // namespace rota::http
