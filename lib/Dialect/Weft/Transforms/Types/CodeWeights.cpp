//===- CodeWeights.cpp - weft-code-weights --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Chooses which weights become codes, of how many bits, and makes their parts. What becomes of
// their products is CodedProduct's.
//
//===----------------------------------------------------------------------------------------===//

#include "Types/CodedProduct.h"
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
static constexpr int64_t kSideBySide = 4;
/// Codes of a row whose products have a sum of 32 bits.
static constexpr int64_t kLongestRow = INT32_MAX / (255 * 127);

namespace {

/// How the tensors of a class become codes.
struct Coding {
  SmallVector<int64_t> along, kept; ///< dimensions of the weight: of a row, and that number rows
  SmallVector<OpOperand *> products, reads;
  CodeFormat format;
};

class CodeWeightsPass : public weft::impl::CodeWeightsPassBase<CodeWeightsPass> {
public:
  using CodeWeightsPassBase::CodeWeightsPassBase;
  void runOnOperation() override;

private:
  std::optional<Coding> plan(const TensorClasses &classes, ArrayRef<Value> members,
                             FactorTypes &types);
  CodeFormat chooseFormat(const Coding &coding, int64_t size) const;
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
  coding.format = chooseFormat(coding, size);
  bool isUsed = !coding.products.empty() || !coding.reads.empty();
  bool isRow = size % kSideBySide == 0 && size <= kLongestRow;
  return isUsed && isRow ? std::optional(coding) : std::nullopt;
}

void CodeWeightsPass::rewriteProduct(OpOperand &use, const Coding &coding, Value scales,
                                     Value sums) {
  auto op = cast<ContractOp>(use.getOwner());
  unsigned weight = use.getOperandNumber(), other = 1 - weight;
  const CodedActivation &coded = activations.get(op.getInputs()[other], *getSummedDims(op, other));
  multiplyCodes(op, weight, {use.get(), scales, sums, coding.kept}, coded, planes == 2);
}

/// Whether the model returns the product, or what is made of it element by element.
static bool isResult(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    if (isa<func::ReturnOp>(user))
      return attrs::Entry::isOn(user->getParentOfType<func::FuncOp>());
    return isa<MapOp>(user) && isResult(user);
  });
}

/// Rows of tables are read element by element, and what a result is lost in is not made up for by
/// what follows.
CodeFormat CodeWeightsPass::chooseFormat(const Coding &coding, int64_t size) const {
  bool isShort =
      bits == 4 && coding.reads.empty() && (group == 0 || size % group == 0) &&
      llvm::none_of(coding.products, [](OpOperand *use) { return isResult(use->getOwner()); });
  return isShort ? CodeFormat{4, group, asymmetric} : CodeFormat();
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
    return CodedAttr::get(&getContext(), part, coding.along, type.getShape(), coding.format);
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
  numShort += coding.format.bits == 4;
}

void CodeWeightsPass::runOnOperation() {
  if ((bits != 8 && bits != 4) || group < 0 || (planes != 1 && planes != 2)) {
    getOperation().emitError() << "codes have 8 or 4 bits, groups of some, and 1 or 2 planes";
    return signalPassFailure();
  }
  activations = ActivationCodes(planes == 2);
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
