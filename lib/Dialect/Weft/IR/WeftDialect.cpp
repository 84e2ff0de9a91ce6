//===- WeftDialect.cpp - dialect registration and attributes --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/Weft/IR/Weft.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

#include "weft/Dialect/Weft/IR/WeftDialect.cpp.inc"
#include "weft/Dialect/Weft/IR/WeftEnums.cpp.inc"
#include "weft/Dialect/Weft/IR/WeftInterfaces.cpp.inc"

//===----------------------------------------------------------------------------------------===//
// #weft.lowering<"gemm", k = 768, tile = [8, 32]>
//===----------------------------------------------------------------------------------------===//

SmallVector<int64_t> CodedAttr::getKeptDims() const {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim != int64_t(getShape().size()); ++dim)
    if (!llvm::is_contained(getAlong(), dim))
      dims.push_back(dim);
  return dims;
}

SmallVector<int64_t> CodedAttr::getPartShape() const {
  if (getPart() == CodePart::Codes || getPart() == CodePart::Reals)
    return SmallVector<int64_t>(getShape());
  return llvm::map_to_vector(getKeptDims(), [&](int64_t dim) { return getShape()[dim]; });
}

Type CodedAttr::getPartElement() const {
  Builder b(getContext());
  return getPart() == CodePart::Codes  ? Type(b.getI8Type())
         : getPart() == CodePart::Sums ? Type(b.getI32Type())
                                       : Type(b.getF32Type());
}

CodeFormat CodedAttr::getFormat() const {
  CodeFormat format(int(getBits()), getGroup(), getAsymmetric());
  format.table = findCodeTable(getTable()).value_or(CodeTable::None);
  format.narrow = getNarrow();
  return format;
}

static ParseResult parseSchedule(AsmParser &parser, DictionaryAttr &schedule) {
  NamedAttrList fields;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual() || parser.parseAttribute(value))
      return failure();
    if (fields.get(name))
      return parser.emitError(loc, "field '") << name << "' is given twice";
    fields.append(name, value);
  }
  schedule = fields.getDictionary(parser.getContext());
  return success();
}

static void printSchedule(AsmPrinter &printer, DictionaryAttr schedule) {
  for (NamedAttribute field : schedule) {
    printer << ", " << field.getName().getValue() << " = ";
    printer.printAttributeWithoutType(field.getValue());
  }
}

#define GET_ATTRDEF_CLASSES
#include "weft/Dialect/Weft/IR/WeftAttributes.cpp.inc"

namespace {
/// Constants of a formula stay in its regions: a region is read and moved as a whole, so it should
/// not lean on values of the function around it.
struct KeepConstantsInside : public DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final { return true; }
};

/// Formulas mean the same in every function.
struct InlineFormulas : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void WeftDialect::initialize() {
  addInterfaces<KeepConstantsInside, InlineFormulas>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "weft/Dialect/Weft/IR/WeftAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "weft/Dialect/Weft/IR/WeftOps.cpp.inc"
      >();
}

Operation *WeftDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------------------------===//
// #weft.index<t in T to 1024>
//===----------------------------------------------------------------------------------------===//

/// Parses `t in T to 1024`, `c in C = 64` or `p in 16`.
static FailureOr<IndexAttr> parseIndexBody(AsmParser &parser) {
  std::string name, dim;
  int64_t size = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&name) || parser.parseKeyword("in"))
    return failure();
  OptionalParseResult literal = parser.parseOptionalInteger(size);
  bool dynamic = false;
  if (literal.has_value()) {
    if (failed(*literal))
      return failure();
  } else {
    if (parser.parseKeywordOrString(&dim))
      return failure();
    dynamic = succeeded(parser.parseOptionalKeyword("to"));
    if ((!dynamic && parser.parseEqual()) || parser.parseInteger(size))
      return failure();
  }
  auto attr = IndexAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                    name, dim, size, dynamic);
  if (!attr)
    return failure();
  return attr;
}

static void printIndexBody(AsmPrinter &printer, IndexAttr index) {
  printer.printKeywordOrString(index.getName());
  printer << " in ";
  if (!index.getDim().empty()) {
    printer.printKeywordOrString(index.getDim());
    printer << (index.getDynamic() ? " to " : " = ");
  }
  printer << index.getSize();
}

Attribute IndexAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<IndexAttr> index = parseIndexBody(parser);
  if (failed(index) || parser.parseGreater())
    return {};
  return *index;
}

void IndexAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printIndexBody(printer, *this);
  printer << ">";
}

LogicalResult IndexAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                StringRef dim, int64_t size, bool dynamic) {
  if (name.empty())
    return emitError() << "an index needs a name";
  if (size < 0)
    return emitError() << "index '" << name << "' has the negative size " << size;
  if (dynamic && dim.empty())
    return emitError() << "the run-time range of index '" << name << "' needs a symbol";
  return success();
}

//===----------------------------------------------------------------------------------------===//
// #weft.bounds<T to 1024, S to 512>
//===----------------------------------------------------------------------------------------===//

Attribute BoundsAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> symbols;
  SmallVector<int64_t> bounds;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    int64_t bound;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseKeyword("to") ||
        parser.parseInteger(bound))
      return failure();
    if (name.empty())
      return parser.emitError(loc, "a symbol needs a name");
    if (bound < 0)
      return parser.emitError(loc) << "symbol '" << name << "' has the negative bound " << bound;
    symbols.push_back(StringAttr::get(parser.getContext(), name));
    bounds.push_back(bound);
    return success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(parseOne) || parser.parseGreater())
    return {};
  return BoundsAttr::get(parser.getContext(), symbols, bounds);
}

void BoundsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  for (auto [i, symbol] : llvm::enumerate(getSymbols())) {
    printer << (i ? ", " : "");
    printer.printKeywordOrString(symbol.getValue());
    printer << " to " << getBounds()[i];
  }
  printer << ">";
}

LogicalResult BoundsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  size_t numDynamic = llvm::count_if(shape, ShapedType::isDynamic);
  if (numDynamic != getSymbols().size())
    return emitError() << "#weft.bounds names " << getSymbols().size() << " symbols for "
                       << numDynamic << " dynamic dimensions";
  return success();
}

//===----------------------------------------------------------------------------------------===//
// What discardable attributes are made of
//===----------------------------------------------------------------------------------------===//

LogicalResult StepAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                               FlatSymbolRefAttr, StringRef length, StringRef count) {
  if (length.empty() || count.empty() || length == count)
    return emitError() << "a step needs two symbols, of its length and its count, found '" << length
                       << "' and '" << count << "'";
  return success();
}

LogicalResult CheckpointAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                     ArrayAttr prefix, ArrayAttr rename, ArrayAttr ignore,
                                     ArrayAttr unread) {
  for (ArrayAttr list : {prefix, rename, ignore, unread})
    if (!llvm::all_of(list, llvm::IsaPred<StringAttr>))
      return emitError() << "the rules of a checkpoint are lists of strings, found " << list;
  if (rename.size() % 2)
    return emitError() << "the names to be renamed are pairs, found " << rename.size() << " names";
  return success();
}

//===----------------------------------------------------------------------------------------===//
// Index lists inside ops
//===----------------------------------------------------------------------------------------===//

namespace weft::detail {
FailureOr<IndexAttr> parseIndex(AsmParser &parser) { return parseIndexBody(parser); }
void printIndex(AsmPrinter &printer, IndexAttr index) { printIndexBody(printer, index); }
} // namespace weft::detail

//===----------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------===//

RankedTensorType weft::getTensorType(ArrayRef<IndexAttr> indices, Type elementType) {
  SmallVector<int64_t> shape, bounds;
  SmallVector<StringAttr> symbols;
  MLIRContext *context = elementType.getContext();
  for (IndexAttr index : indices) {
    shape.push_back(index.getExtent());
    if (!index.getDynamic())
      continue;
    symbols.push_back(StringAttr::get(context, index.getDim()));
    bounds.push_back(index.getSize());
  }
  Attribute encoding;
  if (!symbols.empty())
    encoding = BoundsAttr::get(context, symbols, bounds);
  return RankedTensorType::get(shape, elementType, encoding);
}

/// The position of dimension `dim` among the dynamic dimensions of `type`.
static unsigned dynamicPosition(RankedTensorType type, unsigned dim) {
  return llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
}

StringRef weft::getSymbol(RankedTensorType type, unsigned dim) {
  BoundsAttr bounds = getBounds(type);
  if (!bounds || !type.isDynamicDim(dim))
    return {};
  return bounds.getSymbols()[dynamicPosition(type, dim)].getValue();
}

int64_t weft::getBound(RankedTensorType type, unsigned dim) {
  BoundsAttr bounds = getBounds(type);
  if (!bounds || !type.isDynamicDim(dim))
    return type.getDimSize(dim);
  return bounds.getBounds()[dynamicPosition(type, dim)];
}

SmallVector<IndexAttr> weft::getIndicesOf(RankedTensorType type, ArrayRef<StringRef> names) {
  SmallVector<IndexAttr> indices;
  for (unsigned i = 0, e = type.getRank(); i != e; ++i) {
    std::string name = i < names.size() ? names[i].str() : "d" + std::to_string(i);
    indices.push_back(IndexAttr::get(type.getContext(), name, getSymbol(type, i), getBound(type, i),
                                     type.isDynamicDim(i)));
  }
  return indices;
}
