//===- ParameterUses.cpp - Parameters that nobody reads -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ParameterUses.h"

using namespace llvm;

namespace weft::sema {

void ParameterUses::declare(mlir::Value value, StringRef name, SourceRange range) {
  Place place(range.begin.file, range.begin.offset);
  uses.insert({place, Use{name.str(), range, false}});
  declared.emplace_back(value, place);
}

void ParameterUses::markUsed(mlir::Value value) {
  for (auto &[known, place] : declared)
    if (known == value)
      uses[place].used = true;
}

void ParameterUses::finishEntry() {
  for (auto &[value, place] : declared)
    uses[place].used |= !value.use_empty();
  declared.clear();
}

void ParameterUses::warnUnused(DiagnosticEngine &diagnostics) const {
  for (const auto &[place, use] : uses)
    if (!use.used)
      diagnostics.warning(use.range.begin, "the parameter '" + use.name + "' is never read");
}

} // namespace weft::sema
