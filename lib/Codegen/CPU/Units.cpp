//===- Units.cpp - the ops of a processor's units -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

#include "weft/Codegen/CPU/UnitDialect.cpp.inc"

#define GET_OP_CLASSES
#include "weft/Codegen/CPU/UnitOps.cpp.inc"

using namespace mlir;
using namespace weft::cpu;

void UnitDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "weft/Codegen/CPU/UnitOps.cpp.inc"
      >();
}

Value weft::cpu::extendHalf(OpBuilder &b, Location loc, Value pairs, bool isHigh) {
  auto constant = [&](int64_t value) {
    return createScalarOrSplatConstant(b, loc, pairs.getType(), value);
  };
  Value bits = isHigh ? arith::AndIOp::create(b, loc, pairs, constant(-65536)).getResult()
                      : arith::ShLIOp::create(b, loc, pairs, constant(16)).getResult();
  auto vector = dyn_cast<VectorType>(pairs.getType());
  Type reals = vector ? Type(vector.clone(b.getF32Type())) : b.getF32Type();
  return arith::BitcastOp::create(b, loc, reals, bits);
}

Value weft::cpu::addTileStep(OpBuilder &b, Location loc, Value sum, Value firsts, Value seconds) {
  return arith::AddFOp::create(b, loc, sum, arith::AddFOp::create(b, loc, firsts, seconds));
}

std::pair<Value, Value> weft::cpu::splitCodes(OpBuilder &b, Location loc, Value codes,
                                              bool areSigned) {
  auto words =
      VectorType::get(2 * cast<VectorType>(codes.getType()).getNumElements(), b.getI16Type());
  auto constant = [&](int64_t value) { return createScalarOrSplatConstant(b, loc, words, value); };
  Value all = LLVM::BitcastOp::create(b, loc, words, codes), eight = constant(8);
  if (!areSigned) {
    Value odd = arith::ShRUIOp::create(b, loc, all, eight);
    return {arith::AndIOp::create(b, loc, all, constant(0xff)), odd};
  }
  Value odd = arith::ShRSIOp::create(b, loc, all, eight);
  Value upper = arith::ShLIOp::create(b, loc, all, eight);
  return {arith::ShRSIOp::create(b, loc, upper, eight), odd};
}

SmallVector<std::pair<int64_t, int64_t>> weft::cpu::getPartPairs(int64_t parts,
                                                                 int64_t columnParts) {
  static constexpr std::pair<int64_t, int64_t> three[] = {{0, 1}, {0, 0}, {1, 0}},
                                               six[] = {{0, 2}, {0, 1}, {1, 1},
                                                        {1, 0}, {0, 0}, {2, 0}};
  if (parts == 1)
    return {{0, 0}};
  return llvm::filter_to_vector(parts == 2 ? ArrayRef(three) : ArrayRef(six),
                                [&](auto pair) { return pair.second < columnParts; });
}
