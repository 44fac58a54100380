# libnghttp2, the frames of HTTP/2: found, and attacked as two published attacks do.
#
# A library without the mends of 2024 and 2026 is refused. Distributions put these into older
# versions without another number, so a program asks the library itself (nghttp2_probe.c). It runs
# again when the library's file has changed. Not where the build is for another machine: there the
# person who installs the program answers for the library.
find_library(ROTA_NGHTTP2 nghttp2 REQUIRED)

file(REAL_PATH "${ROTA_NGHTTP2}" ROTA_NGHTTP2_FILE)
file(SIZE "${ROTA_NGHTTP2_FILE}" ROTA_NGHTTP2_SIZE)
file(TIMESTAMP "${ROTA_NGHTTP2_FILE}" ROTA_NGHTTP2_TIME)
set(ROTA_NGHTTP2_SEEN "${ROTA_NGHTTP2_FILE}, ${ROTA_NGHTTP2_SIZE} bytes, ${ROTA_NGHTTP2_TIME}")

function(rota_probe_nghttp2)
    if(CMAKE_CROSSCOMPILING)
        message(STATUS "libnghttp2 is not probed: this is a cross build")
        return()
    endif()
    if(ROTA_NGHTTP2_PROBED STREQUAL ROTA_NGHTTP2_SEEN)
        return()
    endif()
    try_run(status compiled SOURCES "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/nghttp2_probe.c" NO_CACHE
        LINK_LIBRARIES "${ROTA_NGHTTP2}"
        COMPILE_OUTPUT_VARIABLE compiler_output)
    if(NOT compiled)
        message(FATAL_ERROR "the probe of ${ROTA_NGHTTP2_FILE} does not compile. Is nghttp2.h "
                            "there (apt-get install libnghttp2-dev)?\n${compiler_output}")
    endif()
    if(status STREQUAL "1")
        set(fault "takes a head of any number of CONTINUATION frames (CVE-2024-28182)")
    elseif(status STREQUAL "2")
        set(fault "aborts the process for a faulty frame behind the end of a session "
                  "(CVE-2026-27135)")
    elseif(NOT status STREQUAL "0")
        set(fault "does not run the probe (${status})")
    else()
        set(ROTA_NGHTTP2_PROBED "${ROTA_NGHTTP2_SEEN}" CACHE INTERNAL "The libnghttp2 that passed")
        return()
    endif()
    string(CONCAT fault ${fault})
    message(FATAL_ERROR "${ROTA_NGHTTP2_FILE} ${fault}: any client could stop a server. Install a "
                        "mended one: nghttp2 1.68.1, or the security update of your distribution "
                        "(Debian 12: 1.52.0-1+deb12u3, Debian 13: 1.64.0-1.1+deb13u2), by "
                        "apt-get update && apt-get install --only-upgrade libnghttp2-14")
endfunction()
rota_probe_nghttp2()
