// Short queries through libpq, in goroutines and in threads, beside tickers of 1 ms.
#pragma once

/// Runs the same work in each way for two seconds and prints a row for each: how late the tickers
/// were, and queries per second of processor time. Each answer is checked. Throws
/// std::runtime_error if an answer is wrong, or the server cannot be reached.
void show_short_queries();
