//===- ProductLayout.h - which factor of a product lies in panels, and how ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_PRODUCTLAYOUT_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_PRODUCTLAYOUT_H

#include "weft/Dialect/Weft/IR/Product.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace weft {

/// The contraction as a product whose columns are the elements that the output stores side by side;
/// nothing if no factor has such columns.
std::optional<Product> chooseColumns(ContractOp op);

/// Panels of `nr` columns for the factor B, if each of its dimensions is read as a whole by one
/// index alone.
LayoutAttr getPanels(ContractOp op, const Product &product, int64_t nr);

/// Which products and attentions have so many rows that panels made for them alone pay.
class ManyRows {
public:
  explicit ManyRows(mlir::ModuleOp module);
  bool of(ContractOp op, const Product &product) const;
  /// More rows of scores that share keys and values, of queries or heads, than one task has.
  bool of(AttentionOp op) const;

private:
  bool isCount(IndexAttr index) const;

  llvm::StringSet<> counts;
  llvm::StringRef batch;
};

} // namespace weft

#endif
