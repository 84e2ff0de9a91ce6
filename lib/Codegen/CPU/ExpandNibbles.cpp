//===- ExpandNibbles.cpp - codes of 4 bits as bytes -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ExpandNibbles.h"

#include "NibbleGroups.h"

#include "weft/Codegen/Common/Kernel.h"

using namespace mlir;
using namespace weft;

int64_t weft::getExpandedBytes(const NibblePanel &panel, int64_t rows) {
  return int64_t(llvm::divideCeil(rows, kNibblePair)) * 2 * panel.getRowBytes();
}

void weft::expandNibbles(LaneBuilder &lanes, const NibblePanel &panel, Nibbles what, Value source,
                         Value target, const Lanes &firstK, const Lanes &sizeK, int64_t ahead) {
  NibbleGroups groups(lanes, panel, source, firstK, sizeK);
  groups.loop({}, [&](NibbleGroups::Group &group, ValueRange) {
    SmallVector<std::pair<Value, Value>> shared;
    if (what == Nibbles::Codes)
      for (NibbleVector &vector : group.vectors)
        shared.emplace_back(vector.getWordFactors(), vector.getZeroCodes());
    lanes.loop(groups.numPairs, {}, [&](const Lanes &iv, ValueRange) {
      Value from = addElements(lanes, group.numbers, lanes.mul(iv, lanes.constant(panel.nr)));
      Lanes pair = lanes.add(group.firstPair, iv);
      Value to = addElements(lanes, target, lanes.mul(pair, lanes.constant(2 * panel.nr)));
      for (auto [v, vector] : llvm::enumerate(group.vectors)) {
        int64_t column = int64_t(v) * lanes.width;
        Value place = addElements(lanes, from, column), both = vector.loadNumbers(place);
        groups.fetchLine(place, v, ahead);
        for (bool isUpper : {false, true}) {
          Value bytes = shared.empty()
                            ? vector.getNumbers(both, isUpper)
                            : vector.getCodes(both, isUpper, shared[v].first, shared[v].second);
          storeVector(lanes, addElements(lanes, to, column + (isUpper ? panel.nr : 0)), bytes);
        }
      }
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}
