# How every target of the project is made: one place for warnings, precompiled headers and the link to the shared
# LLVM and MLIR libraries.

# What nearly every source includes, compiled once: of MLIR for those that have to do with it, of LLVM and the standard
# library for all others, and with GoogleTest for plain unit tests.
set(weft_plain_headers
    <deque> <functional> <map> <memory> <optional> <string> <unordered_map> <vector>
    <llvm/ADT/STLExtras.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringSwitch.h>
    <llvm/Support/Error.h> <llvm/Support/FileSystem.h> <llvm/Support/JSON.h> <llvm/Support/MathExtras.h>
    <llvm/Support/MemoryBuffer.h> <llvm/Support/raw_ostream.h>)
set(weft_mlir_headers
    <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/Builders.h> <mlir/IR/PatternMatch.h>
    <mlir/IR/AffineMap.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h> <mlir/Dialect/GPU/IR/GPUDialect.h> <weft/Dialect/Weft/IR/Weft.h>
    <llvm/ADT/StringMap.h> <llvm/ADT/TypeSwitch.h> <llvm/Support/Error.h> <llvm/Support/JSON.h> <llvm/Support/raw_ostream.h>)

function(weft_add_precompiled_header name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;HEADERS;OPTIONS" ${ARGN})
  if(NOT WEFT_PRECOMPILED_HEADER)
    return()
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/pch.cpp)
  weft_set_compile_options(${name})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(weft_add_precompiled_headers)
  weft_add_precompiled_header(WeftPlainHeader HEADERS ${weft_plain_headers})
  weft_add_precompiled_header(WeftPrecompiledHeader HEADERS ${weft_mlir_headers} DEPENDS WeftDialectGen)
  weft_add_precompiled_header(WeftTestHeader HEADERS ${weft_plain_headers} <gtest/gtest.h> OPTIONS -O0)
endfunction()

function(weft_set_compile_options target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
    # ccache needs a precompiled header whose bytes do not depend on the time.
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
    -Wall -Wextra -Wno-unused-parameter $<$<BOOL:${WEFT_ENABLE_WERROR}>:-Werror>)
endfunction()

function(weft_use_precompiled_header target header)
  if(WEFT_PRECOMPILED_HEADER)
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()
endfunction()

# Programs that are instrumented know which reports are LLVM's.
function(weft_add_sanitizer_options target)
  if(WEFT_ENABLE_SANITIZERS)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/utils/SanitizerOptions.cpp)
  endif()
endfunction()

# What a plain library stands on depends on the program that it is in: one with the property WEFT_LLVM_SUPPORT has of LLVM
# what it uses of the library of basic things, and starts in 2 ms instead of 30, most of which are relocations of libLLVM.so
# and libMLIR.so. All others have the shared library: both in one program would be two of everything.
set(weft_llvm "$<IF:$<BOOL:$<TARGET_PROPERTY:WEFT_LLVM_SUPPORT>>,$<TARGET_FILE:LLVMSupport>;$<TARGET_FILE:LLVMDemangle>,LLVM>")

# Sources instantiate the same templates. Those that follow, or ALL, are compiled alone.
function(weft_join_sources target)
  if(WEFT_JOIN_SOURCES AND NOT "${ARGN}" STREQUAL "ALL")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# weft_add_library(NAME [PLAIN] [FOLDERS folders] [DEPENDS generated targets] [LINK libraries] [APART sources]): all .cpp
# files of the folder, and of folders in it, which include headers of each other by the folder's name. PLAIN: for what has
# nothing to do with MLIR, without its precompiled header and libMLIR.so. APART: what is never compiled together with other
# sources, as its names of its own or of LLVM are also theirs; ALL of them.
function(weft_add_library name)
  cmake_parse_arguments(ARG "PLAIN" "" "FOLDERS;DEPENDS;LINK;APART" ${ARGN})
  list(TRANSFORM ARG_FOLDERS APPEND /*.cpp)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp ${ARG_FOLDERS})
  if(NOT sources)
    add_library(${name} INTERFACE)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  weft_set_compile_options(${name})
  if(ARG_PLAIN)
    weft_use_precompiled_header(${name} WeftPlainHeader)
    target_link_libraries(${name} PUBLIC ${ARG_LINK} ${weft_llvm})
  else()
    weft_use_precompiled_header(${name} WeftPrecompiledHeader)
    target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  endif()
  weft_join_sources(${name} ${ARG_APART})
  if(ARG_FOLDERS)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# weft_embed_json(TARGET NAME): a table, NAME.json, which sources of the library include as a string, "NAME.inc".
function(weft_embed_json target name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${name}.json)
  file(READ ${name}.json text)
  file(CONFIGURE OUTPUT ${name}.inc CONTENT "R\"json(@text@)json\"" @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# weft_add_tool(NAME [PLAIN | LLVM_SUPPORT] [LINK libraries]): a program of all .cpp files of the folder. PLAIN: without MLIR;
# LLVM_SUPPORT: with neither MLIR nor libLLVM.so. All that these link is plain.
function(weft_add_tool name)
  cmake_parse_arguments(ARG "PLAIN;LLVM_SUPPORT" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${sources})
  weft_set_compile_options(${name})
  weft_add_sanitizer_options(${name})
  if(ARG_PLAIN OR ARG_LLVM_SUPPORT)
    weft_use_precompiled_header(${name} WeftPlainHeader)
    set_target_properties(${name} PROPERTIES WEFT_LLVM_SUPPORT ${ARG_LLVM_SUPPORT})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} ${weft_llvm})
  else()
    weft_use_precompiled_header(${name} WeftPrecompiledHeader)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  endif()
endfunction()
