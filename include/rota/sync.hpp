// Synchronisation: locks, condition variables, counts of what is to come, groups.
#pragma once

#include <rota/sync/barrier.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/error_group.hpp>
#include <rota/sync/latch.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/once.hpp>
#include <rota/sync/pool.hpp>
#include <rota/sync/semaphore.hpp>
#include <rota/sync/shared_mutex.hpp>
#include <rota/sync/singleflight.hpp>
#include <rota/sync/wait_group.hpp>
#include <rota/sync/weighted_semaphore.hpp>
