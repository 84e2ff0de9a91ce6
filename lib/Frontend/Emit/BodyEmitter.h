//===- BodyEmitter.h - Elements as scalar code ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The body of an op computes one element: arith and math on f32, index and i1. Integers are values
// of type index inside a region, i32 in tensors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_BODYEMITTER_H
#define WEFT_LIB_FRONTEND_EMIT_BODYEMITTER_H

#include "Sema/FreeIndices.h"
#include "Sema/ReadPlanner.h"
#include "mlir/IR/Builders.h"

namespace weft::sema {

/// An op under construction: its indices and what it reads through maps.
struct OpBody {
  IndexList indices;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::DenseMap<const Scalar *, unsigned> inputOf;
  llvm::DenseSet<const Scalar *> seen;
};

/// Emits scalar nodes into one region.
class BodyEmitter {
public:
  BodyEmitter(const Reporter &reporter, const ReadPlanner &planner, BoundsAnalysis &bounds,
              const OpBody &body, mlir::Region &region);
  /// A f32, an index or an i1.
  mlir::Value value(const Scalar *scalar);
  /// The same as an element of a tensor: an integer is an i32.
  mlir::Value element(const Scalar *scalar);
  mlir::OpBuilder builder;

private:
  mlir::Value emit(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitRead(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitReal(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitInt(const Scalar *scalar, mlir::Location loc);
  struct RealFormat {
    unsigned bits, exponent;
  };
  mlir::Value emitReal(mlir::Value bits, RealFormat format, bool isFinite, mlir::Location loc);
  mlir::Value emitRebiased(mlir::Value bits, int bias, mlir::Location loc);
  mlir::Value emitPlace(const Scalar *shift, mlir::Value place, mlir::Location loc);
  mlir::Value emitDivision(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitBool(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitComparison(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitToReal(const Scalar *scalar, mlir::Location loc);

  const Reporter &reporter;
  const ReadPlanner &planner;
  BoundsAnalysis &bounds;
  const OpBody &body;
  mlir::Block *block;
  llvm::DenseMap<const Scalar *, mlir::Value> values;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_BODYEMITTER_H
