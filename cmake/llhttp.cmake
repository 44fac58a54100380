# llhttp, the parser of HTTP heads: C sources as Debian's package node-llhttp ships them, compiled
# into the library. Strict mode rejects what its default lets pass.
set(ROTA_LLHTTP_SOURCE "/usr/share/llhttp" CACHE PATH "llhttp's C sources: api.c, http.c, llhttp.c")
set(ROTA_LLHTTP_INCLUDE "/usr/share/include/llhttp" CACHE PATH "Where llhttp.h is")
foreach(file "${ROTA_LLHTTP_SOURCE}/llhttp.c" "${ROTA_LLHTTP_INCLUDE}/llhttp.h")
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "rota::http needs llhttp: no ${file}. Install it: apt-get install "
                            "node-llhttp; or say where it is: -DROTA_LLHTTP_SOURCE, "
                            "-DROTA_LLHTTP_INCLUDE")
    endif()
endforeach()

add_library(rota_llhttp OBJECT
    "${ROTA_LLHTTP_SOURCE}/api.c" "${ROTA_LLHTTP_SOURCE}/http.c" "${ROTA_LLHTTP_SOURCE}/llhttp.c")
set_target_properties(rota_llhttp PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    INTERPROCEDURAL_OPTIMIZATION OFF
    C_VISIBILITY_PRESET hidden)
target_compile_definitions(rota_llhttp PUBLIC LLHTTP_STRICT_MODE=1)
target_include_directories(rota_llhttp SYSTEM PUBLIC "${ROTA_LLHTTP_INCLUDE}")
target_compile_options(rota_llhttp PRIVATE -w -fstack-clash-protection)
# It calls our callbacks by pointers of slightly other types, which UBSan reports.
if(ROTA_SANITIZE)
    target_compile_options(rota_llhttp PRIVATE
        -fsanitize=${ROTA_SANITIZE} -fno-sanitize-recover=all
        $<$<C_COMPILER_ID:Clang>:-fno-sanitize=function>)
endif()
