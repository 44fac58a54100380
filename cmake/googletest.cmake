# GTest::gtest and GTest::gtest_main: Debian's libgtest-dev, or, where there is none for the
# processor that we build for, the sources of Debian's package googletest.
if(CMAKE_CROSSCOMPILING)
    set(ROTA_GTEST_SOURCE "/usr/src/googletest/googletest")
    if(NOT EXISTS "${ROTA_GTEST_SOURCE}/src/gtest-all.cc")
        message(FATAL_ERROR "the tests need GoogleTest for ${CMAKE_SYSTEM_PROCESSOR}: no sources "
                            "in ${ROTA_GTEST_SOURCE}. Install them: apt-get install googletest; "
                            "or configure with -DROTA_BUILD_TESTS=OFF")
    endif()
    find_package(Threads REQUIRED)
    add_library(rota_gtest STATIC EXCLUDE_FROM_ALL "${ROTA_GTEST_SOURCE}/src/gtest-all.cc")
    target_include_directories(rota_gtest SYSTEM PUBLIC "${ROTA_GTEST_SOURCE}/include")
    target_include_directories(rota_gtest SYSTEM PRIVATE "${ROTA_GTEST_SOURCE}")
    target_compile_features(rota_gtest PUBLIC cxx_std_20)
    target_link_libraries(rota_gtest PUBLIC Threads::Threads)
    add_library(rota_gtest_main STATIC EXCLUDE_FROM_ALL "${ROTA_GTEST_SOURCE}/src/gtest_main.cc")
    target_link_libraries(rota_gtest_main PUBLIC rota_gtest)
    add_library(GTest::gtest ALIAS rota_gtest)
    add_library(GTest::gtest_main ALIAS rota_gtest_main)
else()
    find_package(GTest REQUIRED)
endif()
