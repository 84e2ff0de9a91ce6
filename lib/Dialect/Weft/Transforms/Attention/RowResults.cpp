//===- RowResults.cpp - what an attention gives of its rows --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowResults.h"

#include "KeyMasks.h"

#include <cmath>

using namespace mlir;
using namespace weft;

RowWriter::RowWriter(OpBuilder &builder, FormulaOpInterface consumer, ArrayRef<unsigned> indices)
    : ElementWriter(
          builder, consumer.getLoc(),
          llvm::map_to_vector(indices, [&](unsigned i) { return consumer.getIndexAttr(i); })),
      indices(indices) {}

Value RowWriter::readRow(Value tensor, ArrayRef<unsigned> at) {
  return read(tensor, llvm::map_to_vector(at, [&](unsigned index) {
                return getBody().getAffineDimExpr(llvm::find(indices, index) - indices.begin());
              }));
}

RowResults::RowResults(RewriterBase &rewriter, FormulaOpInterface consumer, ArrayRef<unsigned> row,
                       AttentionOp attention)
    : rewriter(rewriter), consumer(consumer), row(row), attention(attention),
      seesKeys(leavesKeys(attention)), hidesRows(mayHideRows(attention)) {}

MapOp RowResults::build(Value like, ArrayRef<unsigned> indices, Emit emit, bool isLargest) {
  RowWriter writer(rewriter, consumer, indices);
  Value result = emit(writer);
  if (!seesKeys || (hidesRows && !isLargest)) {
    OpBuilder &body = writer.getBody();
    Value isEmpty = arith::CmpFOp::create(body, writer.getLoc(), arith::CmpFPredicate::OEQ,
                                          readLogSum(writer), writer.constant(INFINITY));
    result = arith::SelectOp::create(body, writer.getLoc(), isEmpty, writer.constant(0), result);
  }
  return writer.buildMap(like.getType(), result);
}
