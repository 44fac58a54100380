// Synchronisation: mutex, wait_group.
#pragma once

#include <rota/sync/mutex.hpp>
#include <rota/sync/wait_group.hpp>
