# cmake -DOUTPUT=FILE -DROOT=DIR -DVERSION=0.1 -P WriteVersion.cmake
# Writes the version, and the commit if ROOT is a git repository (not merely inside of one), as macros.
# An unchanged file keeps its time, so that nothing is built again.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS "${ROOT}/.git")
  execute_process(COMMAND ${GIT} -C "${ROOT}" rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define WEFT_VERSION \"@VERSION@\"\n#define WEFT_COMMIT \"@commit@\"\n" @ONLY)
