//===- FusionReport.h - what the fusions made of a model ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// `weftc --report=fusion`: for every entry and layer of stage `fused`, what streams, over which
// keys and with which masks, what was folded into what, and what stayed, with the formula and the
// reason.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_FUSIONREPORT_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_FUSIONREPORT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weft {

/// One formula of stage `fused`.
struct FusedFormula {
  std::string name;                ///< what it defines, "context"
  std::string place;               ///< "gpt2.weft:41:3", of what the result stands for
  std::string form;                ///< "softmax over s streams for each h, t: 1 dot product"
  bool streams = false;            ///< an attention: no tensor of pairs is made for it
  std::vector<std::string> folded; ///< names of the formulas that are computed in it
  std::string reason;              ///< why it is a tensor of pairs or a softmax; empty for others
};

/// The formulas of an entry or a layer that fused or could have.
struct FunctionFusions {
  std::string function;
  bool entry = false;
  std::vector<FusedFormula> formulas; ///< in the order of the text
  unsigned numOthers = 0;             ///< formulas that nothing was folded into
};

/// What stands in a module of stage `fused`. Steps are left out: they compute the same by rows.
std::vector<FunctionFusions> reportFusion(mlir::ModuleOp module);

/// Prints the report, a line for each formula and one for each of its parts.
void printFusion(const std::vector<FunctionFusions> &report, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_FUSIONREPORT_H
