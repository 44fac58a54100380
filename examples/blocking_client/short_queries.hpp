// Short queries through libpq, in goroutines and in threads, beside tickers of 1 ms.
#pragma once

/// Runs the same work in threads and in goroutines for two seconds each and prints a row for each:
/// how late the tickers were, queries per second of processor time, and threads of the process.
/// Where librota_hook.so is in the process: in goroutines alone. Each answer is checked. Throws
/// std::runtime_error if an answer is wrong, if the server cannot be reached, or if librota_hook.so
/// is in the process and no query has parked.
void show_short_queries();
