# protozero, the writer of protocol buffers for profiles: headers of Debian's package
# libprotozero-dev, for every processor alike. They alone are put on the path of the one file that
# needs them, so that a cross build sees no other header of this machine.
set(ROTA_PROTOZERO_INCLUDE "/usr/include/protozero" CACHE PATH "protozero's headers")
if(NOT EXISTS "${ROTA_PROTOZERO_INCLUDE}/pbf_writer.hpp")
    message(FATAL_ERROR "rota::pprof needs protozero: no ${ROTA_PROTOZERO_INCLUDE}/pbf_writer.hpp. "
                        "Install it: apt-get install libprotozero-dev; or say where it is: "
                        "-DROTA_PROTOZERO_INCLUDE")
endif()
set(ROTA_PROTOZERO_PATH "${PROJECT_BINARY_DIR}/protozero")
file(MAKE_DIRECTORY "${ROTA_PROTOZERO_PATH}")
file(CREATE_LINK "${ROTA_PROTOZERO_INCLUDE}" "${ROTA_PROTOZERO_PATH}/protozero" SYMBOLIC)
