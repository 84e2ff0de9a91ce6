//===- CodeWeights.cpp - weft-code-weights --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// w ~ c * s and x ~ (q - 128) * a, with codes c and q and scales of rows, make of a product
//
//   sum(k) x[t, k] * w[n, k] = (sum(k) q[t, k] * c[n, k] - 128 * sum(k) c[n, k]) * a[t] * s[n]
//
// a product of whole numbers, exact whatever unit computes it. All of this is formulas: the codes
// of an activation a maximum and a map, the scales factors of the epilogue.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/ActivationCodes.h"
#include "Types/FactorTypes.h"
#include "weft/Dialect/Weft/IR/Product.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

namespace weft {
#define GEN_PASS_DEF_CODEWEIGHTSPASS
#include "weft/Dialect/Weft/Transforms/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

/// Codes that lie side by side in panels, in four bytes.
static constexpr int64_t kGroup = 4;

namespace {

/// How the tensors of a class become codes.
struct Coding {
  SmallVector<int64_t> along, kept; ///< dimensions of the weight: of a row, and that number rows
  SmallVector<OpOperand *> products, reads;
};

class CodeWeightsPass : public weft::impl::CodeWeightsPassBase<CodeWeightsPass> {
public:
  using CodeWeightsPassBase::CodeWeightsPassBase;
  void runOnOperation() override;

private:
  std::optional<Coding> plan(const TensorClasses &classes, ArrayRef<Value> members,
                             FactorTypes &types);
  void code(ArrayRef<Value> members, const Coding &coding);
  void rewriteProduct(OpOperand &use, const Coding &coding, Value scales, Value sums);

  ActivationCodes activations;
};

} // namespace

/// The dimensions of the input that the product's sum runs over, if it has all of each.
static std::optional<SmallVector<int64_t>> getSummedDims(ContractOp op, unsigned input) {
  std::optional<Product> product = Product::match(op, input);
  if (!product)
    return std::nullopt;
  AffineMap map = FormulaOpInterface(op).getInputMap(input);
  SmallVector<unsigned> summed(product->k);
  llvm::erase_if(summed, [&](unsigned position) { return !map.isFunctionOfDim(position); });
  return getDimsReadBy(op, input, summed);
}

std::optional<Coding> CodeWeightsPass::plan(const TensorClasses &classes, ArrayRef<Value> members,
                                            FactorTypes &types) {
  Coding coding;
  for (Value value : members) {
    if (value.getDefiningOp<arith::ConstantOp>())
      return std::nullopt;
    for (OpOperand &use : value.getUses()) {
      if (isa<func::CallOp>(use.getOwner()))
        continue;
      if (isa<AtOp>(use.getOwner())) {
        coding.reads.push_back(&use);
        continue;
      }
      auto op = dyn_cast<ContractOp>(use.getOwner());
      unsigned input = use.getOperandNumber();
      if (!op || !types.isFactor(use) || classes.isWeight(op.getInputs()[1 - input]))
        return std::nullopt;
      auto along = getSummedDims(op, input), others = getSummedDims(op, 1 - input);
      if (!along || !others || along->size() != others->size())
        return std::nullopt;
      llvm::sort(*along);
      if (!coding.products.empty() && *along != coding.along)
        return std::nullopt;
      coding.along = *along;
      coding.products.push_back(&use);
    }
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(members.front().getType()).getShape();
  if (coding.products.empty())
    coding.along = {int64_t(shape.size()) - 1}; // of a table the rows that are read
  int64_t size = 1;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (llvm::is_contained(coding.along, dim))
      size *= extent;
    else
      coding.kept.push_back(dim);
  bool isUsed = !coding.products.empty() || !coding.reads.empty();
  return isUsed && size % kGroup == 0 ? std::optional(coding) : std::nullopt;
}

/// The map of the rows of a tensor that is read at `map`.
static AffineMap getRowMap(AffineMap map, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> places =
      llvm::map_to_vector(dims, [&](int64_t dim) { return map.getResult(dim); });
  return AffineMap::get(map.getNumDims(), 0, places, map.getContext());
}

/// The sum of codes as what it stands for, in front of what the epilogue made of it. The last
/// arguments are the row's largest magnitude, and scale and sum of the weight's codes.
static void writeEpilogue(ContractOp op, double scale) {
  Location loc = op.getLoc();
  Block &block = op.getEpilogue().front();
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  Type f32 = b.getF32Type();
  auto [largest, factor, sums] = std::tuple(block.getArgument(block.getNumArguments() - 3),
                                            block.getArgument(block.getNumArguments() - 2),
                                            block.getArgument(block.getNumArguments() - 1));
  auto real = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  };
  BlockArgument old = block.getArgument(0);
  BlockArgument codes = block.insertArgument(0u, b.getI32Type(), loc);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(kZeroCode));
  Value whole = arith::SubIOp::create(b, loc, codes, arith::MulIOp::create(b, loc, sums, zero));
  Value sum = arith::SIToFPOp::create(b, loc, f32, whole);
  Value row = arith::MulFOp::create(b, loc, largest, real(scale / CodedActivation::kLargest));
  sum = arith::MulFOp::create(b, loc, sum, arith::MulFOp::create(b, loc, row, factor));
  old.replaceAllUsesWith(sum);
  block.eraseArgument(1);
}

void CodeWeightsPass::rewriteProduct(OpOperand &use, const Coding &coding, Value scales,
                                     Value sums) {
  auto op = cast<ContractOp>(use.getOwner());
  IndexedOpInterface formula = op;
  unsigned weight = use.getOperandNumber(), other = 1 - weight;
  AffineMap rows = formula.getInputMap(other), columns = formula.getInputMap(weight);
  const CodedActivation &coded = activations.get(op.getInputs()[other], *getSummedDims(op, other));
  op->setOperand(other, coded.codes);
  if (op.getEpilogue().empty()) {
    OpBuilder b = OpBuilder::atBlockEnd(&op.getEpilogue().emplaceBlock());
    YieldOp::create(b, op.getLoc(), op.getEpilogue().addArgument(b.getF32Type(), op.getLoc()));
  }
  formula.appendInput(coded.largest, getRowMap(rows, coded.keptDims));
  formula.appendInput(scales, getRowMap(columns, coding.kept));
  formula.appendInput(sums, getRowMap(columns, coding.kept));
  writeEpilogue(op, op.getScale().convertToDouble());
  op.setScaleAttr(OpBuilder(op).getF64FloatAttr(1));
}

/// An element of a table: its code times its row's scale.
static void rewriteRead(OpOperand &use, const Coding &coding, Value scales) {
  auto op = cast<AtOp>(use.getOwner());
  OpBuilder b(op);
  SmallVector<Value> coordinates(op.getCoordinates()), row;
  for (int64_t dim : coding.kept)
    row.push_back(coordinates[dim]);
  UnitAttr inbounds = op.getInboundsAttr();
  auto code = AtOp::create(b, op.getLoc(), b.getI32Type(), op.getSource(), coordinates, inbounds);
  auto scale = AtOp::create(b, op.getLoc(), b.getF32Type(), scales, row, inbounds);
  Value real = arith::SIToFPOp::create(b, op.getLoc(), b.getF32Type(), code);
  op.replaceAllUsesWith(arith::MulFOp::create(b, op.getLoc(), real, scale).getResult());
  op.erase();
}

void CodeWeightsPass::code(ArrayRef<Value> members, const Coding &coding) {
  auto type = cast<RankedTensorType>(members.front().getType());
  auto makePart = [&](CodePart part) {
    return CodedAttr::get(&getContext(), part, coding.along, type.getShape());
  };
  auto addPart = [&](CodePart part) {
    CodedAttr attribute = makePart(part);
    return addTwins(getOperation(), members,
                    RankedTensorType::get(attribute.getPartShape(), attribute.getPartElement()),
                    [&](WeightOp twin) { twin.setCodedAttr(attribute); });
  };
  IRMapping scales = addPart(CodePart::Scales), sums = addPart(CodePart::Sums);
  for (Value value : members) {
    value.setType(type.clone(makePart(CodePart::Codes).getPartElement()));
    if (auto weight = value.getDefiningOp<WeightOp>())
      weight.setCodedAttr(makePart(CodePart::Codes));
  }
  for (OpOperand *use : coding.reads)
    rewriteRead(*use, coding, scales.lookup(use->get()));
  for (OpOperand *use : coding.products)
    rewriteProduct(*use, coding, scales.lookup(use->get()), sums.lookup(use->get()));
  ++numCoded;
}

void CodeWeightsPass::runOnOperation() {
  activations = ActivationCodes();
  TensorClasses classes(getOperation());
  FactorTypes types(Float32Type::get(&getContext()), Float32Type::get(&getContext()));
  for (unsigned id = 0; id != classes.size(); ++id) {
    ArrayRef<Value> members = classes.getMembers(id);
    if (!classes.isWeight(id) || !isMatrix(members.front()) ||
        !isa<FloatType>(getElementTypeOrSelf(members.front())))
      continue;
    if (std::optional<Coding> coding = plan(classes, members, types))
      code(members, *coding);
  }
  updateFunctionTypes(getOperation());
}
