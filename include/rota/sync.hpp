// Synchronisation: mutex, condition_variable, once_flag, wait_group, latch, barrier, semaphores.
#pragma once

#include <rota/sync/barrier.hpp>
#include <rota/sync/condition_variable.hpp>
#include <rota/sync/latch.hpp>
#include <rota/sync/mutex.hpp>
#include <rota/sync/once.hpp>
#include <rota/sync/semaphore.hpp>
#include <rota/sync/wait_group.hpp>
