# `cmake --install build/release --prefix P`: lib/, include/rota/, lib/cmake/rota/.
# find_package(rota) finds the last.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ROTA_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/rota")

install(TARGETS rota EXPORT rotaTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/rota" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

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
