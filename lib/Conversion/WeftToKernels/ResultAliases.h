//===- ResultAliases.h - results that are arguments -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_RESULTALIASES_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_RESULTALIASES_H

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// For the results of each function: the argument that it is, if it is a cache with new rows. The
/// caller has it already; all other results are written through output arguments.
using Aliases = llvm::StringMap<llvm::SmallVector<std::optional<unsigned>>>;

/// Those of all functions of the module but kernels.
Aliases findAliases(mlir::ModuleOp module);

/// Copies, in `function`, what cannot be written in its place at once, so that then
/// - every returned tensor but an alias is a different result of a formula or call, and
/// - the rows that a cache gets are the result of one, and wanted nowhere else.
void copyShared(mlir::func::FuncOp function, const Aliases &aliases);

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_RESULTALIASES_H
