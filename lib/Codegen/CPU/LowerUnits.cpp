//===- LowerUnits.cpp - weft-lower-units ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileFunctions.h"
#include "weft/Codegen/CPU/Passes.h"
#include "weft/Codegen/CPU/Units.h"
#include "weft/Codegen/Common/ElementCode.h"
#include "weft/Conversion/KernelsToLLVM/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/SetVector.h"

namespace weft {
#define GEN_PASS_DEF_LOWERUNITS
#include "weft/Codegen/CPU/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Both products are exact in f32, so only the additions round.
static Value writePlainDot(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  for (bool isHigh : {false, true}) {
    Value product =
        arith::MulFOp::create(b, loc, cpu::extendHalf(b, loc, lhs, isHigh),
                              cpu::extendHalf(b, loc, rhs, isHigh), arith::FastMathFlags::contract);
    sum = arith::AddFOp::create(b, loc, sum, product, arith::FastMathFlags::contract);
  }
  return sum;
}

static Value writePlainDotCodes(OpBuilder &b, Location loc, Value sum, Value lhs, Value rhs) {
  auto constant = [&](int64_t value) {
    return createScalarOrSplatConstant(b, loc, lhs.getType(), value);
  };
  for (int64_t byte = 0; byte != 4; ++byte) {
    Value left = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, lhs, constant(8 * byte)), constant(0xff));
    Value upper = arith::ShLIOp::create(b, loc, rhs, constant(24 - 8 * byte));
    Value right = arith::ShRSIOp::create(b, loc, upper, constant(24));
    sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, left, right));
  }
  return sum;
}

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

namespace {

/// A tile product as loops over its rows, each with two vectors of sums.
class PlainTile {
public:
  PlainTile(cpu::TileProductOp op)
      : op(op), b(op), loc(op.getLoc()), zero(index(0)), one(index(1)) {}

  void write() {
    scf::ForOp rows = scf::ForOp::create(b, loc, zero, op.getCount(), one);
    b.setInsertionPointToStart(rows.getBody());
    Value row = rows.getInductionVar();
    Value sums = address(op.getSums(), mul(row, index(4 * kTileColumns)));
    Value factors = address(op.getRows(), mul(row, op.getStride()));
    SmallVector<Value> start;
    Type element = op.getCodes() ? Type(b.getI32Type()) : b.getF32Type();
    Attribute zeros = b.getZeroAttr(VectorType::get(16, element));
    for (int64_t v = 0; v != 2; ++v)
      start.push_back(op.getFresh()
                          ? arith::ConstantOp::create(b, loc, cast<TypedAttr>(zeros)).getResult()
                          : load(address(sums, index(64 * v)), element));
    Value pairs = arith::DivUIOp::create(b, loc, op.getK(), index(op.getCodes() ? 4 : 2));
    auto loop = scf::ForOp::create(b, loc, zero, pairs, one, start,
                                   [&](OpBuilder &inner, Location, Value pair, ValueRange carried) {
                                     OpBuilder::InsertionGuard guard(b);
                                     b.restoreInsertionPoint(inner.saveInsertionPoint());
                                     scf::YieldOp::create(b, loc, addPair(factors, pair, carried));
                                   });
    for (auto [v, sum] : llvm::enumerate(loop.getResults()))
      LLVM::StoreOp::create(b, loc, sum, address(sums, index(64 * int64_t(v))), /*alignment=*/4);
  }

private:
  SmallVector<Value> addPair(Value factors, Value pair, ValueRange carried) {
    Value left = LLVM::LoadOp::create(b, loc, b.getI32Type(), address(factors, mul(pair, index(4))),
                                      /*alignment=*/2);
    left = vector::BroadcastOp::create(b, loc, VectorType::get(16, b.getI32Type()), left);
    Value columns = address(op.getPanel(), mul(pair, index(4 * kTileColumns)));
    SmallVector<Value> next;
    for (auto [v, sum] : llvm::enumerate(carried)) {
      Value right = load(address(columns, index(64 * int64_t(v))), b.getI32Type());
      auto write = op.getCodes() ? writePlainDotCodes : writePlainDot;
      next.push_back(write(b, loc, sum, left, right));
    }
    return next;
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value address(Value pointer, Value bytes) {
    Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), bytes);
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, offset);
  }
  Value load(Value pointer, Type element) {
    return LLVM::LoadOp::create(b, loc, VectorType::get(16, element), pointer, /*alignment=*/4);
  }

  cpu::TileProductOp op;
  OpBuilder b;
  Location loc;
  Value zero, one;
};

struct LowerUnitsPass : weft::impl::LowerUnitsBase<LowerUnitsPass> {
  using LowerUnitsBase::LowerUnitsBase;

  void runOnOperation() override {
    for (const std::string &unit : native)
      if (unit != "dot" && unit != "dot_codes" && unit != "round" && unit != "tiles") {
        getOperation().emitError()
            << "unknown unit '" << unit << "': dot, dot_codes, round and tiles are known";
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
      else if (isa<cpu::TileProductOp, cpu::BeginTilesOp, cpu::EndTilesOp>(op))
        has("tiles") ? lowerTiles(op, tiles) : lowerTilesPlain(op);
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

  /// What the instructions for an op need.
  void addFeatures(Operation *op, llvm::SetVector<StringRef> &features) const {
    if ((isa<cpu::DotOp>(op) && has("dot")) || (isa<cpu::RoundOp>(op) && has("round")))
      features.insert("avx512bf16");
    if (isa<cpu::DotCodesOp>(op) && has("dot_codes"))
      features.insert("avx512vnni");
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

  static void lowerTilesPlain(Operation *op) {
    if (auto product = dyn_cast<cpu::TileProductOp>(op))
      PlainTile(product).write();
    op->erase();
  }
};

} // namespace
