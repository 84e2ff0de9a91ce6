//===- NearestName.h - What an unknown name was meant to be ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_NEARESTNAME_H
#define WEFT_SUPPORT_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace weft {

/// The candidate nearest to `name` (edit distance at most a third of its length, at least 1), or ""
/// if none is near. Ties go to the earlier candidate.
llvm::StringRef nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// "; did you mean 'NEAREST'?" or "": what an error about an unknown name ends with.
std::string suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

/// The suggestion and all that there is: "; did you mean 'NEAREST'? The choices are A, B, C".
std::string choices(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace weft

#endif // WEFT_SUPPORT_NEARESTNAME_H
