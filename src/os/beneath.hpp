// Opening a file below a directory, and nowhere else. Go: os.Root.
#pragma once

namespace rota::os {

// The number of the file at `path`, which is relative; or an errno value with its sign turned.
// -EXDEV: the path, or a symbolic link on it, leads out of the directory; an absolute link does.
// `directory` may be opened with O_PATH. Blocks the thread.
int open_beneath(int directory, const char* path, int flags);

}  // namespace rota::os
