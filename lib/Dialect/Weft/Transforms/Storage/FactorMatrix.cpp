//===- FactorMatrix.cpp - weft-factor-matrix -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Storage/MatrixFactors.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Support/Elements.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>
#include <numeric>

namespace weft {
#define GEN_PASS_DEF_FACTORMATRIXPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Values of which all are looked at.
static constexpr int64_t kMostScales = 65536;
/// Neighbours that share the factor of scales.
static constexpr int64_t kLongestSpan = 256;

namespace {
class FactorMatrixPass : public weft::impl::FactorMatrixPassBase<FactorMatrixPass> {
public:
  void runOnOperation() override;

private:
  void addPart(StringRef name, Value value, int64_t group, Type stored);
  void addShared(StringRef name, Value value);
  void addTable(ArrayRef<double> values);
  void findSpans();

  func::FuncOp function;
  MapOp op;
  MatrixFactors factors;
};
} // namespace

/// The map that makes all of the result, element by element; null if there is more to it.
static MapOp findMap(func::FuncOp function) {
  Block &block = function.getBody().front();
  auto map = dyn_cast<MapOp>(block.front());
  bool isAll = map && std::next(block.begin(), 1)->hasTrait<OpTrait::IsTerminator>();
  bool isMatrix =
      isAll && map.getIndices().size() == 2 && getElementTypeOrSelf(map->getResult(0)).isF32();
  return isMatrix && FormulaOpInterface(map).getOutputIndexingMap().isIdentity() ? map : MapOp();
}

/// The shortest type that has all values of a shared real: f16, bf16 or f32.
static Type findStored(MapOp op, Value value) {
  MLIRContext *context = op.getContext();
  if (auto negated = value.getDefiningOp<arith::NegFOp>())
    return findStored(op, negated.getOperand());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getElementTypeOrSelf(op.getInputs()[argument.getArgNumber()]);
  std::optional<CodeFunction> all = findCodeFunction(op, value, kMostScales);
  for (ElementType type : {ElementType::F16, ElementType::BF16})
    if (all && llvm::all_of(all->values, [&](double one) {
          return std::isnan(one) || roundReal(type, one) == one;
        }))
      return getStorageType(context, type);
  return Float32Type::get(context);
}

static unsigned getBits(Type type) { return type.getIntOrFloatBitWidth(); }

/// The same of a factor of few values: whole numbers of 8 bits, too.
static Type findInner(MapOp op, Value value) {
  constexpr int64_t kMost = 256;
  std::optional<CodeFunction> all = findCodeFunction(op, value, kMost);
  bool isByte = all && llvm::all_of(all->values, [](double one) {
                  return one == std::nearbyint(one) && one >= -128 && one <= 127;
                });
  return isByte ? Type(IntegerType::get(op.getContext(), 8)) : findStored(op, value);
}

static Value makeReal(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  return isa<FloatType>(value.getType())
             ? value
             : arith::SIToFPOp::create(b, loc, b.getF32Type(), value).getResult();
}

/// Removes scalar code that nothing uses, and inputs.
static void simplify(MapOp map) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(map.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  IndexedOpInterface indexed = map;
  for (unsigned i = map.getInputs().size(); i-- != 0;)
    if (llvm::all_of(indexed.getElementArguments(i),
                     [](BlockArgument argument) { return argument.use_empty(); }))
      indexed.eraseInput(i);
}

/// One element for each group, instead of one for each of its members.
static void keepFirsts(MapOp map, int64_t group) {
  if (group == 1)
    return;
  MLIRContext *context = map.getContext();
  IndexedOpInterface indexed = map;
  int64_t count = indexed.getIndexAttr(1).getSize() / group;
  indexed.insertIndex(1, IndexAttr::get(context, "g", "", count, /*dynamic=*/false),
                      /*isOutput=*/true);
  indexed.substituteIndex(2, getAffineDimExpr(1, context) * group);
}

void FactorMatrixPass::addPart(StringRef name, Value value, int64_t group, Type stored) {
  IRMapping mapping;
  auto part = cast<func::FuncOp>(function->clone(mapping));
  part.setName(name);
  function->getParentOfType<ModuleOp>().push_back(part);
  auto map = cast<MapOp>(&part.getBody().front().front());
  Operation *yield = map.getBody().front().getTerminator();
  OpBuilder b(yield);
  Value result = makeReal(b, map.getLoc(), mapping.lookup(value));
  if (stored.isInteger())
    result = arith::FPToSIOp::create(b, map.getLoc(), b.getI32Type(), result);
  yield->setOperand(0, result);
  simplify(map);
  keepFirsts(map, group);
  auto type = cast<RankedTensorType>(map->getResult(0).getType()).clone(stored);
  map->getResult(0).setType(type);
  part.setType(FunctionType::get(&getContext(), part.getArgumentTypes(), {type}));
}

/// What members of a group share, if they do.
void FactorMatrixPass::addShared(StringRef name, Value value) {
  if (value)
    addPart(name, value, factors.group,
            name == "zeros" ? findStored(op, value) : findInner(op, value));
}

/// What codes stand for.
void FactorMatrixPass::addTable(ArrayRef<double> values) {
  auto count = int64_t(values.size());
  auto type = RankedTensorType::get({count}, Float32Type::get(&getContext()));
  OpBuilder b(function);
  auto table = func::FuncOp::create(b, op.getLoc(), "table", b.getFunctionType({}, {type}));
  b.setInsertionPointToStart(table.addEntryBlock());
  SmallVector<float> reals(values);
  auto constant =
      arith::ConstantOp::create(b, op.getLoc(), DenseElementsAttr::get(type, ArrayRef(reals)));
  func::ReturnOp::create(b, op.getLoc(), constant.getResult());
}

/// Scales and offsets of which a factor is shared by several groups, if that is shorter.
void FactorMatrixPass::findSpans() {
  if (factors.zero || getBits(findStored(op, factors.scale)) == 16)
    return;
  std::optional<SpanFactors> scale = factorSpan(op, factors.scale, factors.group), offset;
  if (factors.offset)
    offset = factorSpan(op, factors.offset, factors.group);
  if (!scale || (factors.offset && !offset))
    return;
  int64_t outer = std::gcd(scale->outerGroup, offset ? offset->outerGroup : scale->outerGroup);
  outer = std::gcd(outer, kLongestSpan);
  bool isShort = outer >= 2 * factors.group && outer % factors.group == 0;
  for (const SpanFactors &one : {*scale, offset.value_or(*scale)})
    isShort &= getBits(findInner(op, one.inner)) <= 16;
  if (!isShort)
    return;
  Type stored = findStored(op, scale->outer);
  if (offset && findStored(op, offset->outer) != stored)
    stored = Float32Type::get(&getContext());
  addPart("outer_scales", scale->outer, outer, stored);
  factors.scale = scale->inner;
  if (!offset)
    return;
  addPart("outer_offsets", offset->outer, outer, stored);
  factors.offset = offset->inner;
}

void FactorMatrixPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return;
  function = *functions.begin();
  op = function.isExternal() ? MapOp() : findMap(function);
  std::optional<MatrixFactors> found = op ? factorMatrix(op) : std::nullopt;
  if (!found)
    return;
  factors = std::move(*found);
  OpBuilder b(op.getBody().front().getTerminator());
  Location loc = op.getLoc();
  Value code = factors.table.code;
  if (!code.getType().isIndex())
    code = arith::IndexCastOp::create(b, loc, b.getIndexType(), code);
  code = arith::SubIOp::create(b, loc, code,
                               arith::ConstantIndexOp::create(b, loc, factors.table.first));
  addTable(factors.table.values);
  addPart("codes", code, 1, b.getF32Type());
  findSpans();
  addShared("scales", factors.scale);
  addShared("zeros", factors.zero ? makeReal(b, loc, factors.zero) : Value());
  addShared("offsets", factors.offset);
  function.erase();
  ++numFactored;
}
