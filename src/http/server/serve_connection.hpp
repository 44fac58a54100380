// Serves a connection whose protocol is known to be HTTP/1.1, or begins as such.
#pragma once

namespace rota::http::detail {

struct connection;

// Serves the connection to its end. An exception ends the connection, and nothing else.
void serve_connection(connection& c);

}  // namespace rota::http::detail
