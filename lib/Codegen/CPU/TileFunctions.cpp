//===- TileFunctions.cpp - products of tiles in tile registers ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A tile register has 16 rows of 64 bytes: 16 x 16 sums, 16 rows of 32 short numbers, or 16 pairs
// of rows of 16 columns. Two by two tiles of sums take four loads for four products. Registers are
// named here and not by LLVM, whose allocator sets the shapes in every function that uses them.
//
//===----------------------------------------------------------------------------------------===//

#include "TileFunctions.h"

#include "MicroKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;

/// Rows of a tile register, and the bytes of a row of sums or of a panel.
static constexpr int64_t kRows = kUnitRows, kPanelBytes = 2 * kTileRowBytes;
/// Bytes of a tile of sixteen rows and of a step of a panel.
static constexpr int64_t kTileBytes = kRows * kTileRowBytes, kStepBytes = kRows * kPanelBytes;
/// The registers: sums of (rows, columns) 00, 01, 10, 11, two of rows, two of columns.
static constexpr int64_t kSums = 0, kFactors = 4, kColumns = 6, kTiles = 8;
/// Of the shapes in memory: their bytes, where the bytes of rows begin (16 bits each), the rows.
static constexpr int64_t kShapeBytes = 64, kWidthsAt = 16, kCountsAt = 48;

namespace {

/// Writes instructions on tiles.
class TileCode {
public:
  TileCode(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value i8(int64_t value) { return constant(b.getI8Type(), value); }
  Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  Value constant(Type type, int64_t value) { return LLVM::ConstantOp::create(b, loc, type, value); }
  Value mul(Value x, int64_t y) { return LLVM::MulOp::create(b, loc, x, i64(y)); }
  Value at(Value pointer, Value offset) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, offset);
  }
  Value at(Value pointer, int64_t offset) { return at(pointer, i64(offset)); }
  void call(StringRef name, ValueRange operands) {
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(("llvm.x86." + name).str()), operands);
  }
  void setShapes(Value shapes) { call("ldtilecfg", shapes); }

  OpBuilder &b;
  Location loc;
};

/// The body of a function.
class TileFunctionWriter : TileCode {
public:
  TileFunctionWriter(OpBuilder &builder, LLVM::LLVMFuncOp function, StringRef product,
                     cpu::TileProductOp op)
      : TileCode(builder, function.getLoc()), product(product), parts(op.getParts()),
        columnParts(op.getColumnParts()) {
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    sums = entry->getArgument(0), rows = entry->getArgument(1), stride = entry->getArgument(2),
    panel = entry->getArgument(3), steps = entry->getArgument(4), isFresh = entry->getArgument(5),
    ahead = entry->getArgument(6), portions = entry->getArgument(7), apart = entry->getArgument(8);
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
    auto choice = scf::IfOp::create(b, loc, isTall, /*withElseRegion=*/true);
    for (int64_t rowTiles : {2, 1}) {
      OpBuilder::InsertionGuard guard(b);
      Block *block = rowTiles == 2 ? choice.thenBlock() : choice.elseBlock();
      b.setInsertionPoint(block->getTerminator());
      multiply(rowTiles);
    }
    setShapes(wholeShapes);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

private:
  /// Shapes for rows of `bytes` bytes, so many of the first and of the second tiles.
  Value makeShapes(Value first, Value second) {
    Value shapes = LLVM::AllocaOp::create(b, loc, rows.getType(), b.getI8Type(), i64(kShapeBytes),
                                          /*alignment=*/64);
    for (int64_t word = 0; word != kShapeBytes; word += 8)
      LLVM::StoreOp::create(b, loc, i64(word == 0 ? 1 : 0), at(shapes, word));
    Value pairs = LLVM::LShrOp::create(b, loc, bytes, i64(2));
    Value counts[kTiles] = {first, first, second, second, first, second, pairs, pairs};
    for (int64_t tile = 0; tile != kTiles; ++tile) {
      bool isFactor = tile >= kFactors && tile < kColumns;
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
      for (int64_t sum = 0; sum != 2 * rowTiles; ++sum)
        call("tilezero", i8(kSums + sum));
      b.setInsertionPoint(start.elseBlock()->getTerminator());
      eachSum(rowTiles, "tileloadd64");
    }
    auto loop = scf::ForOp::create(b, loc, i64(0), steps, i64(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      addStep(rowTiles, loop.getInductionVar());
    }
    eachSum(rowTiles, "tilestored64");
  }

  void eachSum(int64_t rowTiles, StringRef name) {
    for (int64_t m = 0; m != rowTiles; ++m)
      for (int64_t n = 0; n != 2; ++n)
        call(name, {i8(kSums + 2 * m + n), at(sums, m * kStepBytes + n * kTileRowBytes),
                    i64(kPanelBytes)});
  }

  /// The share of a step's portions that is number `share` of so many.
  void fetchAhead(Value step, int64_t share, int64_t shares) {
    Value first = at(ahead, mul(LLVM::MulOp::create(b, loc, step, portions), kLine));
    auto before = [&](int64_t number) {
      return b.createOrFold<arith::DivUIOp>(loc, mul(portions, number), i64(shares));
    };
    auto loop = scf::ForOp::create(b, loc, before(share), before(share + 1), i64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value line = at(first, mul(loop.getInductionVar(), kLine));
    for (int64_t stream = 0; stream != kPanelStreams; ++stream, line = at(line, apart))
      emitPrefetches(b, loc, line, 1);
  }

  void addStep(int64_t rowTiles, Value step) {
    // Tiles of rows that are split lie one after the other.
    int64_t rowStep = parts == 1 ? kTileRowBytes : 2 * kTileBytes * parts;
    Value left = at(rows, mul(step, rowStep)),
          right = at(panel, mul(step, kStepBytes * columnParts));
    int64_t lastA = -1, lastB = -1;
    auto pairs = cpu::getPartPairs(parts, columnParts);
    for (auto [number, pair] : llvm::enumerate(pairs)) {
      auto [partA, partB] = pair;
      for (int64_t n = 0; n != 2 && partB != lastB; ++n)
        call("tileloadd64", {i8(kColumns + n), at(right, partB * kPanelBytes + n * kTileRowBytes),
                             i64(kPanelBytes * columnParts)});
      for (int64_t m = 0; m != rowTiles && partA != lastA; ++m)
        call("tileloadd64", {i8(kFactors + m),
                             at(at(left, partA * 2 * kTileBytes), mul(stride, m * kRows)), stride});
      // Behind the loads, which take the same buffers.
      fetchAhead(step, int64_t(number), int64_t(pairs.size()));
      for (int64_t m = 0; m != rowTiles; ++m)
        for (int64_t n = 0; n != 2; ++n)
          call(product, {i8(kSums + 2 * m + n), i8(kFactors + m), i8(kColumns + n)});
      lastA = partA, lastB = partB;
    }
  }

  StringRef product; ///< the instruction
  int64_t parts, columnParts;
  Value sums, rows, stride, panel, steps, isFresh, ahead, portions, apart, count, bytes;
};

} // namespace

LLVM::GlobalOp TileFunctions::getWholeShapes() {
  if (wholeShapes)
    return wholeShapes;
  SmallVector<int8_t> bytes(kShapeBytes, 0);
  bytes[0] = 1;
  for (int64_t tile = 0; tile != kTiles; ++tile) {
    bytes[kWidthsAt + 2 * tile] = kTileRowBytes;
    bytes[kCountsAt + tile] = kRows;
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
  TileFunctionWriter writer(b, function, codes ? "tdpbusd" : "tdpbf16ps", op);
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

void TileFunctions::multiply(cpu::TileProductOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  TileCode code(b, loc);
  auto toI64 = [&](Value value) -> Value {
    return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), value);
  };
  Value k = toI64(op.getK()), count = toI64(op.getCount()), stride = toI64(op.getStride());
  Value ahead = op.getAhead() ? op.getAhead() : op.getPanel();
  Value portions = op.getPortions() ? toI64(op.getPortions()) : code.i64(0);
  Value apart = op.getApart() ? toI64(op.getApart()) : code.i64(0);
  Value never = code.constant(b.getI1Type(), 0);
  Value fresh = op.getFresh() ? op.getFresh() : never;
  auto call = [&](Extent extent, Value rows, Value panel, Value steps, Value isFresh,
                  Value portions, ValueRange others) {
    SmallVector<Value> operands{op.getSums(), rows,  stride,   panel, steps,
                                isFresh,      ahead, portions, apart};
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
                                        code.i64(padded ? kRows : kTileRows - 1));
  auto choice = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  call(Extent::Whole, op.getRows(), op.getPanel(), steps, fresh, portions, {});
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  if (padded)
    call(Extent::Half, op.getRows(), op.getPanel(), steps, fresh, portions, {});
  else
    call(Extent::Part, op.getRows(), op.getPanel(), steps, fresh, portions,
         {count, code.i64(kTileRowBytes)});
  b.setInsertionPoint(op);
  Value hasLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, left, code.i64(0));
  auto last = scf::IfOp::create(b, loc, hasLeft, /*withElseRegion=*/false);
  b.setInsertionPoint(last.thenBlock()->getTerminator());
  int64_t rowStep = parts == 1 ? kTileRowBytes : 2 * kTileBytes * parts;
  Value rows = code.at(op.getRows(), code.mul(steps, rowStep));
  Value panel = code.at(op.getPanel(), code.mul(steps, kStepBytes * op.getColumnParts()));
  call(Extent::Part, rows, panel, code.i64(1), /*isFresh=*/never, /*portions=*/code.i64(0),
       {count, code.mul(left, size)});
}
