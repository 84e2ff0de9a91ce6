//===- TileCode.h - instructions on tile registers ------------------------------------------===//
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

#ifndef WEFT_LIB_CODEGEN_CPU_TILECODE_H
#define WEFT_LIB_CODEGEN_CPU_TILECODE_H

#include "weft/Codegen/CPU/Units.h"
#include "weft/Dialect/Weft/IR/Product.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace weft {

/// The registers: sums of (rows, columns) 00, 01, 10, 11, two of rows, two of columns.
struct TileRegisters {
  static constexpr int64_t sums = 0, factors = 4, columns = 6, count = 8;
};

/// What a step multiplies, and what it fetches.
struct TileOperands {
  explicit TileOperands(cpu::TileProductOp op)
      : product(op.getCodes() ? "tdpbusd" : "tdpbf16ps"), parts(op.getParts()),
        columnParts(op.getColumnParts()) {}

  llvm::StringRef product; ///< the instruction
  int64_t parts, columnParts;
  mlir::Value rows, stride, panel, ahead, portions, apart; ///< pointers and i64
};

/// Writes instructions on tiles.
class TileCode {
public:
  /// Rows of a tile register, and the bytes of a row of sums or of a panel.
  static constexpr int64_t kRows = kUnitRows, kPanelBytes = 2 * kTileRowBytes;
  /// Bytes of a tile of sixteen rows and of a step of a panel.
  static constexpr int64_t kTileBytes = kRows * kTileRowBytes, kStepBytes = kRows * kPanelBytes;

  TileCode(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value i8(int64_t value) { return constant(b.getI8Type(), value); }
  mlir::Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  mlir::Value constant(mlir::Type type, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, type, value);
  }
  mlir::Value toI64(mlir::Value index);
  mlir::Value mul(mlir::Value x, int64_t y) { return mlir::LLVM::MulOp::create(b, loc, x, i64(y)); }
  mlir::Value at(mlir::Value pointer, mlir::Value offset) {
    return mlir::LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, offset);
  }
  mlir::Value at(mlir::Value pointer, int64_t offset) { return at(pointer, i64(offset)); }

  void call(llvm::StringRef name, mlir::ValueRange operands) {
    mlir::LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(("llvm.x86." + name).str()),
                                        operands);
  }
  void setShapes(mlir::Value shapes) { call("ldtilecfg", shapes); }

  /// The sums of one or two tiles of rows.
  void clearSums(int64_t rowTiles);
  void loadSums(int64_t rowTiles, mlir::Value sums) { eachSum(rowTiles, sums, "tileloadd64"); }
  void storeSums(int64_t rowTiles, mlir::Value sums) { eachSum(rowTiles, sums, "tilestored64"); }

  /// Adds the products of so many steps to the sums.
  void addSteps(int64_t rowTiles, const TileOperands &operands, mlir::Value steps);

  /// Writes `body` for two tiles and for one, of which the number of rows chooses.
  void byRowTiles(mlir::Value numRows, llvm::function_ref<void(int64_t rowTiles)> body);

protected:
  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  void eachSum(int64_t rowTiles, mlir::Value sums, llvm::StringRef name);
  void addStep(int64_t rowTiles, const TileOperands &operands, mlir::Value step);
  /// The share of a step's portions that is number `share` of so many.
  void fetchAhead(const TileOperands &operands, mlir::Value step, int64_t share, int64_t shares);
};

} // namespace weft

#endif // WEFT_LIB_CODEGEN_CPU_TILECODE_H
