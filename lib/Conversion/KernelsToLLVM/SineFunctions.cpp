//===- SineFunctions.cpp - sines and cosines of any argument --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What is far has its sine from libm, lane by lane: a branch, that hardly ever is taken. As it
// stands in a function until LLVM optimises, the loop that asks for a sine is one block, whose
// products and sums weft-fuse-products sees together wherever the formula is computed.
//
//===----------------------------------------------------------------------------------------===//

#include "SineFunctions.h"
#include "WideFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace weft;

namespace {

/// The functions of a module.
class SineFunctions {
public:
  explicit SineFunctions(ModuleOp module)
      : b(OpBuilder::atBlockEnd(module.getBody())), loc(module.getLoc()), symbols(module) {}

  /// That of numbers of `type`: f32, or vectors with one dimension.
  func::FuncOp get(bool isSine, Type type);

private:
  func::FuncOp create(const std::string &name, Type type, StringRef attribute);
  func::FuncOp createFar(bool isSine, Type type, const std::string &name);
  Value isAny(Value condition);

  OpBuilder b;
  Location loc;
  SymbolTable symbols;
};

} // namespace

func::FuncOp SineFunctions::create(const std::string &name, Type type, StringRef attribute) {
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType({type}, {type}));
  function.setPrivate();
  function->setAttr("passthrough", b.getStrArrayAttr({attribute}));
  function.addEntryBlock();
  symbols.insert(function);
  return function;
}

/// All lanes by libm's function of f64, which is right everywhere.
func::FuncOp SineFunctions::createFar(bool isSine, Type type, const std::string &name) {
  func::FuncOp function = create(name, type, "cold");
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  Type wide = b.getF64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  Value x = arith::ExtFOp::create(b, loc, wide, function.getArgument(0)), y;
  if (isSine)
    y = math::SinOp::create(b, loc, x);
  else
    y = math::CosOp::create(b, loc, x);
  Value result = arith::TruncFOp::create(b, loc, type, y);
  func::ReturnOp::create(b, loc, result);
  return function;
}

Value SineFunctions::isAny(Value condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, condition);
}

func::FuncOp SineFunctions::get(bool isSine, Type type) {
  std::string name = isSine ? "math.sin" : "math.cos";
  if (auto vector = dyn_cast<VectorType>(type))
    name += "." + std::to_string(vector.getNumElements());
  if (auto known = symbols.lookup<func::FuncOp>(name))
    return known;
  func::FuncOp far = createFar(isSine, type, name + ".far");
  func::FuncOp function = create(name, type, "alwaysinline");
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  Value x = function.getArgument(0);
  Value near = isSine ? emitNearSine(b, loc, x) : emitNearCosine(b, loc, x);
  Value limit = createScalarOrSplatConstant(b, loc, type, APFloat(float(kFarArgument)));
  // Infinities and NaN, too.
  Value isFar = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE,
                                      math::AbsFOp::create(b, loc, x), limit);
  auto choice = scf::IfOp::create(
      b, loc, isAny(isFar),
      [&](OpBuilder &b, Location loc) {
        Value right = func::CallOp::create(b, loc, far, x).getResult(0);
        Value all = arith::SelectOp::create(b, loc, isFar, right, near);
        scf::YieldOp::create(b, loc, all);
      },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, near); });
  func::ReturnOp::create(b, loc, choice.getResult(0));
  return function;
}

/// A call in place of `op`, of a vector with one dimension if it has several.
static void replace(Operation *op, SineFunctions &functions) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Type type = x.getType(), flat = type;
  auto vector = dyn_cast<VectorType>(type);
  bool isFlat = !vector || vector.getRank() == 1;
  if (!isFlat) {
    flat = VectorType::get(vector.getNumElements(), vector.getElementType());
    x = vector::ShapeCastOp::create(b, loc, flat, x);
  }
  func::FuncOp function = functions.get(isa<math::SinOp>(op), flat);
  Value result = func::CallOp::create(b, loc, function, x).getResult(0);
  if (!isFlat)
    result = vector::ShapeCastOp::create(b, loc, type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void weft::callSineFunctions(ModuleOp module) {
  SmallVector<Operation *> sines;
  module.walk([&](Operation *op) {
    if (isa<math::SinOp, math::CosOp>(op) &&
        getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      sines.push_back(op);
  });
  if (sines.empty())
    return;
  SineFunctions functions(module);
  for (Operation *op : sines)
    replace(op, functions);
}
