//===- Version.cpp - The version of Weft ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/Version.h"

#include "Version.inc" // made by cmake/WriteVersion.cmake
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

llvm::StringRef weft::version() { return WEFT_VERSION; }

void weft::printVersion(llvm::StringRef program, llvm::raw_ostream &os) {
  llvm::StringRef commit = WEFT_COMMIT;
  os << program << " of Weft " << version() << (commit.empty() ? "" : ", commit ") << commit
     << "\nLLVM " << LLVM_VERSION_STRING << "\n";
}
