// treesum: SHA-256 of every regular file below a directory, in goroutines.
//
// Prints lines that `sha256sum -c` accepts, sorted by the bytes of the paths, and ends with an
// account of the scheduler's work. The steps of a run: read the options; walk the tree, a goroutine
// per directory (walk.hpp); hash, a goroutine per file, `jobs` at a time (hasher.hpp), while a
// further goroutine sorts; print (console.hpp); account (account.hpp). With --check the list comes
// from a file instead (check.hpp).
//
// Exit status: 0, or 1 if the program could not read, verify or write something (each failure has a
// line on stderr; the program still does the rest), or 2 for an invalid command line.
#include <rota/go.hpp>
#include <rota/runtime.hpp>
#include <rota/sync.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "treesum/account.hpp"
#include "treesum/check.hpp"
#include "treesum/console.hpp"
#include "treesum/hasher.hpp"
#include "treesum/names.hpp"
#include "treesum/progress.hpp"
#include "treesum/recordings.hpp"
#include "treesum/walk.hpp"

namespace treesum {
namespace {

struct options {
    std::string directory = ".";
    std::string list;                // --check
    std::string cpu_profile, trace;  // files for the recordings; empty: none
    std::size_t jobs = 0;
    bool check = false;
    bool quiet = false;
    bool json = false;
};

// The state of a run. The goroutine that draws the bar shares the console and the progress state;
// the run does not wait for that goroutine.
struct session {
    options opts;
    account books;
    std::shared_ptr<console> messages = std::make_shared<console>();
    std::shared_ptr<progress_state> progress = std::make_shared<progress_state>();
    result_writer out;
    bool failed = false;  // a failure besides the problems that the console has recorded
};

// Descriptors besides the files in work: the standard descriptors, the root, one per walker, the
// runtime's own.
constexpr std::size_t spare_descriptors = 64;

// Raises the limit of open files as far as possible, and lowers --jobs to the number that then
// fits.
std::size_t fit_jobs(std::size_t wanted, console& messages) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < wanted + spare_descriptors) {
        rlimit raised = limit;
        raised.rlim_cur = limit.rlim_max;
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    const auto files = static_cast<std::size_t>(limit.rlim_cur);
    const std::size_t fitting = files > spare_descriptors ? files - spare_descriptors : 1;
    if (wanted <= fitting) return wanted;
    messages.say("treesum: --jobs " + std::to_string(wanted) + " lowered to " +
                 std::to_string(fitting) + ": the limit of open files (ulimit -n) is " +
                 std::to_string(files));
    return fitting;
}

std::size_t walkers_for(int procs) {
    return std::min<std::size_t>(4 * static_cast<std::size_t>(procs), spare_descriptors / 2);
}

// The goroutine of a file: it returns the slot and counts the file as done, however it ends.
void work_on(slot_pool& pool, hash_slot& slot, const open_rules& rules, file_job& job, session& run,
             rota::wait_group& left) {
    const rota::defer done([&] {
        pool.give_back(slot);
        run.progress->done.files.fetch_add(1, std::memory_order_relaxed);
        left.done();
    });
    hash_file(pool, slot, rules, job, run.progress->done);
    if (job.error != 0) run.messages->complain(job.path, error_text(job.error));
    if (job.changed_kind) run.messages->complain(job.path, "is no longer a regular file");
}

// Hashes each of `jobs` in a goroutine of its own.
void hash_all(std::vector<file_job>& jobs, const open_rules& rules, session& run) {
    slot_pool pool(run.opts.jobs);
    rota::wait_group left;
    for (file_job& job : jobs) {
        hash_slot& slot = pool.take();
        left.add(1);
        rota::go([&pool, &slot, &rules, &job, &run, &left] {
            work_on(pool, slot, rules, job, run, left);
        });
        run.books.note_goroutines();
    }
    left.wait();
}

std::uint64_t total_bytes(const std::vector<file_job>& jobs) {
    std::uint64_t sum = 0;
    for (const file_job& job : jobs) sum += job.bytes;
    return sum;
}

// --- DIR ----------------------------------------------------------------------------------------

std::vector<const file_job*> sorted_by_path(const std::vector<file_job>& jobs) {
    std::vector<const file_job*> order;
    order.reserve(jobs.size());
    for (const file_job& job : jobs) order.push_back(&job);
    // string_view compares chars as unsigned bytes, whatever the locale.
    std::sort(order.begin(), order.end(),
              [](const file_job* a, const file_job* b) { return a->path < b->path; });
    return order;
}

bool has_digest(const file_job& job) { return job.error == 0 && !job.changed_kind; }

void append_problems(std::string& text, const std::vector<problem>& problems) {
    text += "\"problems\": [";
    const char* separator = "\n";
    for (const problem& p : problems) {
        text += separator;
        text += "  {";
        append_json_path(text, p.path);
        text += ", \"text\": ";
        append_json_string(text, p.text);
        text += '}';
        separator = ",\n";
    }
    text += "\n]";
}

// Appends the end of every JSON answer: the problems and the account.
void append_json_end(session& run) {
    std::string& text = run.out.text();
    text += "\n],\n";
    append_problems(text, run.messages->problems());
    text += ",\n\"account\": " + run.books.json() + "\n}\n";
}

void print_sums(const std::vector<const file_job*>& order, session& run) {
    for (const file_job* job : order) {
        if (!has_digest(*job)) continue;
        append_sum_line(run.out.text(), job->sum, job->path);
        run.out.flush_if_large();
    }
}

void print_sums_json(const std::vector<const file_job*>& order, session& run) {
    std::string& text = run.out.text();
    text += "{\"mode\": \"sum\", \"files\": [";
    const char* separator = "\n";
    for (const file_job* job : order) {
        if (!has_digest(*job)) continue;
        text += separator;
        text += "  {";
        append_json_path(text, job->path);
        text += ", \"sha256\": \"";
        append_hex(text, job->sum.data(), job->sum.size());
        text += "\", \"bytes\": " + std::to_string(job->bytes) + "}";
        separator = ",\n";
        run.out.flush_if_large();
    }
    append_json_end(run);
}

void sum_tree(session& run, bool bar) {
    work_ahead& ahead = run.progress->ahead;
    tree_walk walk(run.opts.directory, walkers_for(rota::runtime::gomaxprocs(0)), bar, ahead,
                   *run.messages, run.books);
    walk.run();
    ahead.end_listing();

    std::vector<file_job> jobs = walk.take_files();
    const open_rules rules{walk.root_fd(), true};
    // Sorting reads only the paths, and hashing writes only the results: they run side by side.
    rota::future<std::vector<const file_job*>> sorting =
        rota::async([&jobs] { return sorted_by_path(jobs); });
    run.books.note_goroutines();
    hash_all(jobs, rules, run);
    const std::vector<const file_job*> order = sorting.get();

    run.messages->end_bar();
    const auto good = std::count_if(jobs.begin(), jobs.end(), has_digest);
    run.books.close(static_cast<std::uint64_t>(good), total_bytes(jobs),
                    run.messages->problems().size());
    if (run.opts.json) {
        print_sums_json(order, run);
    } else {
        print_sums(order, run);
    }
}

// --- --check ------------------------------------------------------------------------------------

// Reads the whole list; reports a failure and returns false.
bool read_list(session& run, std::string& text) {
    const std::string& path = run.opts.list;
    const int error = rota::blocking([&] {
        const int fd =
            path == "-" ? ::dup(STDIN_FILENO) : open_any_length(AT_FDCWD, path.c_str(), O_RDONLY);
        if (fd < 0) return path == "-" ? errno : -fd;
        std::vector<unsigned char> buffer(hash_slot::buffer_bytes);
        ssize_t got = 0;
        while ((got = read_some(fd, buffer.data(), buffer.size())) > 0) {
            text.append(reinterpret_cast<const char*>(buffer.data()),
                        static_cast<std::size_t>(got));
        }
        ::close(fd);
        return static_cast<int>(-got);
    });
    if (error != 0) run.messages->complain(path, error_text(error));
    return error == 0;
}

struct verdicts {
    std::uint64_t unreadable = 0;
    std::uint64_t mismatched = 0;
};

void print_verdicts(const checksum_list& list, const std::vector<file_job>& jobs, verdicts& count,
                    session& run) {
    std::string& text = run.out.text();
    const bool json = run.opts.json;
    if (json) text += "{\"mode\": \"check\", \"files\": [";
    const char* separator = "\n";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        std::string_view verdict = "OK";
        if (!has_digest(jobs[i])) {
            verdict = "FAILED open or read";
            ++count.unreadable;
        } else if (jobs[i].sum != list.lines[i].expected) {
            verdict = "FAILED";
            ++count.mismatched;
        }
        if (run.opts.quiet && verdict == "OK") continue;
        if (json) {
            text += separator;
            text += "  {";
            append_json_path(text, jobs[i].path);
            text.append(", \"verdict\": \"").append(verdict).append("\"}");
            separator = ",\n";
        } else {
            append_checked_name(text, jobs[i].path);
            text.append(": ").append(verdict).append("\n");
        }
        run.out.flush_if_large();
    }
}

// Prints sha256sum's three warnings, word for word.
void warn(std::uint64_t count, const char* one, const char* many, session& run) {
    if (count == 0) return;
    run.messages->say("treesum: WARNING: " + std::to_string(count) + (count == 1 ? one : many));
}

void check_list(session& run) {
    std::string text;
    checksum_list list;
    if (read_list(run, text)) list = checksum_parser().parse(text);
    const bool nothing_listed = list.lines.empty();
    if (nothing_listed && run.messages->problems().empty()) {
        run.messages->complain(run.opts.list, "no properly formatted checksum lines found");
    }

    std::vector<file_job> jobs(list.lines.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].path = list.lines[i].name;
        jobs[i].open_path = list.lines[i].name.c_str();
    }
    work_ahead& ahead = run.progress->ahead;
    ahead.files = jobs.size();
    ahead.end_listing();
    const open_rules rules{AT_FDCWD, false};
    hash_all(jobs, rules, run);

    run.messages->end_bar();
    const auto good = std::count_if(jobs.begin(), jobs.end(), has_digest);
    run.books.close(static_cast<std::uint64_t>(good), total_bytes(jobs),
                    run.messages->problems().size());
    verdicts count;
    print_verdicts(list, jobs, count, run);
    if (run.opts.json) append_json_end(run);
    if (!nothing_listed) {
        warn(list.malformed, " line is improperly formatted", " lines are improperly formatted",
             run);
    }
    warn(count.unreadable, " listed file could not be read", " listed files could not be read",
         run);
    warn(count.mismatched, " computed checksum did NOT match", " computed checksums did NOT match",
         run);
    run.failed = count.mismatched > 0;
}

// --- the whole ----------------------------------------------------------------------------------

// The body of the main goroutine.
int run_session(const options& opts) {
    session run;
    run.opts = opts;
    const auto procs = static_cast<std::size_t>(rota::runtime::gomaxprocs(0));
    if (run.opts.jobs == 0) run.opts.jobs = 8 * procs;
    run.opts.jobs = fit_jobs(run.opts.jobs, *run.messages);

    const bool bar = !opts.quiet && stderr_is_terminal();
    if (bar) {
        start_progress_bar(run.messages, run.progress);
        run.books.note_goroutines();
    }
    recordings kept(opts.cpu_profile, opts.trace, *run.messages);
    kept.begin();
    if (opts.check) {
        check_list(run);
    } else {
        sum_tree(run, bar);
    }
    kept.end();
    const int error = run.out.finish();
    if (error != 0) run.messages->complain("standard output", error_text(error));
    if (!opts.quiet && !opts.json) run.messages->say(run.books.text());
    return run.failed || !run.messages->problems().empty() ? 1 : 0;
}

// Fills `opts`; returns false and sets the exit status if there is nothing to run.
bool parse_options(int argc, char** argv, options& opts, int& status) {
    CLI::App app("Prints the SHA-256 of every regular file below DIR as lines for `sha256sum -c`, "
                 "sorted by path.");
    auto* directory = app.add_option("DIR", opts.directory, "the directory to walk (default: .)");
    app.add_option("-j,--jobs", opts.jobs,
                   "how many files may be in work at once (default: 8 for each P)")
        ->check(CLI::Range(1, 4096));
    auto* check = app.add_option("-c,--check", opts.list,
                                 "verify the files listed in FILE (- for standard input), as "
                                 "`sha256sum -c` does")
                      ->type_name("FILE");
    app.add_flag("-q,--quiet", opts.quiet, "no progress bar, no account, no OK lines");
    app.add_flag("--json", opts.json, "results, problems and account as JSON on standard output");
    app.add_option("--cpu-profile", opts.cpu_profile,
                   "write what the processors' time is spent on, for `go tool pprof`")
        ->type_name("FILE");
    app.add_option("--trace", opts.trace, "write what the scheduler does, for `go tool trace`")
        ->type_name("FILE");
    check->excludes(directory);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        status = app.exit(error) == 0 ? 0 : 2;
        return false;
    }
    opts.check = check->count() > 0;
    return true;
}

}  // namespace
}  // namespace treesum

int main(int argc, char** argv) {
    treesum::occupy_standard_descriptors();
    treesum::options opts;
    int status = 0;
    if (!treesum::parse_options(argc, argv, opts, status)) return status;
    return rota::run([&] { return treesum::run_session(opts); });
}
