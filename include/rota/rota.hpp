// Includes every public header of rota.
#pragma once

#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/debug.hpp>
#include <rota/go.hpp>
#include <rota/http.hpp>
#include <rota/leak.hpp>
#include <rota/metrics.hpp>
#include <rota/net.hpp>
#include <rota/os.hpp>
#include <rota/panic.hpp>
#include <rota/pprof.hpp>
#include <rota/runtime.hpp>
#include <rota/scope.hpp>
#include <rota/select.hpp>
#include <rota/sync.hpp>
#include <rota/synctest.hpp>
#include <rota/time.hpp>
#include <rota/tls.hpp>
#include <rota/trace.hpp>
