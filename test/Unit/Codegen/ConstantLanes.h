//===- ConstantLanes.h - what emitters compute of constants -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_CODEGEN_CONSTANTLANES_H
#define WEFT_TEST_UNIT_CODEGEN_CONSTANTLANES_H

#include "weft/Codegen/Common/Lanes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <set>

namespace weft {

/// Places that emitters write as code are numbers where lane, row and chunk are.
class ConstantLanes : public testing::Test {
protected:
  ConstantLanes() : builder(&context), lanes(builder, builder.getUnknownLoc(), /*width=*/1) {
    context.loadDialect<mlir::arith::ArithDialect>();
    module = mlir::ModuleOp::create(builder, builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  static int64_t numberOf(const Lanes &value) { return value.getConstant().value(); }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  LaneBuilder lanes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The banks of shared memory, of which there are 32 with a word each, that an access of so many
/// words has.
inline void addBanks(std::set<int64_t> &banks, int64_t place, int64_t words) {
  for (int64_t i = 0; i != words; ++i)
    banks.insert((place / 4 + i) % 32);
}

} // namespace weft

#endif // WEFT_TEST_UNIT_CODEGEN_CONSTANTLANES_H
