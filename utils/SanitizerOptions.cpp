//===- SanitizerOptions.cpp - what instrumented programs report -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Part of every program of a build with WEFT_ENABLE_SANITIZERS, and read by the sanitizers before
// main. The shared LLVM and MLIR libraries are not instrumented, but inline code of their headers
// is: what one half marks or allocates the other half uses without knowing. ASAN_OPTIONS,
// LSAN_OPTIONS and UBSAN_OPTIONS of the environment override what is said here.
//
//===----------------------------------------------------------------------------------------===//

extern "C" const char *__asan_default_options();
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__ubsan_default_options();

const char *__asan_default_options() {
  return "allow_user_poisoning=0:"      // BumpPtrAllocator poisons slabs that the libraries fill
         "detect_container_overflow=0:" // vectors that grow on both sides
         "detect_odr_violation=0:"      // the type ids of MLIR are in the programs and libraries
         "alloc_dealloc_mismatch=0";    // operator new inlined on one side only
}

// What the libraries keep until the end of the program.
const char *__lsan_default_suppressions() { return "leak:libLLVM\nleak:libMLIR\n"; }

const char *__ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }
