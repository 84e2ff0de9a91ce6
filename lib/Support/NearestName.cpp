//===- NearestName.cpp - What an unknown name was meant to be -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/NearestName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

llvm::StringRef weft::nearestName(llvm::StringRef name,
                                  llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef best;
  // A name of one or two letters is near to every other one: no suggestion is better.
  unsigned bestDistance = static_cast<unsigned>(name.size() < 3 ? 0 : (name.size() + 2) / 3) + 1;
  for (llvm::StringRef candidate : candidates) {
    // Differing only in case is always near.
    unsigned distance = name.equals_insensitive(candidate)
                            ? 0
                            : name.edit_distance(candidate, /*AllowReplacements=*/true,
                                                 /*MaxEditDistance=*/bestDistance);
    if (distance < bestDistance && candidate != name) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string weft::suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest = nearestName(name, candidates);
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}

std::string weft::choices(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  std::string nearest = suggestion(name, candidates);
  return nearest + (nearest.empty() ? "; the" : " The") +
         (candidates.size() == 1 ? " only choice is " : " choices are ") +
         llvm::join(candidates, ", ");
}
