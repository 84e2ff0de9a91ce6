//===- LowerUnits.cpp - weft-lower-units ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NativeUnits.h"
#include "PlainUnits.h"
#include "TileFunctions.h"
#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/Exponential.h"
#include "weft/Codegen/Common/TableCode.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_LOWERUNITS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

static Value writePlainLookUp(OpBuilder &b, Location loc, Value words, ArrayRef<float> values) {
  LaneBuilder lanes(b, loc, cast<VectorType>(words.getType()).getNumElements());
  return lookUpBySelects(lanes, words, values);
}

/// Where all rows turn out to be for others than tiles, no shapes are needed.
static void eraseIdleTiles(FunctionOpInterface function) {
  SmallVector<Operation *> states;
  bool multiplies = false;
  function.walk([&](Operation *op) {
    multiplies |= isa<cpu::TileProductOp>(op);
    if (isa<cpu::BeginTilesOp, cpu::EndTilesOp>(op))
      states.push_back(op);
  });
  if (!multiplies)
    llvm::for_each(states, [](Operation *op) { op->erase(); });
}

namespace {

struct LowerUnitsPass : weft::impl::LowerUnitsBase<LowerUnitsPass> {
  using LowerUnitsBase::LowerUnitsBase;

  void runOnOperation() override {
    for (const std::string &unit : native)
      if (!llvm::is_contained({"dot", "dot_codes", "short_dot_codes", "dot_bytes", "dot_words",
                               "round", "power_of_two", "look_up", "short_look_up", "tiles",
                               "flush"},
                              StringRef(unit))) {
        getOperation().emitError()
            << "unknown unit '" << unit
            << "': dot, dot_codes, short_dot_codes, dot_bytes, dot_words, "
               "round, power_of_two, look_up, short_look_up, tiles and flush are known";
        return signalPassFailure();
      }
    getOperation().walk(eraseIdleTiles);
    llvm::SetVector<StringRef> features;
    TileFunctions tiles(getOperation());
    getOperation().walk([&](Operation *op) {
      addFeatures(op, features);
      if (auto dot = dyn_cast<cpu::DotOp>(op))
        lower(dot, isUnit("dot", dot) ? writeUnitDot : writePlainDot);
      else if (auto codes = dyn_cast<cpu::DotCodesOp>(op))
        lower(codes, chooseDotCodes(codes));
      else if (auto dots = dyn_cast<cpu::DotSignedOp>(op))
        lower(dots, addsInWords(dots.getSum().getType()) ? writeDotSigned : writePlainDotSigned);
      else if (auto bytes = dyn_cast<cpu::DotBytesOp>(op))
        lower(bytes, isUnit("dot_bytes", bytes) ? writeUnitDotBytes : writePlainDotBytes);
      else if (auto words = dyn_cast<cpu::DotWordsOp>(op))
        lower(words, isUnit("dot_words", words) ? writeUnitDotWords : writePlainDotWords);
      else if (auto power = dyn_cast<cpu::PowerOfTwoOp>(op))
        lower(power);
      else if (auto round = dyn_cast<arith::TruncFOp>(op))
        lower(round);
      else if (auto lookUp = dyn_cast<cpu::LookUpOp>(op))
        lower(lookUp);
      else if (auto bytes = dyn_cast<cpu::LookUpBytesOp>(op))
        lower(bytes);
      else if (auto flush = dyn_cast<cpu::BeginFlushOp>(op))
        lower(flush);
      else if (auto flush = dyn_cast<cpu::EndFlushOp>(op))
        lower(flush);
      else if (isa<cpu::TileProductOp, cpu::LoadSumsOp, cpu::StoreSumsOp, cpu::BeginTilesOp,
                   cpu::EndTilesOp>(op))
        has("tiles") ? lowerTiles(op, tiles) : lowerTilesPlain(op, features);
    });
    if (!features.empty())
      getOperation()->setDiscardableAttr(
          kProcessorFeatures, OpBuilder(&getContext()).getStrArrayAttr(features.getArrayRef()));
  }

private:
  bool has(StringRef unit) const { return llvm::is_contained(native, unit); }

  using Write = Value (*)(OpBuilder &, Location, Value, Value, Value);
  Write chooseDotCodes(cpu::DotCodesOp op) const {
    VectorType sum = op.getSum().getType();
    if (hasDotsOfCodes() && isRegister(sum))
      return writeUnitDotCodes;
    if (op.getNarrow() && addsInWords(sum))
      return writeDotOfBytes;
    return has("dot_words") && isRegister(sum) ? writeDotOfWords : writePlainDotCodes;
  }

  bool addsInWords(VectorType sum) const {
    return has("dot_bytes") && has("dot_words") && isRegister(sum);
  }

  static bool isRegister(VectorType lanes) {
    return llvm::is_contained({4, 8, 16}, lanes.getNumElements());
  }
  template <typename Op> bool isUnit(StringRef unit, Op op) const {
    return has(unit) && isRegister(op.getSum().getType());
  }
  /// `weft-expand-halves` leaves these where there is an instruction. Folding makes one conversion
  /// of that of an integer and of its rounding.
  bool isRounding(Operation *op) const {
    return isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op) && has("round") &&
           getElementTypeOrSelf(op->getResult(0)).isBF16();
  }

  template <typename Op, typename Write> static void lower(Op op, Write write) {
    OpBuilder b(op);
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getSum(), op.getLhs(), op.getRhs()));
    op.erase();
  }

  void lower(arith::TruncFOp op) const {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!isRounding(op) || !type || type.getNumElements() != 32)
      return;
    OpBuilder b(op);
    op.replaceAllUsesWith(writeUnitRound(b, op.getLoc(), op.getIn()));
    op.erase();
  }

  bool isUnit(cpu::PowerOfTwoOp op) const {
    return has("power_of_two") && isRegister(op.getNumber().getType());
  }

  void lower(cpu::PowerOfTwoOp op) const {
    OpBuilder b(op);
    LaneBuilder lanes(b, op.getLoc(), op.getNumber().getType().getNumElements());
    auto *write = isUnit(op) ? writeUnitPowerOfTwo : emitPlainExp2;
    Power power = op.getRounded() ? Power::Rounded : op.getWeight() ? Power::Weight : Power::Exact;
    op.replaceAllUsesWith(write(lanes, op.getNumber(), power));
    op.erase();
  }

  /// Lanes of the widest register with a permutation.
  int64_t getLookUpLanes() const { return has("look_up") ? 16 : has("short_look_up") ? 8 : 0; }

  void lower(cpu::LookUpOp op) const {
    OpBuilder b(op);
    int64_t lanes = op.getWords().getType().getNumElements(), most = getLookUpLanes();
    bool isUnit = most != 0 && (lanes % most == 0 || lanes == 8);
    auto *write = isUnit ? writeUnitLookUp : writePlainLookUp;
    auto lookUp = [&](Value words) { return write(b, op.getLoc(), words, op.getValues()); };
    bool isOne = !isUnit || lanes <= most;
    op.replaceAllUsesWith(isOne ? lookUp(op.getWords())
                                : inRegisters(b, op.getLoc(), op.getWords(), most, lookUp));
    op.erase();
  }

  /// A vector of several registers of `lanes` lanes, one after the other.
  static Value inRegisters(OpBuilder &b, Location loc, Value words, int64_t lanes,
                           llvm::function_ref<Value(Value)> write) {
    auto type = cast<VectorType>(words.getType()).clone(b.getF32Type());
    Value all = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    for (int64_t first = 0; first != type.getNumElements(); first += lanes) {
      Value part = vector::ExtractStridedSliceOp::create(b, loc, words, first, lanes, 1);
      all = vector::InsertStridedSliceOp::create(b, loc, write(part), all, first, 1);
    }
    return all;
  }

  /// That of 64 bytes came before dots of codes.
  bool isUnit(cpu::LookUpBytesOp op) const {
    int64_t lanes = op.getWords().getType().getNumElements();
    return (lanes == 16 && has("dot_codes")) || (lanes == 8 && getLookUpLanes() != 0);
  }

  void lower(cpu::LookUpBytesOp op) const {
    OpBuilder b(op);
    auto *write = isUnit(op) ? writeUnitLookUpBytes : writePlainLookUpBytes;
    op.replaceAllUsesWith(write(b, op.getLoc(), op.getWords(), op.getValues()));
    op.erase();
  }

  void lower(cpu::BeginFlushOp op) const {
    OpBuilder b(op);
    Value before = has("flush") ? writeUnitBeginFlush(b, op.getLoc())
                                : arith::ConstantIntOp::create(b, op.getLoc(), 0, 32);
    op.replaceAllUsesWith(before);
    op.erase();
  }

  void lower(cpu::EndFlushOp op) const {
    OpBuilder b(op);
    if (has("flush"))
      writeUnitEndFlush(b, op.getLoc(), op.getBefore());
    op.erase();
  }

  /// What the instructions for an op need.
  void addFeatures(Operation *op, llvm::SetVector<StringRef> &features) const {
    auto dot = dyn_cast<cpu::DotOp>(op);
    auto codes = dyn_cast<cpu::DotCodesOp>(op);
    if ((dot && isUnit("dot", dot)) || isRounding(op))
      features.insert("avx512bf16");
    if (auto power = dyn_cast<cpu::PowerOfTwoOp>(op); power && isUnit(power))
      for (StringRef feature : {"avx512dq", "avx512vl"})
        features.insert(feature);
    if (codes && hasDotsOfCodes() && isRegister(codes.getSum().getType()))
      features.insert(getDotsOfCodes());
    if (auto bytes = dyn_cast<cpu::LookUpBytesOp>(op); bytes && isUnit(bytes))
      features.insert(bytes.getWords().getType().getNumElements() == 16 ? "avx512bw" : "avx2");
    if (auto product = dyn_cast<cpu::TileProductOp>(op); product && has("tiles")) {
      features.insert("amx-tile");
      features.insert(product.getCodes() ? "amx-int8" : "amx-bf16");
    }
  }

  /// Registers of 8 lanes have the same instruction without AVX-512, too.
  bool hasDotsOfCodes() const { return has("dot_codes") || has("short_dot_codes"); }
  StringRef getDotsOfCodes() const { return has("dot_codes") ? "avx512vnni" : "avxvnni"; }

  static void lowerTiles(Operation *op, TileFunctions &tiles) {
    if (auto begin = dyn_cast<cpu::BeginTilesOp>(op))
      tiles.begin(begin);
    else if (auto end = dyn_cast<cpu::EndTilesOp>(op))
      tiles.end(end);
    else if (auto load = dyn_cast<cpu::LoadSumsOp>(op))
      tiles.loadSums(load);
    else if (auto store = dyn_cast<cpu::StoreSumsOp>(op))
      tiles.storeSums(store);
    else
      tiles.multiply(cast<cpu::TileProductOp>(op));
    op->erase();
  }

  /// Loops use the unit of dots where there is one.
  void lowerTilesPlain(Operation *op, llvm::SetVector<StringRef> &features) const {
    if (auto product = dyn_cast<cpu::TileProductOp>(op)) {
      bool codes = product.getCodes(), hasDot = codes ? hasDotsOfCodes() : has("dot");
      if (hasDot)
        features.insert(codes ? getDotsOfCodes() : "avx512bf16");
      writePlainTile(product, codes    ? hasDot ? writeUnitDotCodes : writePlainDotCodes
                              : hasDot ? writeUnitDot
                                       : writePlainDot);
    }
    if (auto sums = dyn_cast<cpu::LoadSumsOp>(op))
      writePlainLoadSums(sums);
    op->erase();
  }
};

} // namespace
