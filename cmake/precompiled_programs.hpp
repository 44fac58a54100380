// What most examples and workloads include, compiled once for all of them in the builds that shall
// be quick (ROTA_UNITY). Each still names what it uses: other builds do without this.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <rota/rota.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
