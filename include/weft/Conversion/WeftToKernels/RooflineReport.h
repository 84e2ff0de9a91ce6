//===- RooflineReport.h - what bounds each kernel ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CONVERSION_WEFTTOKERNELS_ROOFLINEREPORT_H
#define WEFT_CONVERSION_WEFTTOKERNELS_ROOFLINEREPORT_H

#include "weft/Support/MachineLimits.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// A kernel that an entry runs.
struct KernelRoofline {
  std::string name;                 ///< "context.attention"
  int64_t calls = 0;                ///< in one call of the entry
  KernelWork work;                  ///< of one call of the kernel
  llvm::SmallVector<int64_t> sizes; ///< that its launch passes
};

struct EntryRoofline {
  std::string name;
  std::vector<int64_t> symbols;        ///< values, in the order of `weft.symbols`
  std::vector<KernelRoofline> kernels; ///< in the order of their first calls
};

/// What the kernels of a module of stage `kernels` or `loops` do (`weft.work`), with run-time
/// dimensions at these values and the others at their bounds.
std::vector<EntryRoofline> reportRoofline(mlir::ModuleOp module,
                                          const llvm::StringMap<int64_t> &sizes);

/// Prints a table for each entry, the longest kernels first: time, operations, bytes, what binds.
void printRoofline(llvm::ArrayRef<EntryRoofline> report, const MachineLimits &machine,
                   int64_t allWeights, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_CONVERSION_WEFTTOKERNELS_ROOFLINEREPORT_H
