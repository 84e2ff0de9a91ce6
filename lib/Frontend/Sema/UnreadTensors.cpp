//===- UnreadTensors.cpp - Parameters and inputs that nobody reads --------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "UnreadTensors.h"

using namespace llvm;

namespace weft::sema {

void UnreadTensors::declare(mlir::Value value, StringRef kind, StringRef name, SourceRange range) {
  Place place(range.begin.file, range.begin.offset);
  uses.insert({place, Use{kind.str(), name.str(), range, false}});
  declared.emplace_back(value, place);
}

void UnreadTensors::markUsed(mlir::Value value) {
  for (auto &[known, place] : declared)
    if (known == value)
      uses[place].used = true;
}

void UnreadTensors::finishEntry() {
  for (auto &[value, place] : declared)
    uses[place].used |= !value.use_empty();
  declared.clear();
}

void UnreadTensors::warn(Reporter &reporter) const {
  for (const auto &[place, use] : uses)
    if (!use.used)
      reporter.warning(use.range.begin, "the " + use.kind + " '" + use.name + "' is never read");
}

} // namespace weft::sema
