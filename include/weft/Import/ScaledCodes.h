//===- ScaledCodes.h - weights as codes of a table with scales ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each group of weights gets the scale that loses least of some below the one by which its largest
// is the table's largest; of tables that are floating-point numbers themselves it is that one, of
// mxfp4 one of the powers of two around it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMPORT_SCALEDCODES_H
#define WEFT_IMPORT_SCALEDCODES_H

#include "weft/Support/CodeFormat.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace weft {

/// The codes of a group of finite values and their scale; 0 where all values are 0.
float encodeGroup(llvm::ArrayRef<float> values, CodeTable table,
                  llvm::MutableArrayRef<uint8_t> codes);

/// A panel of `[k][nr]` reals as codes, columns being encoded by several threads.
std::vector<uint8_t> packScaledPanel(llvm::ArrayRef<float> panel, const ScaledPanel &shape);

/// What the codes of a tensor's rows stand for; rows run along some of its dimensions.
std::vector<float> restoreScaled(llvm::ArrayRef<float> values, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<unsigned> along, const CodeFormat &format);

} // namespace weft

#endif // WEFT_IMPORT_SCALEDCODES_H
