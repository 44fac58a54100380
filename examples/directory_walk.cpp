// Bounded parallel directory walk: a goroutine for each directory, but only so many in the file
// system at once.
//
// Go: a goroutine for each directory, a sync.WaitGroup for the tree, a semaphore for the file
// system. Go's runtime notices every system call. A C++ library cannot, so calls that may block the
// thread go into rota::blocking: the processor serves other goroutines meanwhile. The bound matters
// all the more: each goroutine inside rota::blocking occupies a thread.
//
//     directory_walk [DIR]      without DIR: a tree made for the purpose and removed again
//
// What to see: directories, files and bytes below DIR.
// Last line: 40 directories, 80 files, 8000 bytes
#include <rota/go.hpp>
#include <rota/sync.hpp>

#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

class tree_walk {
  public:
    explicit tree_walk(std::ptrdiff_t at_once) : places_(at_once) {}

    void run(const fs::path& root) {
        visit_later(root);
        visiting_.wait();
    }

    void print() const {
        for (const std::string& text : errors_) std::fprintf(stderr, "%s\n", text.c_str());
        std::printf("%d directories, %d files, %llu bytes\n", directories_.load(), files_.load(),
                    static_cast<unsigned long long>(bytes_.load()));
    }
    bool failed() const { return !errors_.empty(); }

  private:
    void visit_later(fs::path directory) {
        visiting_.go([this, directory = std::move(directory)] { visit(directory); });
    }

    void visit(const fs::path& directory) {
        std::vector<fs::path> below;
        places_.acquire();
        try {
            rota::blocking([&] { list(directory, below); });
        } catch (const fs::filesystem_error& e) {
            const std::lock_guard lock(errors_mutex_);
            errors_.push_back(e.what());
        }
        places_.release();
        ++directories_;
        for (fs::path& child : below) visit_later(std::move(child));
    }

    void list(const fs::path& directory, std::vector<fs::path>& below) {
        for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
            if (entry.is_symlink()) continue;
            if (entry.is_directory()) {
                below.push_back(entry.path());
            } else if (entry.is_regular_file()) {
                ++files_;
                bytes_ += entry.file_size();
            }
        }
    }

    rota::counting_semaphore<> places_;
    rota::wait_group visiting_;
    std::atomic<int> directories_ = 0;
    std::atomic<int> files_ = 0;
    std::atomic<std::uintmax_t> bytes_ = 0;
    rota::mutex errors_mutex_;
    std::vector<std::string> errors_;  // guarded by errors_mutex_ while goroutines walk
};

// Three directories in each, three levels deep, two files of 100 bytes in each.
void plant(const fs::path& directory, int levels) {
    fs::create_directory(directory);
    for (const char* name : {"a", "b"}) std::ofstream(directory / name) << std::string(100, 'x');
    for (int i = 0; levels > 0 && i < 3; ++i) plant(directory / std::to_string(i), levels - 1);
}

int walk(const char* wanted) {
    fs::path root = wanted == nullptr ? "" : wanted;
    std::string scratch = (fs::temp_directory_path() / "rota-walk-XXXXXX").string();
    if (wanted == nullptr) {
        if (::mkdtemp(scratch.data()) == nullptr) {
            std::perror(scratch.c_str());
            return 1;
        }
        root = fs::path(scratch) / "tree";
        rota::blocking([&] { plant(root, 3); });
    }
    const rota::defer clean_up([&] {
        if (wanted == nullptr) rota::blocking([&] { fs::remove_all(scratch); });
    });
    tree_walk tree(8);
    tree.run(root);
    tree.print();
    return tree.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    return rota::run([&] { return walk(argc > 1 ? argv[1] : nullptr); });
}
