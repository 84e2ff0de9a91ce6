//===- PackWeights.cpp - weights in panels --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every product that reads a weight, in whichever function, wants a layout of it. The one that is
// wanted by most is the type of the weight and of all arguments it is passed through; whoever else
// reads it follows. Another layout that enough rows want is a second stored form: a weight of the
// same name, passed through arguments of its own.
//
//===----------------------------------------------------------------------------------------===//

#include "ProductLayout.h"
#include "weft/Conversion/WeftToKernels/Passes.h"
#include "weft/Dialect/Weft/Transforms/TensorClasses.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace weft {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "weft/Conversion/WeftToKernels/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {

/// A layout of a weight, and the products that want it.
struct StoredForm {
  LayoutAttr layout;
  SmallVector<OpOperand *> readers;
  bool hasManyRows = false; ///< one of them
};

struct PackWeightsPass : weft::impl::PackWeightsBase<PackWeightsPass> {
  using PackWeightsBase::PackWeightsBase;
  void runOnOperation() override;

private:
  LayoutAttr getLayout(ContractOp op, const Product &product, CodedAttr coded);
  SmallVector<StoredForm> chooseForms(const TensorClasses &classes, const ManyRows &manyRows,
                                      unsigned id);
  void addForm(ArrayRef<Value> members, const StoredForm &form);
};

} // namespace

/// A weight or an argument that one is passed through.
static bool canPack(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return (isa<BlockArgument>(value) || value.getDefiningOp<WeightOp>()) && type.hasStaticShape() &&
         (isa<FloatType>(type.getElementType()) || type.getElementType().isInteger(8)) &&
         !type.getEncoding();
}

/// Whoever reads the tensor by indices or coordinates need not know how it is stored.
static bool canFollow(Operation *user) { return isa<IndexedOpInterface, AtOp, func::CallOp>(user); }

static bool isScaled(CodedAttr coded) { return coded && coded.getPart() == CodePart::Reals; }

/// The contraction as a product of an activation with the weight that it reads by `use`.
static std::optional<Product> matchReader(OpOperand &use, const TensorClasses &classes,
                                          CodedAttr coded) {
  auto op = dyn_cast<ContractOp>(use.getOwner());
  unsigned input = use.getOperandNumber();
  if (!op || input > 1 || classes.isWeight(op.getOperand(1 - input)) ||
      !canMultiply(getElementTypeOrSelf(op.getOperand(1 - input)), getElementTypeOrSelf(use.get()),
                   isScaled(coded) ? coded.getFormat().table : CodeTable::None))
    return std::nullopt;
  std::optional<Product> product = chooseColumns(op);
  return product && product->columns == input ? product : std::nullopt;
}

/// What the members are a part of, if they are codes.
static CodedAttr getCodes(ArrayRef<Value> members) {
  for (Value value : members)
    if (auto weight = value.getDefiningOp<WeightOp>())
      if (auto coded = weight.getCoded())
        return isScaled(*coded) || coded->getPart() == CodePart::Codes ? *coded : CodedAttr();
  return {};
}

/// Whether groups of codes share something.
static bool hasGroups(CodedAttr coded) {
  return coded && (isScaled(coded) || coded.getBits() == 4);
}

/// Such codes along the rows of panels of `nr` columns.
static LayoutAttr getGrouped(CodedAttr coded, ArrayRef<int64_t> batch, ArrayRef<int64_t> n,
                             int64_t nr) {
  int64_t row = 1;
  for (int64_t dim : coded.getAlong())
    row *= coded.getShape()[dim];
  CodeFormat format = coded.getFormat();
  int64_t group = format.getGroupSize(row);
  if (isScaled(coded))
    return LayoutAttr::get(coded.getContext(), batch, n, coded.getAlong(), {nr, 1})
        .withCodes(format.table, group);
  return LayoutAttr::get(coded.getContext(), batch, n, coded.getAlong(), {nr, 4}, group);
}

/// Panels of codes keep them so, if groups, or neighbours, lie along their rows. There is no other
/// form of those that stand for reals.
static LayoutAttr withCodes(LayoutAttr layout, CodedAttr coded) {
  if (!coded)
    return layout;
  bool isAlong = coded.getAlong() == layout.getK() && (isScaled(coded) || layout.getKr() == 4);
  if (!isAlong)
    return isScaled(coded) ? LayoutAttr() : layout;
  if (!hasGroups(coded))
    return coded.getNarrow() ? layout.asNarrow() : layout;
  return getGrouped(coded, layout.getBatch(), layout.getN(), layout.getNr());
}

/// Rows one after the other, for a table of which elements are read at computed places alone, and
/// for codes that stand for reals whoever reads them.
static LayoutAttr chooseTable(CodedAttr coded, ArrayRef<Value> members) {
  bool isTable =
      hasGroups(coded) && !coded.getKeptDims().empty() && llvm::all_of(members, [](Value value) {
        return llvm::all_of(value.getUsers(), llvm::IsaPred<AtOp, func::CallOp>);
      });
  return isTable || isScaled(coded) ? getGrouped(coded, {}, coded.getKeptDims(), /*nr=*/1)
                                    : LayoutAttr();
}

/// Whether codes of 8 bits lie otherwise than one row of the product after the other, and could lie
/// so in whole chunks of 16 bytes, which is how units without panels read them.
static bool isTurned(LayoutAttr layout, ShapedType type) {
  SmallVector<int64_t> wanted;
  for (ArrayRef<int64_t> dims : {layout.getBatch(), layout.getN(), layout.getK()})
    llvm::append_range(wanted, dims);
  int64_t rows = 1;
  for (int64_t dim : layout.getK())
    rows *= type.getDimSize(dim);
  return type.getElementType().isInteger(8) && !llvm::is_sorted(wanted) && rows % 16 == 0;
}

/// The panels that a product wants; of one column, and for codes of groups or for such that are to
/// be turned alone, where nothing else is to be packed.
LayoutAttr PackWeightsPass::getLayout(ContractOp op, const Product &product, CodedAttr coded) {
  LayoutAttr layout = getPanels(op, product, std::max<int64_t>(nr, 1));
  if (layout)
    layout = withCodes(layout, coded);
  bool isGrouped = layout && (layout.getNibbles() > 0 || layout.getGroup() > 0);
  auto type = cast<ShapedType>(op.getInputs()[product.columns].getType());
  return nr > 0 || isGrouped || (layout && isTurned(layout, type)) ? layout : LayoutAttr();
}

/// Whether both are the same panels but for the order of what is summed over. Then one will do, and
/// is to: a step whose rows lie otherwise adds up as the whole does.
static bool areSameSums(LayoutAttr a, LayoutAttr b) {
  return a.getBatch() == b.getBatch() && a.getN() == b.getN() && a.getTile() == b.getTile() &&
         a.getNibbles() == b.getNibbles() && a.getTable() == b.getTable() &&
         a.getGroup() == b.getGroup() &&
         std::is_permutation(a.getK().begin(), a.getK().end(), b.getK().begin(), b.getK().end());
}

/// All layouts that are wanted, the one of most products first.
SmallVector<StoredForm> PackWeightsPass::chooseForms(const TensorClasses &classes,
                                                     const ManyRows &manyRows, unsigned id) {
  SmallVector<StoredForm> forms;
  CodedAttr coded = getCodes(classes.getMembers(id));
  for (Value value : classes.getMembers(id)) {
    if (!canPack(value) || !llvm::all_of(value.getUsers(), canFollow))
      return {};
    for (OpOperand &use : value.getUses()) {
      std::optional<Product> product = matchReader(use, classes, coded);
      auto op = dyn_cast<ContractOp>(use.getOwner());
      LayoutAttr layout = product ? getLayout(op, *product, coded) : LayoutAttr();
      if (!layout)
        continue;
      auto *form = llvm::find_if(
          forms, [&](const StoredForm &known) { return areSameSums(known.layout, layout); });
      if (form == forms.end())
        form = &forms.emplace_back(StoredForm{layout, {}});
      form->readers.push_back(&use);
      form->hasManyRows |= manyRows.of(op, *product);
    }
  }
  LayoutAttr table = chooseTable(coded, classes.getMembers(id));
  if (table && forms.empty())
    forms.push_back({table, {}});
  auto *most =
      std::max_element(forms.begin(), forms.end(), [](const StoredForm &a, const StoredForm &b) {
        return a.readers.size() < b.readers.size();
      });
  if (most != forms.end())
    std::rotate(forms.begin(), most, most + 1);
  return forms;
}

/// The same weight once more, in another form: everything it passes through passes this, too.
void PackWeightsPass::addForm(ArrayRef<Value> members, const StoredForm &form) {
  auto type = cast<RankedTensorType>(members.front().getType());
  IRMapping twins = addTwins(getOperation(), members, withLayout(type, form.layout));
  for (OpOperand *use : form.readers)
    use->set(twins.lookup(use->get()));
  for (Value value : members)
    if (Value twin = twins.lookup(value); twin.use_empty() && twin.getDefiningOp())
      twin.getDefiningOp()->erase();
}

/// The weight is the right factor of a product: one form for the code generator.
static void putRight(ContractOp op, unsigned input) {
  if (input == 0 && op.getLhs() != op.getRhs())
    op.swapFactors(0, 1);
}

void PackWeightsPass::runOnOperation() {
  if (nr < 0 || (nr > 0 && !llvm::isPowerOf2_64(uint64_t(nr)))) {
    getOperation().emitError() << "the panel width " << int64_t(nr)
                               << " is neither 0 nor a power of two";
    return signalPassFailure();
  }
  TensorClasses classes(getOperation());
  ManyRows manyRows(getOperation());
  SmallVector<OpOperand *> packed;
  for (unsigned id = 0; id != classes.size(); ++id) {
    SmallVector<StoredForm> forms;
    if (classes.isWeight(id))
      forms = chooseForms(classes, manyRows, id);
    if (forms.empty())
      continue;
    ++numPacked;
    SmallVector<Value> members(classes.getMembers(id));
    for (const StoredForm &form : ArrayRef(forms).drop_front()) {
      if (!form.hasManyRows || nr == 0)
        continue;
      addForm(members, form);
      ++numForms;
      llvm::append_range(packed, form.readers);
    }
    for (Value value : members)
      value.setType(withLayout(cast<RankedTensorType>(value.getType()), forms.front().layout));
    llvm::append_range(packed, forms.front().readers);
  }
  for (OpOperand *use : packed)
    putRight(cast<ContractOp>(use->getOwner()), use->getOperandNumber());
  updateFunctionTypes(getOperation());
}
