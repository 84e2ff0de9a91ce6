//===- TargetFlags.h - flags and targets that do not go together ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFTC_TARGETFLAGS_H
#define WEFT_TOOLS_WEFTC_TARGETFLAGS_H

#include "weft/Pipeline/Options.h"

#include "llvm/ADT/StringRef.h"

namespace weft {

/// Reads --target; empty is a processor. Returns what is wrong, or "".
std::string readTarget(llvm::StringRef name, TargetKind &target);

/// What the target cannot do of all that is asked for, or "".
std::string checkTarget(const CompileOptions &options);

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_TARGETFLAGS_H
