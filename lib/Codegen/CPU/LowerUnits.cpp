//===- LowerUnits.cpp - weft-lower-units ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PlainUnits.h"
#include "TileFunctions.h"
#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Codegen/Common/TableCode.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_LOWERUNITS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// The unit's instruction for sums of so many lanes; each has a few `element`s of the factors.
static Value writeUnit(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs, Type element,
                       StringRef intrinsic) {
  auto type = cast<VectorType>(sum.getType());
  int64_t bits = 32 * type.getNumElements();
  auto factors = VectorType::get(bits / element.getIntOrFloatBitWidth(), element);
  auto cast = [&](Value value) -> Value { return LLVM::BitcastOp::create(b, loc, factors, value); };
  return LLVM::CallIntrinsicOp::create(b, loc, type,
                                       b.getStringAttr("llvm.x86." + intrinsic + "." + Twine(bits)),
                                       ValueRange{sum, cast(lhs), cast(rhs)})
      .getResult(0);
}

static Value writeUnitDot(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  return writeUnit(b, loc, sum, lhs, rhs, b.getBF16Type(), "avx512bf16.dpbf16ps");
}

static Value writeUnitDotCodes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  return writeUnit(b, loc, sum, lhs, rhs, b.getI8Type(), "avx512.vpdpbusd");
}

static Value writeUnitRound(OpBuilder &b, Location loc, Value number) {
  int64_t lanes = cast<VectorType>(number.getType()).getNumElements();
  Value rounded =
      LLVM::CallIntrinsicOp::create(
          b, loc, VectorType::get(lanes, b.getBF16Type()),
          b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16." + Twine(32 * lanes)), number)
          .getResult(0);
  return LLVM::BitcastOp::create(b, loc, VectorType::get(lanes, b.getI16Type()), rounded);
}

static Value writePlainRound(OpBuilder &b, Location loc, Value number) {
  LaneBuilder lanes(b, loc, cast<VectorType>(number.getType()).getNumElements());
  return roundElement(lanes, number, b.getBF16Type());
}

/// A permutation of a register of 16 numbers; of 8, bit 3 chooses between those of both halves.
static Value writeUnitLookUp(OpBuilder &b, Location loc, Value words, ArrayRef<float> values) {
  auto type = cast<VectorType>(words.getType());
  int64_t lanes = type.getNumElements();
  auto permute = [&](StringRef name, ArrayRef<float> table) -> Value {
    auto reals = VectorType::get(lanes, b.getF32Type());
    Value numbers = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(reals, table));
    return LLVM::CallIntrinsicOp::create(b, loc, reals, b.getStringAttr("llvm.x86." + name),
                                         ValueRange{numbers, words})
        .getResult(0);
  };
  if (lanes == 16)
    return permute("avx512.permvar.sf.512", values);
  LaneBuilder builder(b, loc, lanes);
  Value bit = arith::AndIOp::create(b, loc, words, builder.intVector(8));
  Value isUpper =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, builder.intVector(0));
  return arith::SelectOp::create(b, loc, isUpper, permute("avx2.permps", values.take_back(8)),
                                 permute("avx2.permps", values.take_front(8)));
}

static Value writePlainLookUp(OpBuilder &b, Location loc, Value words, ArrayRef<float> values) {
  LaneBuilder lanes(b, loc, cast<VectorType>(words.getType()).getNumElements());
  return lookUpBySelects(lanes, words, values);
}

/// A permutation of bytes within each 16 of them, all of which have the table.
static Value writeUnitLookUpBytes(OpBuilder &b, Location loc, Value words, ArrayRef<int8_t> table) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  auto bytes = VectorType::get(4 * lanes, b.getI8Type());
  SmallVector<int8_t> repeated;
  for (int64_t i = 0; i != lanes / 4; ++i)
    llvm::append_range(repeated, table);
  Value numbers =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(bytes, ArrayRef<int8_t>(repeated)));
  Value places = LLVM::BitcastOp::create(b, loc, bytes, words);
  StringRef name = lanes == 16 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b";
  Value found = LLVM::CallIntrinsicOp::create(b, loc, bytes, b.getStringAttr(name),
                                              ValueRange{numbers, places})
                    .getResult(0);
  return LLVM::BitcastOp::create(b, loc, words.getType(), found);
}

namespace {

struct LowerUnitsPass : weft::impl::LowerUnitsBase<LowerUnitsPass> {
  using LowerUnitsBase::LowerUnitsBase;

  void runOnOperation() override {
    for (const std::string &unit : native)
      if (!llvm::is_contained({"dot", "dot_codes", "round", "look_up", "tiles"}, StringRef(unit))) {
        getOperation().emitError()
            << "unknown unit '" << unit << "': dot, dot_codes, round, look_up and tiles are known";
        return signalPassFailure();
      }
    llvm::SetVector<StringRef> features;
    TileFunctions tiles(getOperation());
    getOperation().walk([&](Operation *op) {
      addFeatures(op, features);
      if (auto dot = dyn_cast<cpu::DotOp>(op))
        lower(dot, has("dot") ? writeUnitDot : writePlainDot);
      else if (auto codes = dyn_cast<cpu::DotCodesOp>(op))
        lower(codes, has("dot_codes") ? writeUnitDotCodes : writePlainDotCodes);
      else if (auto round = dyn_cast<cpu::RoundOp>(op))
        lower(round, has("round") ? writeUnitRound : writePlainRound);
      else if (auto lookUp = dyn_cast<cpu::LookUpOp>(op))
        lower(lookUp);
      else if (auto bytes = dyn_cast<cpu::LookUpBytesOp>(op))
        lower(bytes);
      else if (isa<cpu::TileProductOp, cpu::BeginTilesOp, cpu::EndTilesOp>(op))
        has("tiles") ? lowerTiles(op, tiles) : lowerTilesPlain(op, features);
    });
    if (!features.empty())
      getOperation()->setDiscardableAttr(
          kProcessorFeatures, OpBuilder(&getContext()).getStrArrayAttr(features.getArrayRef()));
  }

private:
  bool has(StringRef unit) const { return llvm::is_contained(native, unit); }

  template <typename Op, typename Write> static void lower(Op op, Write write) {
    OpBuilder b(op);
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getSum(), op.getLhs(), op.getRhs()));
    op.erase();
  }

  static void lower(cpu::RoundOp op, Value (*write)(OpBuilder &, Location, Value)) {
    OpBuilder b(op);
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getNumber()));
    op.erase();
  }

  /// Registers of 8 or 16 lanes come with their permutations.
  void lower(cpu::LookUpOp op) const {
    OpBuilder b(op);
    int64_t lanes = op.getWords().getType().getNumElements();
    bool isUnit = has("look_up") && (lanes == 8 || lanes == 16);
    auto *write = isUnit ? writeUnitLookUp : writePlainLookUp;
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getWords(), op.getValues()));
    op.erase();
  }

  /// That of 64 bytes came before dots of codes.
  bool isUnit(cpu::LookUpBytesOp op) const {
    int64_t lanes = op.getWords().getType().getNumElements();
    return (lanes == 16 && has("dot_codes")) || (lanes == 8 && has("look_up"));
  }

  void lower(cpu::LookUpBytesOp op) const {
    OpBuilder b(op);
    auto *write = isUnit(op) ? writeUnitLookUpBytes : writePlainLookUpBytes;
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getWords(), op.getValues()));
    op.erase();
  }

  /// What the instructions for an op need.
  void addFeatures(Operation *op, llvm::SetVector<StringRef> &features) const {
    if ((isa<cpu::DotOp>(op) && has("dot")) || (isa<cpu::RoundOp>(op) && has("round")))
      features.insert("avx512bf16");
    if (isa<cpu::DotCodesOp>(op) && has("dot_codes"))
      features.insert("avx512vnni");
    if (auto bytes = dyn_cast<cpu::LookUpBytesOp>(op); bytes && isUnit(bytes))
      features.insert(bytes.getWords().getType().getNumElements() == 16 ? "avx512bw" : "avx2");
    if (auto product = dyn_cast<cpu::TileProductOp>(op); product && has("tiles")) {
      features.insert("amx-tile");
      features.insert(product.getCodes() ? "amx-int8" : "amx-bf16");
    }
  }

  static void lowerTiles(Operation *op, TileFunctions &tiles) {
    if (auto begin = dyn_cast<cpu::BeginTilesOp>(op))
      tiles.begin(begin);
    else if (auto end = dyn_cast<cpu::EndTilesOp>(op))
      tiles.end(end);
    else
      tiles.multiply(cast<cpu::TileProductOp>(op));
    op->erase();
  }

  /// Loops use the unit of dots where there is one.
  void lowerTilesPlain(Operation *op, llvm::SetVector<StringRef> &features) const {
    if (auto product = dyn_cast<cpu::TileProductOp>(op)) {
      bool codes = product.getCodes(), hasDot = has(codes ? "dot_codes" : "dot");
      if (hasDot)
        features.insert(codes ? "avx512vnni" : "avx512bf16");
      writePlainTile(product, codes    ? hasDot ? writeUnitDotCodes : writePlainDotCodes
                              : hasDot ? writeUnitDot
                                       : writePlainDot);
    }
    op->erase();
  }
};

} // namespace
