//===- FormulaAsm.cpp - formulas print as they read -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Inputs are printed as elements, `%x[t, d]`, with the names of the op's indices in place of the
// anonymous dimensions of an affine map.
//
//===----------------------------------------------------------------------------------------===//

#include "FormulaAsm.h"

using namespace mlir;
using namespace weft;

ParseResult parseIndexList(OpAsmParser &parser, ArrayAttr &indices) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<IndexAttr> index = weft::detail::parseIndex(parser);
    if (failed(index))
      return failure();
    list.push_back(*index);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  indices = parser.getBuilder().getArrayAttr(list);
  return success();
}

void printIndexList(OpAsmPrinter &printer, Operation *, ArrayAttr indices) {
  printer << "[";
  llvm::interleaveComma(indices.getAsRange<IndexAttr>(), printer,
                        [&](IndexAttr index) { weft::detail::printIndex(printer, index); });
  printer << "]";
}

ParseResult parseScales(OpAsmParser &parser, DenseF64ArrayAttr &scales) {
  SmallVector<double> values;
  auto parseOne = [&]() -> ParseResult {
    APFloat value(APFloat::IEEEdouble());
    if (parser.parseFloat(APFloat::IEEEdouble(), value))
      return failure();
    values.push_back(value.convertToDouble());
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  scales = parser.getBuilder().getDenseF64ArrayAttr(values);
  return success();
}

void printScales(OpAsmPrinter &printer, Operation *, DenseF64ArrayAttr scales) {
  printer << "[";
  llvm::interleaveComma(scales.asArrayRef(), printer,
                        [&](double value) { printer.printFloat(APFloat(value)); });
  printer << "]";
}

ParseResult parseParenthesizedIndex(OpAsmParser &parser, IndexAttr &index) {
  if (parser.parseLParen())
    return failure();
  FailureOr<IndexAttr> parsed = weft::detail::parseIndex(parser);
  if (failed(parsed) || parser.parseRParen())
    return failure();
  index = *parsed;
  return success();
}

void printParenthesizedIndex(OpAsmPrinter &printer, Operation *, IndexAttr index) {
  printer << "(";
  weft::detail::printIndex(printer, index);
  printer << ")";
}

ParseResult parseFormulaInputs(OpAsmParser &parser,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs,
                               SmallVectorImpl<Type> &types, ArrayAttr &maps, ArrayAttr indices) {
  SmallVector<AffineMap> list;
  if (failed(parser.parseOptionalKeyword("ins"))) {
    maps = parser.getBuilder().getAffineMapArrayAttr(list);
    return success();
  }
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  for (auto [i, index] : llvm::enumerate(indices.getAsRange<IndexAttr>()))
    names.emplace_back(index.getName(), getAffineDimExpr(i, parser.getContext()));
  auto parseOne = [&]() -> ParseResult {
    SmallVector<AffineExpr> results;
    if (parser.parseOperand(inputs.emplace_back()))
      return failure();
    auto parseExpr = [&] { return parser.parseAffineExpr(names, results.emplace_back()); };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseExpr))
      return failure();
    list.push_back(AffineMap::get(names.size(), 0, results, parser.getContext()));
    return success();
  };
  if (parser.parseLParen() || parser.parseCommaSeparatedList(parseOne) ||
      parser.parseColonTypeList(types) || parser.parseRParen())
    return failure();
  maps = parser.getBuilder().getAffineMapArrayAttr(list);
  return success();
}

/// How strongly an operation binds its operands.
enum class Binding { Sum, Product, Operand };

static void printExpr(OpAsmPrinter &printer, AffineExpr expr, ArrayAttr indices, Binding binding);

/// The x of x * -1, or null.
static AffineExpr negated(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  bool isNegative = binary && expr.getKind() == AffineExprKind::Mul &&
                    binary.getRHS() == getAffineConstantExpr(-1, expr.getContext());
  return isNegative ? binary.getLHS() : AffineExpr();
}

/// Prints `a + b`; `a - b` where the second or the first operand is negative.
static void printSum(OpAsmPrinter &printer, AffineBinaryOpExpr sum, ArrayAttr indices) {
  AffineExpr lhs = sum.getLHS(), rhs = sum.getRHS();
  if (negated(lhs) && !negated(rhs))
    std::swap(lhs, rhs);
  printExpr(printer, lhs, indices, Binding::Sum);
  auto constant = dyn_cast<AffineConstantExpr>(rhs);
  if (constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN) {
    printer << " - " << -constant.getValue();
    return;
  }
  AffineExpr subtracted = negated(rhs);
  printer << (subtracted ? " - " : " + ");
  printExpr(printer, subtracted ? subtracted : rhs, indices,
            subtracted ? Binding::Product : Binding::Sum);
}

/// Prints `expr` with index names, in parentheses where it stands in something that binds more.
static void printExpr(OpAsmPrinter &printer, AffineExpr expr, ArrayAttr indices, Binding binding) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    printer.printKeywordOrString(cast<IndexAttr>(indices[dim.getPosition()]).getName());
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool isSum = expr.getKind() == AffineExprKind::Add;
  bool needsParentheses = binding == Binding::Operand || (isSum && binding == Binding::Product);
  printer << (needsParentheses ? "(" : "");
  if (isSum) {
    printSum(printer, binary, indices);
  } else {
    StringRef spelling = expr.getKind() == AffineExprKind::Mul        ? " * "
                         : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                         : expr.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                                      : " mod ";
    printExpr(printer, binary.getLHS(), indices, Binding::Operand);
    printer << spelling;
    printExpr(printer, binary.getRHS(), indices, Binding::Operand);
  }
  printer << (needsParentheses ? ")" : "");
}

void printFormulaInputs(OpAsmPrinter &printer, Operation *, OperandRange inputs, TypeRange types,
                        ArrayAttr maps, ArrayAttr indices) {
  if (inputs.empty())
    return;
  printer << " ins(";
  for (auto [i, input] : llvm::enumerate(inputs)) {
    printer << (i ? ", " : "") << input << "[";
    llvm::interleaveComma(
        cast<AffineMapAttr>(maps[i]).getValue().getResults(), printer,
        [&](AffineExpr expr) { printExpr(printer, expr, indices, Binding::Sum); });
    printer << "]";
  }
  printer << " : " << types << ")";
}

/// Whether `region` is `outer` or in it; the outermost region has no op yet while it is parsed.
static bool isInside(Region *region, const Region &outer) {
  while (region && region != &outer) {
    Operation *owner = region->getParentOp();
    region = owner ? owner->getParentRegion() : nullptr;
  }
  return region != nullptr;
}

/// Whether an operation of `region` uses a value that `other` defines.
static bool usesValuesOf(Region &region, Region &other) {
  WalkResult result = region.walk([&](Operation *op) {
    bool uses = llvm::any_of(op->getOperands(),
                             [&](Value value) { return isInside(value.getParentRegion(), other); });
    return uses ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

static ParseResult parseSingleBlock(OpAsmParser &parser, Region &region) {
  if (parser.parseRegion(region))
    return failure();
  if (region.empty())
    region.emplaceBlock();
  return success();
}

/// Fails, and frees what the regions use of each other, unless they use nothing.
static ParseResult finishRegions(OpAsmParser &parser, ParseResult result,
                                 ArrayRef<Region *> regions) {
  for (Region *region : regions)
    for (Region *other : regions)
      if (succeeded(result) && region != other && usesValuesOf(*region, *other))
        result = parser.emitError(parser.getNameLoc(),
                                  "a region of a formula uses a value of its other region");
  if (failed(result))
    for (Region *region : regions)
      region->dropAllReferences();
  return result;
}

ParseResult parseBodyAndPredicate(OpAsmParser &parser, Region &body, Region &predicate) {
  ParseResult result = parseSingleBlock(parser, body);
  if (succeeded(result) && succeeded(parser.parseOptionalKeyword("where")))
    result = parseSingleBlock(parser, predicate);
  return finishRegions(parser, result, {&body, &predicate});
}

void printBodyAndPredicate(OpAsmPrinter &printer, Operation *, Region &body, Region &predicate) {
  printer.printRegion(body);
  if (predicate.empty())
    return;
  printer << " where ";
  printer.printRegion(predicate);
}

ParseResult parseRowRegions(OpAsmParser &parser, ArrayAttr &kinds,
                            SmallVectorImpl<std::unique_ptr<Region>> &reductions, Region &element) {
  SmallVector<Attribute> list;
  SmallVector<Region *> regions{&element};
  ParseResult result = success();
  while (succeeded(result) && failed(parser.parseOptionalKeyword("element"))) {
    auto kind = ReduceKindAttr::parse(parser, Type());
    if (!kind) {
      result = failure();
      break;
    }
    list.push_back(kind);
    regions.push_back(reductions.emplace_back(std::make_unique<Region>()).get());
    result = parseSingleBlock(parser, *regions.back());
  }
  if (succeeded(result))
    result = parseSingleBlock(parser, element);
  kinds = parser.getBuilder().getArrayAttr(list);
  return finishRegions(parser, result, regions);
}

void printRowRegions(OpAsmPrinter &printer, Operation *, ArrayAttr kinds,
                     MutableArrayRef<Region> reductions, Region &element) {
  for (auto [kind, region] : llvm::zip(kinds.getAsRange<ReduceKindAttr>(), reductions)) {
    printer << stringifyReduceKind(kind.getValue()) << " ";
    printer.printRegion(region);
    printer << " ";
  }
  printer << "element ";
  printer.printRegion(element);
}
