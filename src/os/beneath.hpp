// Opening a file below a directory, and nowhere else. Go: os.Root.
#pragma once

namespace rota::os {

// The number of the file at `path`, or an errno value with its sign turned. -EXDEV: the path, or a
// symbolic link on it, leads out of the directory; an absolute path or link does.
// `directory` may be opened with O_PATH. `mode` is that of a file that is made. Blocks the thread.
int open_beneath(int directory, const char* path, int flags, unsigned mode = 0);

}  // namespace rota::os
