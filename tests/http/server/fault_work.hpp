// Everyday work of a server, for the walk of faults: each piece ends, of success or by throwing
// what it was told. Called in a goroutine.
#pragma once

namespace rota_test {

void talk_by_tcp();
void talk_by_unix();
void talk_by_tls();
void send_messages();
void look_names_up();
void serve_http();
void serve_files();  // also a listing, and through a link
void use_files();
void run_programs();
void watch_signals();

}  // namespace rota_test
