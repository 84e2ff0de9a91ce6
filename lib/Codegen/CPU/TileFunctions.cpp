//===- TileFunctions.cpp - products of tiles in tile registers ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileFunctions.h"

#include "TileCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;

/// Of the shapes in memory: their bytes, where the bytes of rows begin (16 bits each), the rows.
static constexpr int64_t kShapeBytes = 64, kWidthsAt = 16, kCountsAt = 48;

namespace {

/// The body of a function.
class TileFunctionWriter : TileCode {
public:
  TileFunctionWriter(OpBuilder &builder, LLVM::LLVMFuncOp function, cpu::TileProductOp op)
      : TileCode(builder, function.getLoc()), operands(op) {
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    sums = entry->getArgument(0), operands.rows = entry->getArgument(1);
    operands.stride = entry->getArgument(2), operands.panel = entry->getArgument(3);
    steps = entry->getArgument(4), isFresh = entry->getArgument(5);
    operands.ahead = entry->getArgument(6), operands.portions = entry->getArgument(7);
    operands.apart = entry->getArgument(8);
    if (entry->getNumArguments() > 9)
      count = entry->getArgument(9), bytes = entry->getArgument(10);
  }

  void writeWhole(int64_t rowTiles) {
    multiply(rowTiles);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

  void writePart(Value wholeShapes) {
    Value isTall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, count, i64(kRows));
    Value above = LLVM::SubOp::create(b, loc, count, i64(kRows));
    Value first = LLVM::SelectOp::create(b, loc, isTall, i64(kRows), count);
    Value second = LLVM::SelectOp::create(b, loc, isTall, above, count);
    setShapes(makeShapes(first, second));
    byRowTiles(count, [&](int64_t rowTiles) { multiply(rowTiles); });
    setShapes(wholeShapes);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

private:
  /// Shapes for rows of `bytes` bytes, so many of the first and of the second tiles.
  Value makeShapes(Value first, Value second) {
    Value shapes = LLVM::AllocaOp::create(b, loc, sums.getType(), b.getI8Type(), i64(kShapeBytes),
                                          /*alignment=*/64);
    for (int64_t word = 0; word != kShapeBytes; word += 8)
      LLVM::StoreOp::create(b, loc, i64(word == 0 ? 1 : 0), at(shapes, word));
    Value pairs = LLVM::LShrOp::create(b, loc, bytes, i64(2));
    Value counts[TileRegisters::count] = {first, first,  second, second,
                                          first, second, pairs,  pairs};
    for (int64_t tile = 0; tile != TileRegisters::count; ++tile) {
      bool isFactor = tile >= TileRegisters::factors && tile < TileRegisters::columns;
      Value width =
          LLVM::TruncOp::create(b, loc, b.getI16Type(), isFactor ? bytes : i64(kTileRowBytes));
      LLVM::StoreOp::create(b, loc, width, at(shapes, kWidthsAt + 2 * tile));
      Value number = LLVM::TruncOp::create(b, loc, b.getI8Type(), counts[tile]);
      LLVM::StoreOp::create(b, loc, number, at(shapes, kCountsAt + tile));
    }
    return shapes;
  }

  void multiply(int64_t rowTiles) {
    auto start = scf::IfOp::create(b, loc, isFresh, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(start.thenBlock()->getTerminator());
      clearSums(rowTiles);
      b.setInsertionPoint(start.elseBlock()->getTerminator());
      loadSums(rowTiles, sums);
    }
    addSteps(rowTiles, operands, steps);
    storeSums(rowTiles, sums);
  }

  TileOperands operands;
  Value sums, steps, isFresh, count, bytes;
};

} // namespace

LLVM::GlobalOp TileFunctions::getWholeShapes() {
  if (wholeShapes)
    return wholeShapes;
  SmallVector<int8_t> bytes(kShapeBytes, 0);
  bytes[0] = 1;
  for (int64_t tile = 0; tile != TileRegisters::count; ++tile) {
    bytes[kWidthsAt + 2 * tile] = kTileRowBytes;
    bytes[kCountsAt + tile] = TileCode::kRows;
  }
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), kShapeBytes);
  auto value = DenseElementsAttr::get(RankedTensorType::get({kShapeBytes}, b.getI8Type()),
                                      ArrayRef<int8_t>(bytes));
  return wholeShapes =
             LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, "weft.tiles.shapes", value, 64);
}

LLVM::LLVMFuncOp TileFunctions::getFunction(Extent extent, cpu::TileProductOp op) {
  bool codes = op.getCodes();
  int64_t parts = op.getParts(), columnParts = op.getColumnParts();
  static constexpr StringLiteral names[] = {"whole", "half", "part"};
  std::string name =
      ("weft.tiles." + names[int(extent)] + ".").str() + (codes ? "codes" : "bf16") +
      (parts == 1 ? "" : "x" + std::to_string(parts) + "by" + std::to_string(columnParts));
  LLVM::LLVMFuncOp &function = functions[name];
  if (function)
    return function;
  LLVM::GlobalOp shapes = getWholeShapes();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  SmallVector<Type> arguments{pointer,       pointer, i64, pointer, i64,
                              b.getI1Type(), pointer, i64, i64};
  if (extent == Extent::Part)
    arguments.append({i64, i64});
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments);
  function = LLVM::LLVMFuncOp::create(b, module.getLoc(), name, type, LLVM::Linkage::Internal);
  TileFunctionWriter writer(b, function, op);
  if (extent == Extent::Part)
    writer.writePart(LLVM::AddressOfOp::create(b, module.getLoc(), shapes));
  else
    writer.writeWhole(extent == Extent::Whole ? 2 : 1);
  return function;
}

void TileFunctions::begin(cpu::BeginTilesOp op) {
  LLVM::GlobalOp shapes = getWholeShapes();
  OpBuilder b(op);
  TileCode(b, op.getLoc()).setShapes(LLVM::AddressOfOp::create(b, op.getLoc(), shapes));
}

void TileFunctions::end(cpu::EndTilesOp op) {
  OpBuilder b(op);
  TileCode(b, op.getLoc()).call("tilerelease", {});
}

/// What an op multiplies, with no lines to be fetched where it names none.
static TileOperands getOperands(TileCode &code, cpu::TileProductOp op) {
  TileOperands operands(op);
  operands.rows = op.getRows(), operands.panel = op.getPanel();
  operands.stride = code.toI64(op.getStride());
  operands.ahead = op.getAhead() ? op.getAhead() : op.getPanel();
  operands.portions = op.getPortions() ? code.toI64(op.getPortions()) : code.i64(0);
  operands.apart = op.getApart() ? code.toI64(op.getApart()) : code.i64(0);
  return operands;
}

void TileFunctions::multiply(cpu::TileProductOp op) {
  if (op.getHeld())
    return multiplyHeld(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  TileCode code(b, loc);
  Value k = code.toI64(op.getK()), count = code.toI64(op.getCount());
  Value never = code.constant(b.getI1Type(), 0);
  Value fresh = op.getFresh() ? op.getFresh() : never;
  TileOperands factors = getOperands(code, op);
  auto call = [&](Extent extent, Value rows, Value panel, Value steps, Value isFresh,
                  Value portions, ValueRange others) {
    SmallVector<Value> operands{op.getSums(), rows,          factors.stride, panel,        steps,
                                isFresh,      factors.ahead, portions,       factors.apart};
    llvm::append_range(operands, others);
    LLVM::CallOp::create(b, loc, getFunction(extent, op), operands);
  };
  // Whole steps are 64 bytes; what is left is one more, of fewer.
  int64_t size = op.getCodes() ? 1 : 2, parts = op.getParts();
  Value step = code.i64(kTileRowBytes / size);
  Value steps = b.createOrFold<arith::DivUIOp>(loc, k, step);
  Value left = b.createOrFold<arith::RemUIOp>(loc, k, step);
  bool padded = op.getPadded();
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, count,
                                        code.i64(padded ? TileCode::kRows : kTileRows - 1));
  auto choice = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  call(Extent::Whole, op.getRows(), op.getPanel(), steps, fresh, factors.portions, {});
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  if (padded)
    call(Extent::Half, op.getRows(), op.getPanel(), steps, fresh, factors.portions, {});
  else
    call(Extent::Part, op.getRows(), op.getPanel(), steps, fresh, factors.portions,
         {count, code.i64(kTileRowBytes)});
  b.setInsertionPoint(op);
  Value hasLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, left, code.i64(0));
  auto last = scf::IfOp::create(b, loc, hasLeft, /*withElseRegion=*/false);
  b.setInsertionPoint(last.thenBlock()->getTerminator());
  int64_t rowStep = parts == 1 ? kTileRowBytes : 2 * TileCode::kTileBytes * parts;
  Value rows = code.at(op.getRows(), code.mul(steps, rowStep));
  Value panel = code.at(op.getPanel(), code.mul(steps, TileCode::kStepBytes * op.getColumnParts()));
  call(Extent::Part, rows, panel, code.i64(1), /*isFresh=*/never, /*portions=*/code.i64(0),
       {count, code.mul(left, size)});
}

/// A few steps, whose instructions stand where they are needed.
void TileFunctions::multiplyHeld(cpu::TileProductOp op) {
  OpBuilder b(op);
  TileCode code(b, op.getLoc());
  TileOperands operands = getOperands(code, op);
  Value step = code.i64(kTileRowBytes / (op.getCodes() ? 1 : 2));
  Value steps = b.createOrFold<arith::DivUIOp>(op.getLoc(), code.toI64(op.getK()), step);
  code.byRowTiles(code.toI64(op.getCount()),
                  [&](int64_t rowTiles) { code.addSteps(rowTiles, operands, steps); });
}

void TileFunctions::loadSums(cpu::LoadSumsOp op) {
  OpBuilder b(op);
  TileCode code(b, op.getLoc());
  code.byRowTiles(code.toI64(op.getCount()), [&](int64_t rowTiles) {
    op.getFresh() ? code.clearSums(rowTiles) : code.loadSums(rowTiles, op.getSums());
  });
}

void TileFunctions::storeSums(cpu::StoreSumsOp op) {
  OpBuilder b(op);
  TileCode code(b, op.getLoc());
  code.byRowTiles(code.toI64(op.getCount()),
                  [&](int64_t rowTiles) { code.storeSums(rowTiles, op.getSums()); });
}
