//===- LocationText.cpp - where a formula stands in its text --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/LocationText.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

FileLineColLoc weft::findPlace(Location location) {
  // Of formulas that were fused, the last one is what the result stands for.
  while (auto fused = dyn_cast<FusedLoc>(location)) {
    if (fused.getLocations().empty())
      return {};
    location = fused.getLocations().back();
  }
  return location->findInstanceOf<FileLineColLoc>();
}

std::string weft::locationText(Location location) {
  FileLineColLoc place = findPlace(location);
  if (!place)
    return {};
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
          Twine(place.getColumn()))
      .str();
}
