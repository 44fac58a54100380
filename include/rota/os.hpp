// The operating system: files, processes, signals. Go: package os, os/exec, os/signal.
#pragma once

#include <rota/os/command.hpp>
#include <rota/os/file.hpp>
#include <rota/os/signal.hpp>
