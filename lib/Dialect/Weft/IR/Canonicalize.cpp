//===- Canonicalize.cpp - one way to write each formula -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every formula reads each element once, as an input where its place is affine, and carries
// nothing that has no effect. What joins formulas is a fusion and not done here.
//
//===----------------------------------------------------------------------------------------===//

#include "Canonicalize.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------------------------===//
// Inputs of formulas and checks
//===----------------------------------------------------------------------------------------===//

namespace {
struct DropUnusedInput : OpInterfaceRewritePattern<IndexedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(IndexedOpInterface op, PatternRewriter &rewriter) const override {
    for (unsigned i = op.getFirstElementInput(); i < op.getInputs().size(); ++i) {
      auto isUnused = [](BlockArgument argument) { return argument.use_empty(); };
      if (!llvm::all_of(op.getElementArguments(i), isUnused))
        continue;
      rewriter.modifyOpInPlace(op, [&] { op.eraseInput(i); });
      return success();
    }
    return failure();
  }
};

/// Two inputs that are the same element become one.
struct MergeEqualInputs : OpInterfaceRewritePattern<IndexedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(IndexedOpInterface op, PatternRewriter &rewriter) const override {
    for (unsigned j = op.getFirstElementInput() + 1; j < op.getInputs().size(); ++j)
      for (unsigned i = op.getFirstElementInput(); i < j; ++i) {
        if (op.getInputs()[i] != op.getInputs()[j] || op.getMaps()[i] != op.getMaps()[j])
          continue;
        for (auto [kept, merged] : llvm::zip(op.getElementArguments(i), op.getElementArguments(j)))
          rewriter.replaceAllUsesWith(merged, kept);
        rewriter.modifyOpInPlace(op, [&] { op.eraseInput(j); });
        return success();
      }
    return failure();
  }
};

/// The element of a tensor whose elements are all the same is a constant.
struct InlineSplatInput : OpInterfaceRewritePattern<IndexedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(IndexedOpInterface op, PatternRewriter &rewriter) const override {
    for (unsigned i = op.getFirstElementInput(); i < op.getInputs().size(); ++i) {
      SplatElementsAttr splat;
      if (!matchPattern(op.getInputs()[i], m_Constant(&splat)))
        continue;
      for (BlockArgument argument : op.getElementArguments(i)) {
        rewriter.setInsertionPointToStart(argument.getOwner());
        Value scalar = arith::ConstantOp::create(
            rewriter, op.getLoc(),
            convertElement(splat.getSplatValue<TypedAttr>(), argument.getType()));
        rewriter.replaceAllUsesWith(argument, scalar);
      }
      rewriter.modifyOpInPlace(op, [&] { op.eraseInput(i); });
      return success();
    }
    return failure();
  }
};

/// A predicate that always holds says nothing.
struct DropTruePredicate : OpInterfaceRewritePattern<FormulaOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(FormulaOpInterface op, PatternRewriter &rewriter) const override {
    if (!isa<ReduceOp, SoftmaxOp, AttentionOp>(op))
      return failure();
    Region &predicate = op->getRegion(1);
    if (predicate.empty() || !matchPattern(predicate.front().back().getOperand(0), m_One()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&predicate.front()); });
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// weft.map
//===----------------------------------------------------------------------------------------===//

namespace {
/// What was a part of a formula's value is the value now.
static void nameWhole(Value value, Operation *whole) {
  auto producer = value.getDefiningOp<FormulaOpInterface>();
  StringAttr label = attrs::Label::get(whole);
  StringAttr part = producer ? attrs::Label::get(producer) : StringAttr();
  if (label && part && part.getValue().ends_with(".part") && value == producer->getResult(0))
    attrs::Label::set(producer, label);
}

/// A map that yields its input's element at the same place is the input.
struct RemoveIdentity : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    auto formula = cast<FormulaOpInterface>(op.getOperation());
    auto argument = dyn_cast<BlockArgument>(op.getBody().front().back().getOperand(0));
    if (formula.hasBufferSemantics() || !argument || argument.getOwner() != &op.getBody().front())
      return failure();
    unsigned i = argument.getArgNumber();
    Value input = op.getInputs()[i];
    if (input.getType() != op.getResult().getType() ||
        formula.getInputMap(i) != formula.getOutputIndexingMap())
      return failure();
    nameWhole(input, op);
    rewriter.replaceOp(op, input);
    return success();
  }
};

/// A map of one scalar constant is a constant.
struct FoldConstantMap : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    auto type =
        dyn_cast_or_null<RankedTensorType>(op.getResult() ? op.getResult().getType() : Type());
    TypedAttr value;
    if (!type || !type.hasStaticShape() ||
        !matchPattern(op.getBody().front().back().getOperand(0), m_Constant(&value)))
      return failure();
    Attribute stored = convertElement(value, type.getElementType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, DenseElementsAttr::get(type, stored));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// weft.contract, weft.index, weft.inner
//===----------------------------------------------------------------------------------------===//

namespace {
/// An epilogue that yields the sum alone says nothing.
struct DropIdentityEpilogue : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    Region &epilogue = op.getEpilogue();
    if (epilogue.empty() || epilogue.getNumArguments() != 1 ||
        epilogue.front().back().getOperand(0) != epilogue.getArgument(0))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&epilogue.front()); });
    return success();
  }
};

/// The mean, maximum and minimum of one value is it; its sum is a product.
struct FoldInvariantInner : OpRewritePattern<InnerOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(InnerOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    Value value = body.back().getOperand(0);
    IndexAttr range = op.getRange();
    bool isInside = value.getParentRegion() == &op.getBody();
    bool isConstant = matchPattern(value, m_Constant());
    if ((isInside && !isConstant) || range.getDynamic() || range.getSize() < 1 ||
        op.getKind() == ReduceKind::Prod)
      return failure();
    if (isInside)
      rewriter.moveOpBefore(value.getDefiningOp(), op);
    if (op.getKind() == ReduceKind::Sum) {
      Value count = arith::ConstantOp::create(rewriter, op.getLoc(),
                                              rewriter.getF32FloatAttr(float(range.getSize())));
      value = arith::MulFOp::create(rewriter, op.getLoc(), value, count);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void InnerOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldInvariantInner>(context);
}

namespace {
/// What is known of rows and nothing reads is not written.
struct DropUnusedOfRows : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    unsigned left = op->getNumResults();
    while (left > 1 && op->getResult(left - 1).use_empty())
      --left;
    if (left == op->getNumResults())
      return failure();
    OperationState state(op.getLoc(), op->getName(), op->getOperands(),
                         op->getResults().take_front(left).getTypes(), op->getAttrs());
    FormulaOpInterface formula = op;
    SmallVector<AffineMap> maps;
    for (unsigned output = 0; output != left; ++output)
      maps.push_back(formula.getOutputIndexingMap(output));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *fewer = rewriter.create(state);
    weft::detail::setOutputIndexingMaps(cast<FormulaOpInterface>(fewer), maps);
    for (unsigned output = 0; output != left; ++output)
      rewriter.replaceAllUsesWith(op->getResult(output), fewer->getResult(output));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

/// An index with one value is that value.
OpFoldResult IndexOp::fold(FoldAdaptor) {
  auto op = (*this)->getParentOfType<IndexedOpInterface>();
  if (!op)
    return {};
  IndexAttr index = op.getIndexAttr(getPosition());
  bool isSingle = !index.getDynamic() && index.getSize() == 1;
  return isSingle ? IntegerAttr::get(getType(), 0) : OpFoldResult();
}

void WeftDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropUnusedInput, MergeEqualInputs, InlineSplatInput, DropTruePredicate,
               RemoveIdentity, FoldConstantMap, DropIdentityEpilogue, DropUnusedOfRows>(
      getContext());
  addCheckPatterns(patterns);
}
