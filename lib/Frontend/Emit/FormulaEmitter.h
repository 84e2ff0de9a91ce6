//===- FormulaEmitter.h - A formula becomes ops ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every reduction becomes an op of its own over the indices it depends on; what remains is one
// weft.map, or nothing if the formula is a reduction. Before, every read is planned: through an
// affine map where the element exists for all values of the indices, otherwise by weft.at, with a
// run-time check where data decides whether the element exists.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_FORMULAEMITTER_H
#define WEFT_LIB_FRONTEND_EMIT_FORMULAEMITTER_H

#include "BodyEmitter.h"
#include "Function.h"
#include "Types.h"

namespace weft::sema {

class FormulaEmitter {
public:
  FormulaEmitter(Reporter &reporter, Function &function, Formula &formula, llvm::StringRef label,
                 bool constant)
      : reporter(reporter), function(function), formula(formula), label(label), constant(constant),
        planner(reporter, bounds) {}

  Tensor emit(const Scalar *root, SourceRange range);

private:
  /// What a reduction became: its value over these indices.
  struct Emitted {
    mlir::Value value;
    IndexList indices;
  };

  Emitted emitReduction(const Scalar *node, bool isRoot);
  mlir::Value emitSoftmax(const Scalar *node, OpBody &body, mlir::Type type, mlir::Location loc);
  mlir::Value emitReduce(const Scalar *node, OpBody &body, mlir::Type type, mlir::Location loc);
  mlir::Value emitMap(const Scalar *root, SourceRange range);
  void emitChecks(const PendingCheck &check);
  mlir::Operation *emitCheck(const PendingCheck &check, const Scalar *coordinate,
                             const std::string &what);
  void collect(const Scalar *scalar, OpBody &body);
  void addInput(const Scalar *scalar, mlir::Value value, mlir::AffineMap map, OpBody &body);
  mlir::ArrayAttr indexAttrs(llvm::ArrayRef<const Index *> indices);
  BodyEmitter regionEmitter(const OpBody &body, mlir::Region &region);
  void emitPredicate(const Scalar *predicate, const OpBody &body, mlir::Region &region,
                     mlir::Location loc);
  bool checkConstant(const Scalar *root);
  void finish(mlir::Operation *op, const llvm::Twine &name);

  Reporter &reporter;
  Function &function;
  Formula &formula;
  std::string label;
  bool constant;
  BoundsAnalysis bounds;
  ReadPlanner planner;
  FreeIndices free;
  std::map<const Scalar *, Emitted> reductions;
  llvm::SmallVector<mlir::Operation *> checks; ///< on which the formula relies
};

/// Emits a formula whose root is `root`, over formula.outputs; null after an error. A constant one
/// may rest on compile-time data only.
Tensor emitFormula(Reporter &reporter, Function &function, Formula &formula, Scalar *root,
                   llvm::StringRef label, SourceRange range, bool constant);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_FORMULAEMITTER_H
