//===- InstalledFiles.h - what lies beside the running program ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_INSTALLEDFILES_H
#define WEFT_SUPPORT_INSTALLEDFILES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace weft {

/// The library `name` (libweft_runtime.a, ...) in the folder of libraries that goes with the folder
/// of the running program: in the build tree, under any prefix, with or without Debian's name of
/// the architecture, however the program was called. Empty if it is not there.
std::string findInstalledLibrary(llvm::StringRef name);

} // namespace weft

#endif // WEFT_SUPPORT_INSTALLEDFILES_H
