// Calls on files, pipes and terminals.
//
// Results are as in sys/io/io.hpp: the kernel's, or a negative errno value. None of the functions
// retries or knows a goroutine. Several block.
#pragma once

#include <cstddef>
#include <cstdint>

struct stat;

namespace rota::rt {

// --- opening: nothing is inherited ---------------------------------------------------------------

int file_open(const char* path, int flags, unsigned mode);
int file_open_at(int directory, const char* name, int flags, unsigned mode = 0);
// The same for a path that must stay below the directory; -EXDEV: it leads out. -EAGAIN: a rename
// is under way, try again. -ENOSYS: the kernel has no such call, or a sandbox forbids it.
int file_open_beneath(int directory, const char* path, int flags, unsigned mode = 0);
std::int64_t file_read_link(int directory, const char* name, char* to, std::size_t size);
int file_pipe(int (&ends)[2]);               // neither end blocks
int file_copy(int fd);                       // another number, at least 3, same open file
int file_open_again(int fd, int flags);      // another open file, same file
int file_close(int fd);                      // frees the number whatever it returns
int file_flags(int fd);                      // open flags, without O_CLOEXEC
int file_set_blocking(int fd, bool blocks);  // for every user of the open file
int file_pipe_size(int fd);                  // bytes that it holds

// --- bytes ---------------------------------------------------------------------------------------

std::int64_t file_read(int fd, void* to, std::size_t size);
// Reads the bytes that need no wait for a disk, at `offset`, or for -1 at the file's own position.
// It may return less than asked for before the end. -EAGAIN: no byte is ready; -EOPNOTSUPP: the
// file system does not tell.
std::int64_t file_read_now(int fd, void* to, std::size_t size, std::int64_t offset);
std::int64_t file_write(int fd, const void* from, std::size_t size);
// As file_write, and SIGPIPE is not raised.
std::int64_t file_write_quietly(int fd, const void* from, std::size_t size);
std::int64_t file_read_at(int fd, void* to, std::size_t size, std::int64_t offset);
std::int64_t file_write_at(int fd, const void* from, std::size_t size, std::int64_t offset);
// From a file to a socket, from `offset` on; advances `offset`. SIGPIPE is not raised. -ENOSYS as
// above.
std::int64_t file_send(int to, int from, std::int64_t& offset, std::size_t size);
std::int64_t file_seek(int fd, std::int64_t offset, int whence);

// --- files ---------------------------------------------------------------------------------------

int file_stat(int fd, struct ::stat& to);
int file_is_program(const char* path);  // 0, or why it cannot be run
int file_sync(int fd);
int file_truncate(int fd, std::int64_t size);

}  // namespace rota::rt
