# `cmake --install build/release --prefix P`: lib/, include/rota/, lib/cmake/rota/,
# share/rota/rota-gdb.py.
# find_package(rota) finds the last.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ROTA_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/rota")

set(ROTA_INSTALLED rota)
if(TARGET rota_hook)
    list(APPEND ROTA_INSTALLED rota_hook)
endif()
install(TARGETS ${ROTA_INSTALLED} EXPORT rotaTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/rota" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The library has it inside (src/diag/pages/debugger.cpp); this is for programs without debug
# information.
install(FILES "${PROJECT_SOURCE_DIR}/tools/gdb/rota-gdb.py"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/rota")
if(BUILD_SHARED_LIBS)
    install(FILES "${PROJECT_SOURCE_DIR}/tools/gdb/rota-gdb.py"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/gdb/auto-load/${CMAKE_INSTALL_FULL_LIBDIR}"
        RENAME "librota.so.${PROJECT_VERSION}-gdb.py")
endif()

install(EXPORT rotaTargets NAMESPACE rota:: DESTINATION "${ROTA_CMAKE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/rotaConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/rotaConfig.cmake" INSTALL_DESTINATION "${ROTA_CMAKE_DIR}")
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rotaConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/rotaConfig.cmake"
    "${PROJECT_BINARY_DIR}/rotaConfigVersion.cmake"
    DESTINATION "${ROTA_CMAKE_DIR}")
