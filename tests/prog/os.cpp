// Programs that deal with the operating system: ignored and requested signals, output without a
// reader, descriptors, children.
#include <csignal>

#include <sys/wait.h>

#include "program.hpp"

using namespace rota_test;
using namespace std::chrono_literals;

namespace {

namespace os = rota::os;

void send(int signal) { ::kill(::getpid(), signal); }

// Every goroutine waits, one of them for a signal; the parent sends it after it has read the line.
int waits_for_signal() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGTERM);
        say("waiting");
        if (c.recv() != SIGTERM) std::abort();
        os::stop(c);
    });
    return 0;
}

// No goroutine requests signals any more: the detector works again.
int deadlock_after_stop() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGTERM);
        os::stop(c);
        c.recv();
    });
    return 0;
}

// SIGTERM ends the process after the last channel has been removed.
int default_after_stop() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGTERM);
        send(SIGTERM);
        c.recv();
        os::stop(c);
        send(SIGTERM);
        block_for_ever();
    });
    return 0;
}

// The test starts this program with SIGHUP ignored.
int nohup() {
    rota::run([] {
        if (!os::ignored(SIGHUP) || os::ignored(SIGTERM)) std::abort();
        send(SIGHUP);
        const std::string child =
            os::command({"/bin/sh", "-c", "kill -HUP $$; echo alive"}).output();
        if (child != "alive\n") std::abort();
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGHUP);
        send(SIGHUP);
        if (c.recv() != SIGHUP) std::abort();
        os::stop(c);
        if (!os::ignored(SIGHUP)) std::abort();
        send(SIGHUP);
    });
    return 0;
}

// Standard output has no reader: a write to it raises SIGPIPE, a write to another descriptor does
// not.
int broken_output() {
    rota::run([] {
        auto [reader, writer] = os::pipe();
        reader.close();
        std::error_code error;
        (void)writer.write("x", error);
        if (error != std::errc::broken_pipe) std::abort();
        int ends[2];
        if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) std::abort();
        ::close(ends[0]);
        ::close(ends[1]);
        std::fputs("now\n", stderr);
        os::standard_output().write("x");
        std::fputs("still here\n", stderr);
    });
    return 0;
}

// The same, but the program has requested SIGPIPE: it gets an error and the signal.
int broken_output_notified() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGPIPE);
        int ends[2];
        if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) std::abort();
        ::close(ends[0]);
        ::close(ends[1]);
        std::error_code error;
        (void)os::standard_output().write("x", error);
        if (error != std::errc::broken_pipe || c.recv() != SIGPIPE) std::abort();
        os::stop(c);
    });
    return 0;
}

// SIGQUIT goes to the program that requests it; afterwards it leads to the runtime's report again.
int quit_is_asked_for() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGQUIT);
        send(SIGQUIT);
        if (c.recv() != SIGQUIT) std::abort();
        os::stop(c);
        send(SIGQUIT);
        rota::sleep_for(std::chrono::hours(1));
    });
    return 0;
}

int closed_channel() {
    rota::run([] {
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGUSR1);
        c.close();
        send(SIGUSR1);
        block_for_ever();
    });
    return 0;
}

// A command is the first use of rota in this process.
int command_first() {
    const os::exit_status s = os::command({"/bin/sh", "-c", "exit 4"}).run();
    return s.code == 4 ? 0 : 1;
}

// SIGCHLD is ignored: the kernel discards the child's status.
int children_are_ignored() {
    ::signal(SIGCHLD, SIG_IGN);
    return rota::run([] {
        std::error_code error;
        os::command c({"/bin/true"});
        (void)c.run(error);
        if (error != std::errc::no_child_process) return 1;
        (void)c.wait(error);
        if (error != std::errc::no_child_process) return 2;
        c.kill(SIGTERM, error);
        return error == std::errc::no_such_process ? 0 : 3;
    });
}

// The process ends while a child runs and a goroutine waits for it.
int ends_with_children() {
    // The command is not destroyed. Only the waiting goroutine would hold its memory, and
    // LeakSanitizer does not see a goroutine that is about to park.
    static os::command& forgotten = *new os::command({"/bin/cat"});
    auto [reader, writer] = os::pipe();
    rota::run([&] {
        forgotten.stdin_from(reader).start();
        rota::go([] { (void)forgotten.wait(); });
        const auto c = rota::make_chan<int>(1);
        os::notify(c, SIGTERM);
        rota::runtime::gosched();
    });
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"waits_for_signal", waits_for_signal},
                     {"deadlock_after_stop", deadlock_after_stop},
                     {"default_after_stop", default_after_stop},
                     {"nohup", nohup},
                     {"broken_output", broken_output},
                     {"broken_output_notified", broken_output_notified},
                     {"quit_is_asked_for", quit_is_asked_for},
                     {"closed_channel", closed_channel},
                     {"command_first", command_first},
                     {"children_are_ignored", children_are_ignored},
                     {"ends_with_children", ends_with_children}});
}
