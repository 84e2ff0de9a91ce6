//===- AccessRange.cpp - where an affine access lands ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/AccessRange.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

static StringRef symbolOf(ShapedType type, unsigned dim) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? getSymbol(tensor, dim) : StringRef();
}

//===----------------------------------------------------------------------------------------===//
// Proof: intervals whose ends are linear in the symbols
//===----------------------------------------------------------------------------------------===//

namespace {
/// constant + sum of factor * symbol.
struct SymbolicSum {
  int64_t constant = 0;
  llvm::SmallMapVector<StringRef, std::pair<int64_t, int64_t>, 2> terms; // factor, bound

  bool isConstant() const { return terms.empty(); }

  SymbolicSum scaled(int64_t factor) const {
    SymbolicSum result;
    result.constant = constant * factor;
    if (factor != 0)
      for (auto [symbol, term] : terms)
        result.terms[symbol] = {term.first * factor, term.second};
    return result;
  }

  SymbolicSum operator+(const SymbolicSum &other) const {
    SymbolicSum result = *this;
    result.constant += other.constant;
    for (auto [symbol, term] : other.terms) {
      auto &mine = result.terms[symbol];
      mine = {mine.first + term.first, term.second};
      if (mine.first == 0)
        result.terms.erase(symbol);
    }
    return result;
  }

  /// The least value for symbols from 1 to their bounds.
  int64_t minimum() const {
    int64_t result = constant;
    for (auto [symbol, term] : terms)
      result += term.first * (term.first > 0 ? 1 : term.second);
    return result;
  }
};

/// Between two such sums, both included.
struct SymbolicInterval {
  SymbolicSum lower, upper;
};
} // namespace

static SymbolicSum constantOf(int64_t value) {
  SymbolicSum result;
  result.constant = value;
  return result;
}

static std::optional<SymbolicInterval> intervalOf(AffineExpr expr, ArrayRef<IndexAttr> indices);

/// Bounds of `expr floordiv d`, `expr ceildiv d` or `expr mod d` for a positive d.
static std::optional<SymbolicInterval> divisionInterval(AffineExprKind kind, SymbolicInterval lhs,
                                                        int64_t divisor) {
  if (divisor <= 0)
    return std::nullopt;
  bool isNonNegative = lhs.lower.minimum() >= 0;
  bool isStatic = lhs.lower.isConstant() && lhs.upper.isConstant();
  if (kind == AffineExprKind::Mod) {
    SymbolicInterval result{constantOf(0), constantOf(divisor - 1)};
    bool isUnchanged =
        isNonNegative && (constantOf(divisor - 1) + lhs.upper.scaled(-1)).minimum() >= 0;
    return isUnchanged ? lhs : result;
  }
  if (isStatic && kind == AffineExprKind::FloorDiv)
    return SymbolicInterval{constantOf(llvm::divideFloorSigned(lhs.lower.constant, divisor)),
                            constantOf(llvm::divideFloorSigned(lhs.upper.constant, divisor))};
  if (isStatic)
    return SymbolicInterval{constantOf(llvm::divideCeilSigned(lhs.lower.constant, divisor)),
                            constantOf(llvm::divideCeilSigned(lhs.upper.constant, divisor))};
  // A quotient of something not negative is between 0 and it.
  if (isNonNegative)
    return SymbolicInterval{constantOf(0), lhs.upper};
  return std::nullopt;
}

static std::optional<SymbolicInterval> intervalOf(AffineExpr expr, ArrayRef<IndexAttr> indices) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SymbolicInterval{constantOf(constant.getValue()), constantOf(constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    IndexAttr index = indices[dim.getPosition()];
    SymbolicSum last = constantOf(index.getDynamic() ? -1 : index.getSize() - 1);
    if (index.getDynamic())
      last.terms[index.getDim()] = {1, index.getSize()};
    return SymbolicInterval{constantOf(0), last};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<SymbolicInterval> lhs = intervalOf(binary.getLHS(), indices);
  std::optional<SymbolicInterval> rhs = intervalOf(binary.getRHS(), indices);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return SymbolicInterval{lhs->lower + rhs->lower, lhs->upper + rhs->upper};
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  int64_t factor = constant.getValue();
  if (expr.getKind() != AffineExprKind::Mul)
    return divisionInterval(expr.getKind(), *lhs, factor);
  SymbolicInterval result{lhs->lower.scaled(factor), lhs->upper.scaled(factor)};
  if (factor < 0)
    std::swap(result.lower, result.upper);
  return result;
}

std::optional<int64_t> weft::getMinimum(AffineExpr expr, ArrayRef<IndexAttr> indices) {
  std::optional<SymbolicInterval> interval = intervalOf(expr, indices);
  return interval ? std::optional(interval->lower.minimum()) : std::nullopt;
}

bool weft::isProvenInRange(AffineExpr expr, ArrayRef<IndexAttr> indices, ShapedType type,
                           unsigned dim) {
  std::optional<SymbolicInterval> interval = intervalOf(expr, indices);
  if (!interval || interval->lower.minimum() < 0)
    return false;
  SymbolicSum last = constantOf(-1);
  if (!type.isDynamicDim(dim))
    last.constant += type.getDimSize(dim);
  else if (StringRef symbol = symbolOf(type, dim); !symbol.empty())
    last.terms[symbol] = {1, getBound(cast<RankedTensorType>(type), dim)};
  else
    return false;
  return (last + interval->upper.scaled(-1)).minimum() >= 0;
}

//===----------------------------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------------------------===//

namespace {
/// Tries the values of the indices an expression uses, for fixed values of the symbols.
class Search {
public:
  Search(AffineExpr expr, ArrayRef<IndexAttr> indices, const llvm::StringMap<int64_t> &symbols,
         int64_t size)
      : expr(expr), indices(indices), symbols(symbols), size(size), point(indices.size()) {
    for (unsigned i = 0; i < indices.size(); ++i)
      if (expr.isFunctionOfDim(i))
        used.push_back(i);
  }

  std::optional<OutOfRange> run() {
    constexpr int64_t kFewPoints = 4096;
    int64_t points = 1;
    for (unsigned i : used) {
      if (extent(i) == 0)
        return std::nullopt;
      points = std::min(points * std::min(extent(i), kFewPoints + 1), kFewPoints + 1);
    }
    tryAll(0, /*everywhere=*/false);
    if (!found && points <= kFewPoints)
      tryAll(0, /*everywhere=*/true);
    return found;
  }

private:
  int64_t extent(unsigned i) const {
    return indices[i].getDynamic() ? symbols.lookup(indices[i].getDim()) : indices[i].getSize();
  }

  void tryAll(unsigned position, bool everywhere) {
    if (position == used.size())
      return tryPoint();
    int64_t last = extent(used[position]) - 1;
    int64_t step = everywhere ? 1 : std::max<int64_t>(last, 1);
    for (int64_t value = 0; value <= last && !found; value += step) {
      point[used[position]] = value;
      tryAll(position + 1, everywhere);
    }
  }

  void tryPoint() {
    SmallVector<AffineExpr> constants;
    for (int64_t value : point)
      constants.push_back(getAffineConstantExpr(value, expr.getContext()));
    auto value = dyn_cast<AffineConstantExpr>(expr.replaceDims(constants));
    if (value && (value.getValue() < 0 || value.getValue() >= size))
      found = OutOfRange{value.getValue(), size};
  }

  AffineExpr expr;
  ArrayRef<IndexAttr> indices;
  const llvm::StringMap<int64_t> &symbols;
  int64_t size;
  SmallVector<unsigned> used;
  SmallVector<int64_t> point;
  std::optional<OutOfRange> found;
};
} // namespace

std::optional<OutOfRange> weft::findOutOfRange(AffineExpr expr, ArrayRef<IndexAttr> indices,
                                               ShapedType type, unsigned dim) {
  if (isProvenInRange(expr, indices, type, dim))
    return std::nullopt;
  StringRef symbol = symbolOf(type, dim);
  if (type.isDynamicDim(dim) && symbol.empty())
    return std::nullopt;
  // All symbols at once are at 1 or at their bounds, and each alone is.
  llvm::MapVector<StringRef, int64_t> bounds;
  if (!symbol.empty())
    bounds[symbol] = getBound(cast<RankedTensorType>(type), dim);
  for (auto [i, index] : llvm::enumerate(indices))
    if (index.getDynamic() && expr.isFunctionOfDim(i))
      bounds[index.getDim()] = index.getSize();
  size_t choices = size_t(1) << std::min<size_t>(bounds.size(), 6);
  for (size_t choice = 0; choice < choices; ++choice) {
    llvm::StringMap<int64_t> values;
    for (auto [i, bound] : llvm::enumerate(bounds))
      values[bound.first] = (choice >> i) & 1 ? 1 : bound.second;
    int64_t size = symbol.empty() ? type.getDimSize(dim) : values.lookup(symbol);
    if (auto found = Search(expr, indices, values, size).run())
      return found;
  }
  return std::nullopt;
}
