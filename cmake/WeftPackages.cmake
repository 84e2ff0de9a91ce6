# Debian packages: `cpack` in the build folder writes weft (component tools) and libweft-dev (component dev). Configure
# with CMAKE_INSTALL_PREFIX=/usr for Debian's folders.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The developers of Weft <weft@localhost>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tools dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME weft)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
# weftc links libraries and programs by `cc`.
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "gcc | c-compiler")
set(CPACK_COMPONENT_TOOLS_DEPENDS dev)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "ahead-of-time compiler for transformers
weftc compiles transformers, given as formulas or as a Hugging Face folder, to
 objects, libraries and programs; weft-run runs them.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libweft-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libc6-dev | libc-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "python3-numpy")
set(CPACK_COMPONENT_DEV_DESCRIPTION "headers and runtime for models compiled by Weft
What a program needs to call a model that weftc compiled: C and C++ headers, the
 runtime as archives and as a shared library, CMake and pkg-config files, and a
 Python package.")
include(CPack)
