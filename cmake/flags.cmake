# The flags that the project's own targets share. What a user of the library must have too (stack
# probes, sanitizers) stands in src/CMakeLists.txt as PUBLIC and arrives by linking.

set(ROTA_SANITIZE_KINDS "" "address,undefined" "undefined" "thread")
if(NOT ROTA_SANITIZE IN_LIST ROTA_SANITIZE_KINDS)
    message(FATAL_ERROR "ROTA_SANITIZE=\"${ROTA_SANITIZE}\" is unknown; "
                        "it may be empty, \"address,undefined\", \"undefined\" or \"thread\"")
endif()

if(ROTA_LTO)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT ROTA_LTO_WORKS OUTPUT ROTA_LTO_WHY LANGUAGES CXX)
    if(NOT ROTA_LTO_WORKS)
        message(FATAL_ERROR "ROTA_LTO=ON, but ${CMAKE_CXX_COMPILER} cannot optimise at link time "
                            "here (clang needs llvm-ar and lld or LLVMgold.so of its own version; "
                            "apt-get install llvm-19 lld-19): ${ROTA_LTO_WHY}")
    endif()
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

# Warnings, for every target of this project. clang counts more to -Wconversion and -Wextra than g++
# does: changes of sign, a text as a truth value, as in ROTA_CHECK(!"why"), constants captured
# although a lambda could do without. We ask both for the same. g++'s notes on how it passed
# over-aligned arguments before version 4.6 are of no use to anybody. Its -Wrestrict, before version
# 13, takes the copies inside std::string for overlapping ones at -O3 (PR 105651), which is what a
# build without a preset optimises with.
function(rota_warnings target)
    set(gcc $<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>)
    set(gcc_12 $<AND:${gcc},$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
    set(clang $<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-fno-omit-frame-pointer>
        $<${gcc}:-Wno-psabi>
        $<${gcc_12}:-Wno-restrict>
        $<${clang}:-Wthread-safety;-Wno-sign-conversion;-Wno-string-conversion>
        $<${clang}:-Wno-unused-lambda-capture>)
    if(ROTA_WERROR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
    endif()
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# The view from inside: private headers, and the defines that they were compiled with.
function(rota_internals target)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    if(NOT ROTA_USDT)
        target_compile_definitions(${target} PRIVATE ROTA_USDT=0)
    endif()
    if(ROTA_DEBUG_CHECKS)
        target_compile_definitions(${target} PRIVATE ROTA_DEBUG_CHECKS=1)
    endif()
endfunction()
