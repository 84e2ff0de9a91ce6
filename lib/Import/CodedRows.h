//===- CodedRows.h - weights as codes, a row at a time --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_CODEDROWS_H
#define WEFT_LIB_IMPORT_CODEDROWS_H

#include "MatrixPlaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace weft {

/// Reads the elements `first`, `first + 1`, ... of a view.
using WeightSource = llvm::function_ref<void(int64_t first, llvm::MutableArrayRef<float> out)>;

/// The dimensions of a coded tensor along which it is not coded: those of its rows.
llvm::SmallVector<unsigned> keptDims(const PackedWeight &weight);

/// What is known of the rows of a coded tensor, by their number.
struct CodedRows {
  std::vector<float> scales;
  std::vector<int32_t> sums;
  bool isFinite = true; ///< all elements are
};

/// The scales of a tensor are searched once for all its parts.
class CodedRowsCache {
public:
  const CodedRows &get(const PackedWeight &weight, WeightSource source);

private:
  std::map<std::pair<std::string, std::vector<unsigned>>, CodedRows> known;
};

/// Passes the codes of the tensor to `put`, in the order in which they are stored.
void writeCodes(const PackedWeight &weight, const CodedRows &rows, WeightSource source,
                llvm::function_ref<void(llvm::ArrayRef<int8_t>)> put);

} // namespace weft

#endif // WEFT_LIB_IMPORT_CODEDROWS_H
