# What `cmake --install` puts where. Component `tools` runs the compiler, component `dev` builds programs with compiled
# models; the tools need `dev`, since weftc links the runtime into what it makes. Nothing names the prefix: the tree can
# be moved.
include(CMakePackageConfigHelpers)

install(TARGETS weftc weft-run weft-opt weft-lsp-server weft-gpu-emu
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# The driver that weft-gpu-emu gives to programs.
install(TARGETS weft_gpu_emu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools)

# Pages and completions are made by the tools themselves, from their tables of options.
find_program(WEFT_PYTHON NAMES python3 REQUIRED DOC "The Python that makes man pages and completions")
set(described_tools weftc weft-run weft-gpu-emu)
set(pages ${CMAKE_BINARY_DIR}/share)
list(TRANSFORM described_tools REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE described_programs)
add_custom_command(OUTPUT ${pages}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND ${WEFT_PYTHON} ${CMAKE_SOURCE_DIR}/utils/option_pages.py --folder ${pages} ${described_programs}
  COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
  DEPENDS ${described_tools} ${CMAKE_SOURCE_DIR}/utils/option_pages.py ${CMAKE_SOURCE_DIR}/utils/completions.py
  COMMENT "Writing man pages and completions" VERBATIM)
add_custom_target(weft-option-pages ALL DEPENDS ${pages}/stamp)
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
install(DIRECTORY ${pages}/bash-completion ${pages}/fish DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT tools)
# Debian's zsh looks below /usr in a folder of its own.
set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh_folder vendor-completions)
endif()
install(DIRECTORY ${pages}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT tools)

# The texts that weftc carries, for people to read and to copy from.
install(DIRECTORY lib/Library/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/library COMPONENT tools
  FILES_MATCHING PATTERN "*.weft")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)

# The archives are installed where they are made: lib/Runtime.
install(DIRECTORY include/weft/Runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libweft-dev COMPONENT dev)
# Debian's Python looks below /usr in a folder of its own; elsewhere PYTHONPATH names it.
set(python_folder ${CMAKE_INSTALL_DATADIR}/weft/python)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(python_folder lib/python3/dist-packages)
endif()
install(DIRECTORY lib/Python/weft DESTINATION ${python_folder} COMPONENT dev FILES_MATCHING PATTERN "*.py")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Weft)
configure_package_config_file(cmake/package/WeftConfig.cmake.in ${CMAKE_BINARY_DIR}/package/WeftConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before version 1 a minor version may change anything.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/WeftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/WeftConfig.cmake ${CMAKE_BINARY_DIR}/package/WeftConfigVersion.cmake
  cmake/package/WeftAddModel.cmake DESTINATION ${package_folder} COMPONENT dev)

file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/package/weft.pc.in ${CMAKE_BINARY_DIR}/package/weft.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
