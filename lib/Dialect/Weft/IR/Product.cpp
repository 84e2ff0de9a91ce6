//===- Product.cpp - a contraction seen as products of matrices -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Product.h"

#include "weft/Dialect/Weft/IR/DiscardableAttrs.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace weft;

std::optional<SmallVector<int64_t>> weft::getLinearCoefficients(AffineExpr expr, unsigned numDims) {
  if (!expr.isPureAffine())
    return std::nullopt;
  bool divides = false;
  expr.walk([&](AffineExpr part) {
    divides |= part.getKind() == AffineExprKind::FloorDiv ||
               part.getKind() == AffineExprKind::CeilDiv || part.getKind() == AffineExprKind::Mod;
  });
  if (divides)
    return std::nullopt;
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> zeros(numDims, getAffineConstantExpr(0, context));
  auto evaluate = [&](ArrayRef<AffineExpr> point) {
    return cast<AffineConstantExpr>(expr.replaceDims(point)).getValue();
  };
  int64_t origin = evaluate(zeros);
  SmallVector<int64_t> coefficients;
  for (unsigned i = 0; i != numDims; ++i) {
    SmallVector<AffineExpr> point = zeros;
    point[i] = getAffineConstantExpr(1, context);
    coefficients.push_back(evaluate(point) - origin);
  }
  return coefficients;
}

std::optional<int64_t> weft::getStaticStride(FormulaOpInterface op, unsigned input,
                                             unsigned position) {
  AffineMap map = op.getInputMap(input);
  auto type = cast<ShapedType>(op.getInputs()[input].getType());
  auto memory = dyn_cast<MemRefType>(type);
  auto strided = memory ? dyn_cast<StridedLayoutAttr>(memory.getLayout()) : StridedLayoutAttr();
  int64_t stride = 0, element = 1;
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    if (strided)
      element = strided.getStrides()[r];
    AffineExpr expr = map.getResult(r);
    if (expr.isFunctionOfDim(position)) {
      auto coefficients = getLinearCoefficients(expr, map.getNumDims());
      if (element < 0 || !coefficients)
        return std::nullopt;
      stride += (*coefficients)[position] * element;
    }
    element = element < 0 || type.isDynamicDim(r) ? -1 : element * type.getDimSize(r);
  }
  return stride;
}

int64_t weft::getBoundProduct(ArrayAttr indices, ArrayRef<unsigned> positions) {
  int64_t product = 1;
  for (unsigned position : positions)
    if (llvm::MulOverflow(product, cast<IndexAttr>(indices[position]).getSize(), product))
      product = INT64_MAX;
  return product;
}

int64_t weft::countOfExample(ContractOp op, ArrayRef<unsigned> positions) {
  StringRef batch = getBatchDim(op->getParentOfType<ModuleOp>());
  SmallVector<unsigned> others(positions);
  llvm::erase_if(others, [&](unsigned position) {
    return FormulaOpInterface(op).getIndexAttr(position).getDim() == batch;
  });
  return getBoundProduct(op.getIndices(), others);
}

/// Of output index `position`, which list it belongs to.
static SmallVector<unsigned> &listOf(Product &product, AffineMap rows, AffineMap columns,
                                     unsigned position) {
  if (!columns.isFunctionOfDim(position))
    return product.m;
  return rows.isFunctionOfDim(position) ? product.batch : product.n;
}

/// The reduced indices as `rows` has them, first those that it lacks, which have one value.
static SmallVector<unsigned> orderReduced(ContractOp op, AffineMap rows) {
  llvm::SetVector<unsigned> order;
  for (unsigned i : op.getSummed())
    if (!rows.isFunctionOfDim(i))
      order.insert(i);
  for (AffineExpr expr : rows.getResults())
    expr.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      if (dim && op.isReduced(dim.getPosition()))
        order.insert(dim.getPosition());
    });
  return order.takeVector();
}

/// Rows choose a matrix of B alone, all columns of it.
bool Product::addChoice(ContractOp op) {
  FormulaOpInterface formula = op;
  unsigned index = op.getChosenIndex();
  AffineMap choice = formula.getInputMap(ContractOp::kChoice);
  bool isRows = llvm::none_of(n, [&](unsigned i) { return choice.isFunctionOfDim(i); });
  if (!isRows || formula.getInputMap(getRows()).isFunctionOfDim(index) ||
      !formula.getInputMap(columns).isFunctionOfDim(index))
    return false;
  chosen = index;
  batch.push_back(index);
  return true;
}

std::optional<Product> Product::match(ContractOp op, unsigned columns) {
  std::optional<Product> product = matchAny(op, columns);
  return product && product->chosen ? std::nullopt : product;
}

static bool areLinear(AffineMap map, ArrayRef<unsigned> positions) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return llvm::none_of(positions, [&](unsigned i) { return expr.isFunctionOfDim(i); }) ||
           getLinearCoefficients(expr, map.getNumDims());
  });
}

std::optional<Product> Product::matchAny(ContractOp op, unsigned columns) {
  FormulaOpInterface formula = op;
  Product product;
  product.columns = columns;
  AffineMap a = formula.getInputMap(1 - columns), b = formula.getInputMap(columns);
  for (AffineExpr expr : formula.getOutputIndexingMap().getResults()) {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    listOf(product, a, b, position).push_back(position);
  }
  if (std::optional<unsigned> apart = op.getApartIndex()) { // sums of rows that follow each other
    if (b.isFunctionOfDim(*apart) || !a.isFunctionOfDim(*apart))
      return std::nullopt;
    product.m.push_back(*apart);
  }
  product.k = orderReduced(op, a);
  for (unsigned position : product.k) {
    bool inA = a.isFunctionOfDim(position), inB = b.isFunctionOfDim(position);
    if ((!inA || !inB) && formula.getIndexAttr(position).getExtent() != 1)
      return std::nullopt;
  }
  if (!areLinear(a, product.k))
    return std::nullopt;
  if (product.n.empty() || product.k.empty() || (op.getChosen() && !product.addChoice(op)))
    return std::nullopt;
  return product;
}

std::optional<Product> Product::getFlipped(ContractOp op) const {
  AffineMap map = FormulaOpInterface(op).getInputMap(columns);
  Product other = *this;
  other.columns = getRows();
  std::swap(other.m, other.n);
  other.k = orderReduced(op, map);
  if (!areLinear(map, other.k))
    return std::nullopt;
  return other;
}

std::optional<SmallVector<int64_t>> weft::getDimsReadBy(FormulaOpInterface op, unsigned input,
                                                        ArrayRef<unsigned> positions) {
  AffineMap map = op.getInputMap(input);
  auto type = cast<ShapedType>(op.getInputs()[input].getType());
  SmallVector<int64_t> dims;
  for (unsigned position : positions) {
    auto readers = llvm::count_if(map.getResults(),
                                  [&](AffineExpr expr) { return expr.isFunctionOfDim(position); });
    auto dim = map.getResultPosition(getAffineDimExpr(position, map.getContext()));
    if (readers != 1 || !dim || op.getIndexAttr(position).getExtent() != type.getDimSize(*dim))
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// Whether the indices `wanted`, but for such of one value, are those that read the dimensions
/// `dims`, each alone and as a whole. Then they are put into the order of these.
static bool orderByDims(FormulaOpInterface op, unsigned input, ArrayRef<int64_t> dims,
                        SmallVector<unsigned> &wanted) {
  AffineMap map = op.getInputMap(input);
  SmallVector<unsigned> ordered, read;
  for (unsigned position : wanted) // those of one value first
    (map.isFunctionOfDim(position) ? read : ordered).push_back(position);
  auto found = getDimsReadBy(op, input, read);
  if (!found || !std::is_permutation(found->begin(), found->end(), dims.begin(), dims.end()))
    return false;
  for (int64_t dim : dims)
    ordered.push_back(map.getDimPosition(dim));
  wanted = std::move(ordered);
  return true;
}

static Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }

int64_t weft::getPanelDepth(Type element) {
  return element.isBF16() ? 2 : element.isInteger(8) ? 4 : 1;
}

bool weft::canMultiply(Type rows, Type columns, CodeTable table) {
  if (rows.isSignlessInteger(8))
    return findWholeNumbers(table).has_value();
  if (columns.isSignlessInteger(8)) // codes: of activations without a sign, of weights with one
    return rows.isUnsignedInteger(8);
  bool isKnown = columns.isF32() || columns.isBF16() || columns.isF16();
  bool isExtended = columns.isF32() && (rows.isBF16() || rows.isF16()) && table == CodeTable::None;
  return isKnown && (rows == columns || rows.isF32() || isExtended);
}

int64_t weft::getExactParts(Type real) { return real.isF32() ? 3 : real.isF16() ? 2 : 1; }

bool weft::hasSplitPanels(Type columns) {
  LayoutAttr layout = getLayout(columns);
  Type element = cast<ShapedType>(columns).getElementType();
  return layout && (element.isF32() || element.isF16() || element.isBF16()) && !layout.isSplit() &&
         layout.getTile() == ArrayRef<int64_t>({kSplitTile, getPanelDepth(element)}) &&
         layout.getTable() == CodeTable::None;
}

/// Whether B is in panels that its element type wants, or A's parts, and A is stored as they want
/// it.
static bool havePanels(Value a, Value b) {
  LayoutAttr rows = getLayout(a.getType()), columns = getLayout(b.getType());
  if (!columns || columns.isSplit())
    return false;
  if (!rows)
    return columns.getKr() == getPanelDepth(elementOf(b)) &&
           canMultiply(elementOf(a), elementOf(b), columns.getTable());
  return rows.isSplit() && rows.getTile() == ArrayRef({kSplitTile, kSplitTile}) &&
         hasSplitPanels(b.getType());
}

/// Puts the indices in the order in which the layout of an input has its dimensions.
static bool orderByLayout(ContractOp op, unsigned input, SmallVector<unsigned> &batch,
                          SmallVector<unsigned> &n, SmallVector<unsigned> &k) {
  LayoutAttr layout = getLayout(op.getInputs()[input].getType());
  return orderByDims(op, input, layout.getBatch(), batch) &&
         orderByDims(op, input, layout.getN(), n) && orderByDims(op, input, layout.getK(), k);
}

/// Tiles of rows have the order of the output and of the panels.
static bool matchTiles(ContractOp op, const Product &product) {
  unsigned input = product.getRows();
  if (!getLayout(op.getInputs()[input].getType()))
    return true;
  SmallVector<unsigned> batch(product.batch), m(product.m), k(product.k);
  return orderByLayout(op, input, batch, m, k) && batch == product.batch && m == product.m &&
         k == product.k;
}

std::optional<Product> Product::matchPacked(ContractOp op) {
  for (unsigned input : {1u, 0u}) {
    if (!havePanels(op.getInputs()[1 - input], op.getInputs()[input]))
      continue;
    std::optional<Product> product = matchAny(op, input);
    if (product && orderByLayout(op, input, product->batch, product->n, product->k) &&
        matchTiles(op, *product))
      return product;
  }
  return std::nullopt;
}

std::optional<int64_t> weft::getPanelWidth(ContractOp op, int64_t width) {
  std::optional<Product> product = width == 1 ? std::nullopt : Product::matchPacked(op);
  if (!product)
    return std::nullopt;
  int64_t nr = getLayout(op.getInputs()[product->columns].getType()).getNr();
  return nr % width == 0 ? std::optional(nr) : std::nullopt;
}
