//===- FormulaAsm.cpp - formulas print as they read -----------------------------------------===//
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

/// Prints `expr` with index names; parentheses around every nested binary expression.
static void printExpr(OpAsmPrinter &printer, AffineExpr expr, ArrayAttr indices,
                      bool nested = false) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    printer << cast<IndexAttr>(indices[dim.getPosition()]).getName();
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StringRef spelling = expr.getKind() == AffineExprKind::Add        ? " + "
                       : expr.getKind() == AffineExprKind::Mul      ? " * "
                       : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                       : expr.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                                    : " mod ";
  printer << (nested ? "(" : "");
  printExpr(printer, binary.getLHS(), indices, true);
  printer << spelling;
  printExpr(printer, binary.getRHS(), indices, true);
  printer << (nested ? ")" : "");
}

void printFormulaInputs(OpAsmPrinter &printer, Operation *, OperandRange inputs, TypeRange types,
                        ArrayAttr maps, ArrayAttr indices) {
  if (inputs.empty())
    return;
  printer << " ins(";
  for (auto [i, input] : llvm::enumerate(inputs)) {
    printer << (i ? ", " : "") << input << "[";
    llvm::interleaveComma(cast<AffineMapAttr>(maps[i]).getValue().getResults(), printer,
                          [&](AffineExpr expr) { printExpr(printer, expr, indices); });
    printer << "]";
  }
  printer << " : " << types << ")";
}
