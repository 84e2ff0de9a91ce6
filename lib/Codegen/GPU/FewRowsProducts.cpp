//===- FewRowsProducts.cpp - pieces of rows times pieces of columns ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a group shares is applied to the sum over a piece, which is within one group:
//
//   reals     (sum(a T[c]) + zero sum(a)) scale   or   sum(a T[c]) scale + offset sum(a)
//   numbers   sum(q u) factor - sum(q) (zero factor), of whole numbers
//
//===----------------------------------------------------------------------------------------===//

#include "FewRows.h"

#include "weft/Codegen/Common/Combine.h"

#include <cmath>

using namespace mlir;
using namespace weft;

/// sum + a * b, rounded once.
static Value addProduct(LaneBuilder &lanes, Value a, Value b, Value sum) {
  return sum ? multiplyAdd(lanes.b, lanes.loc, sum, a, b)
             : arith::MulFOp::create(lanes.b, lanes.loc, a, b, kContract).getResult();
}

void FewRowsTask::prepareRow(RowPiece &row) {
  if (plan.isNumbers()) {
    row.sum = makeWord(lanes, 0);
    for (Value codes : row.elements)
      row.sum =
          nvx::DotCodesOp::create(lanes.b, lanes.loc, codes, makeWord(lanes, 0x01010101), row.sum);
    return;
  }
  if (plan.getShift() != CodeShift::None)
    for (Value element : row.elements)
      row.sum = row.sum ? arith::AddFOp::create(lanes.b, lanes.loc, row.sum, element).getResult()
                        : element;
  if (!words)
    return;
  // Codes come times powers of two, the same ones in every column.
  for (auto [i, element] : llvm::enumerate(row.elements))
    if (int64_t exponent = words->getExponent(int64_t(i) % words->getNumCodes()))
      element = arith::MulFOp::create(lanes.b, lanes.loc, element,
                                      lanes.floatConstant(std::ldexp(1.0f, int(-exponent))));
}

void FewRowsTask::multiply(ArrayRef<RowPiece> ofRows, const ColumnPiece &column,
                           MutableArrayRef<Value> sums) {
  if (!plan.shape.codes) {
    for (auto [row, sum] : llvm::zip_equal(ofRows, sums))
      for (auto [element, number] : llvm::zip_equal(row.elements, column.words))
        sum = addProduct(lanes, element, number, sum);
    return;
  }
  Values codes;
  for (Value bits : column.words)
    if (!plan.isNumbers()) {
      llvm::append_range(codes, words->decode(bits, words->getNumCodes()));
    } else { // the lower halves of bytes come first
      Value upper = arith::ShRUIOp::create(lanes.b, lanes.loc, bits, makeWord(lanes, 4));
      for (Value halves : {bits, upper})
        codes.push_back(
            arith::AndIOp::create(lanes.b, lanes.loc, halves, makeWord(lanes, 0x0f0f0f0f)));
    }
  for (auto [row, sum] : llvm::zip_equal(ofRows, sums))
    sum =
        plan.isNumbers() ? addNumbers(row, codes, column, sum) : addReals(row, codes, column, sum);
}

Value FewRowsTask::addReals(const RowPiece &row, ValueRange numbers, const ColumnPiece &column,
                            Value sum) {
  Value ofPiece;
  for (auto [element, number] : llvm::zip_equal(row.elements, numbers))
    ofPiece = addProduct(lanes, element, number, ofPiece);
  if (plan.getShift() == CodeShift::Zero)
    ofPiece = addProduct(lanes, row.sum, column.shift, ofPiece);
  sum = addProduct(lanes, ofPiece, column.scale, sum);
  return plan.getShift() == CodeShift::Offset ? addProduct(lanes, row.sum, column.shift, sum) : sum;
}

Value FewRowsTask::addNumbers(const RowPiece &row, ValueRange codes, const ColumnPiece &column,
                              Value sum) {
  OpBuilder &b = lanes.b;
  Location loc = lanes.loc;
  Value dot = makeWord(lanes, 0);
  for (auto [element, code] : llvm::zip_equal(row.elements, codes))
    dot = nvx::DotCodesOp::create(b, loc, element, code, dot);
  sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, dot, column.scale));
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, row.sum, column.shift));
}
