// Loads plugins: host CASE MODE FILE [FILE]. MODE is local or global. With ROTA_TEST_HOST_HAS_COPY
// the program also contains a copy of the runtime, which works at the same time.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

#if ROTA_TEST_HOST_HAS_COPY
#include "work.hpp"
#endif

namespace {

int flags = RTLD_NOW;

void* load(const char* file) {
    void* const plugin = ::dlopen(file, flags);
    if (plugin == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        std::exit(65);
    }
    return plugin;
}

template <class F>
F* find(void* plugin, const char* name) {
    auto* const f = reinterpret_cast<F*>(::dlsym(plugin, name));
    if (f == nullptr) std::exit(66);
    return f;
}

// Waits until the condition holds, for at most 20 s.
template <class C>
bool eventually(C condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

// Runs every copy at once; returns 0, or the sum of the failure numbers.
int work(const std::vector<const char*>& files) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (const char* file : files) {
        auto* const f = find<int()>(load(file), "plugin_work");
        threads.emplace_back([f, &wrong] { wrong += f(); });
    }
#if ROTA_TEST_HOST_HAS_COPY
    wrong += plugin_test::work();
#endif
    for (std::thread& t : threads) t.join();
    return wrong;
}

// Each plugin is closed while its goroutines and its sysmon continue.
int close_at_work(const std::vector<const char*>& files) {
    for (const char* file : files) {
        static std::atomic<int> counts[2];
        std::atomic<int>& count = counts[file == files[0] ? 0 : 1];
        void* const plugin = load(file);
        find<void(std::atomic<int>*)>(plugin, "plugin_count")(&count);
        if (!eventually([&] { return count > 3; })) return 1;
        if (::dlclose(plugin) != 0) return 2;
        const int seen = count;
        if (!eventually([&] { return count > seen + 50; })) return 3;
    }
    return 0;
}

// A plugin is unloaded if the program has never used its runtime.
int close_unused(const std::vector<const char*>& files) {
    for (const char* file : files) {
        if (::dlclose(load(file)) != 0) return 1;
        if (::dlopen(file, RTLD_NOW | RTLD_NOLOAD) != nullptr) return 2;
    }
    return 0;
}

// A goroutine of the last plugin faults, after each plugin has worked.
int fault(const std::vector<const char*>& files) {
    if (const int wrong = work(files)) return wrong;
    find<void()>(load(files.back()), "plugin_fault")();
    return 3;
}

// The same in the first plugin, which has the older handlers.
int first_fault(const std::vector<const char*>& files) {
    if (const int wrong = work(files)) return wrong;
    find<void()>(load(files.front()), "plugin_fault")();
    return 3;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 64;
    flags |= std::strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    const std::vector<const char*> files(argv + 3, argv + argc);
    const std::string name = argv[1];
    if (name == "work") return work(files);
    if (name == "close_at_work") return close_at_work(files);
    if (name == "close_unused") return close_unused(files);
    if (name == "fault") return fault(files);
    if (name == "first_fault") return first_fault(files);
    return 64;
}
