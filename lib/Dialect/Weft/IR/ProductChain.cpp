//===- ProductChain.cpp - products that one task makes --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Product.h"

using namespace mlir;
using namespace weft;

static bool haveOneSize(IndexAttr a, IndexAttr b) {
  return a.getSize() == b.getSize() && a.getDynamic() == b.getDynamic() &&
         (!a.getDynamic() || a.getDim() == b.getDim());
}

/// For each index of the one its counterpart in the other, which plays the same part; nothing if
/// there is none.
static std::optional<SmallVector<AffineExpr>> findCounterparts(FormulaOpInterface one,
                                                               const Product &ofOne,
                                                               FormulaOpInterface other,
                                                               const Product &ofOther) {
  SmallVector<AffineExpr> counterparts(one.getNumIndices());
  for (auto part : {&Product::batch, &Product::m, &Product::n, &Product::k}) {
    if ((ofOne.*part).size() != (ofOther.*part).size())
      return std::nullopt;
    for (auto [i, j] : llvm::zip(ofOne.*part, ofOther.*part)) {
      if (!haveOneSize(one.getIndexAttr(i), other.getIndexAttr(j)))
        return std::nullopt;
      counterparts[i] = getAffineDimExpr(j, one->getContext());
    }
  }
  return counterparts;
}

bool weft::canMakeFor(ContractOp maker, ContractOp reader, unsigned input) {
  bool readsElement = input >= reader.getFirstElementInput() && input < reader.getInputs().size();
  if (!readsElement || !FormulaOpInterface(maker).hasBufferSemantics())
    return false;
  std::optional<Product> made = Product::matchPacked(maker), read = Product::matchPacked(reader);
  if (!made || !read || made->columns != read->columns || maker.getChosen() != reader.getChosen() ||
      maker.getNumSums() != reader.getNumSums())
    return false;
  FormulaOpInterface from = maker, to = reader;
  auto counterparts = findCounterparts(from, *made, to, *read);
  if (!counterparts || llvm::is_contained(*counterparts, AffineExpr()))
    return false;
  auto agree = [&](AffineMap ofMaker, AffineMap ofReader) {
    return ofMaker.replaceDimsAndSymbols(*counterparts, {}, to.getNumIndices(), 0) == ofReader;
  };
  for (unsigned factor = 0; factor != maker.getFirstElementInput(); ++factor)
    if (from.getInputs()[factor].getType() != to.getInputs()[factor].getType() ||
        !agree(from.getInputMap(factor), to.getInputMap(factor)))
      return false;
  Type result = from.getOutputs()[0].getType();
  return result == to.getInputs()[input].getType() && !getLayout(result) &&
         agree(from.getOutputIndexingMap(0), to.getInputMap(input));
}

static bool writes(ContractOp op, Value buffer) {
  return llvm::is_contained(FormulaOpInterface(op).getOutputs(), buffer);
}

LogicalResult LocalOp::verify() {
  Value buffer = getResult();
  ContractOp maker;
  bool isRead = false;
  for (Operation *user : buffer.getUsers())
    if (auto product = dyn_cast<ContractOp>(user); product && writes(product, buffer))
      maker = product;
    else
      isRead = true;
  if (!maker || !isRead)
    return emitOpError("is ") << (maker ? "read by" : "the result of") << " no product (C34)";
  // The rows, and what these choose.
  auto rowsOf = [](ContractOp op) {
    Value rows = op.getInputs()[Product::matchPacked(op)->getRows()];
    return std::pair(rows, op.getChosen() ? op.getInputs()[ContractOp::kChoice] : Value());
  };
  for (OpOperand &use : buffer.getUses()) {
    auto reader = dyn_cast<ContractOp>(use.getOwner());
    if (reader == maker && use.getOperandNumber() >= maker.getInputs().size())
      continue;
    bool isBehind = reader && reader != maker && reader->getBlock() == maker->getBlock() &&
                    maker->isBeforeInBlock(reader);
    if (!isBehind || !canMakeFor(maker, reader, use.getOperandNumber()) ||
        rowsOf(maker) != rowsOf(reader))
      return use.getOwner()->emitError("reads what another product of its kernel makes, but not "
                                       "where it stores its own result of the same rows (C34)");
  }
  return success();
}
