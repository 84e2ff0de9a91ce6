//===- Declarations.cpp - Dimensions and the types of tensors -------------===//

#include "Elaborator.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft::sema {

/// No dimension, and no product of the dimensions of a tensor, reaches this.
constexpr int64_t maxElements = int64_t(1) << 62;

std::optional<Extent> Elaborator::evaluateExtent(const ast::Expr &expr, Env &env) {
  Result value = evaluate(expr, env, nullptr);
  if (!value || value->is(Value::Kind::Poison))
    return std::nullopt;
  if (value->is(Value::Kind::Symbol))
    return *value->extent;
  if (!value->is(Value::Kind::Int))
    return unusable(*value, expr.range, "a dimension (an integer)");
  if (value->integer < 1)
    return error(expr.range,
                 "a dimension must be at least 1, but this is " + Twine(value->integer));
  if (value->integer >= maxElements)
    return error(expr.range, "the dimension " + Twine(value->integer) + " is too large");
  Extent extent;
  if (value->extent && value->extent->fixed)
    extent = *value->extent;
  extent.size = value->integer;
  auto *name = dyn_cast<ast::NameExpr>(&expr);
  if (name && name->path.isIdentifier())
    extent.name = name->path.str();
  else if (value->extent)
    extent.name = value->extent->name;
  return extent;
}

bool Elaborator::evaluateDims(const ast::TensorType &type, Env &env,
                              SmallVectorImpl<Extent> &dims) {
  for (const ast::ExprPtr &dim : type.dims) {
    std::optional<Extent> extent = evaluateExtent(*dim, env);
    if (!extent)
      return false;
    dims.push_back(std::move(*extent));
  }
  return true;
}

bool Elaborator::checkSize(ArrayRef<Extent> dims, SourceRange range, StringRef name) {
  int64_t elements = 1;
  for (const Extent &dim : dims)
    if (MulOverflow(elements, dim.size, elements) || elements >= maxElements) {
      error(range, "'" + name + "' has too many elements");
      return false;
    }
  return true;
}

mlir::RankedTensorType Elaborator::tensorType(ast::ElementKind element, ArrayRef<Extent> dims) {
  mlir::Builder builder(&context);
  mlir::Type type = element == ast::ElementKind::Real  ? mlir::Type(builder.getF32Type())
                    : element == ast::ElementKind::Int ? builder.getI32Type()
                                                       : builder.getI1Type();
  SmallVector<IndexAttr> indices;
  for (const Extent &dim : dims)
    indices.push_back(IndexAttr::get(&context, "i", dim.name, dim.size, dim.dynamic));
  return getTensorType(indices, type);
}

//===----------------------------------------------------------------------===//
// dim
//===----------------------------------------------------------------------===//

/// The size that -D gives to a dimension of the model.
static bool isAllowedSize(int64_t size, const Extent &extent, bool bounded) {
  return size >= 1 && size < maxElements && (!bounded || size <= extent.size);
}

bool Elaborator::declareDim(const ast::DimStmt::Dimension &dimension, Env &env) {
  const std::string &name = dimension.name.text;
  SourceRange range = dimension.name.range;
  std::optional<Extent> extent = evaluateExtent(*dimension.value, env);
  if (!extent)
    return false;
  extent->name = name;
  extent->fixed = false;
  auto known = env.names.find(name);
  if (known != env.names.end())
    return error(range, "'" + name + "' is already declared",
                 {{known->second.range, "the first declaration is here"}}),
           false;
  if (dimension.bounded && !env.function->isEntry)
    return error(range, "a run-time dimension belongs to the model, not to a module"), false;
  auto given = options.dims.find(name);
  if (env.function->isEntry && given != options.dims.end()) {
    result.usedDims.insert(name);
    if (!isAllowedSize(given->second, *extent, dimension.bounded))
      return error(range, "the size " + Twine(given->second) + " given for '" + name +
                              "' is not between 1 and " +
                              Twine(dimension.bounded ? extent->size : maxElements - 1)),
             false;
    extent->fixed = dimension.bounded;
    extent->size = given->second;
  }
  extent->dynamic = dimension.bounded && !extent->fixed;
  if (!extent->dynamic) {
    Value value = Value::makeInt(extent->size);
    value.extent = std::make_shared<Extent>(*extent);
    bind(env, name, value, range);
    return true;
  }
  auto [it, added] =
      symbols.insert({symbolRanges.try_emplace(name, range).first->getKey(), *extent});
  if (!added && it->second.size != extent->size)
    return error(range,
                 "the bound of '" + name + "' is " + Twine(extent->size) + " here but " +
                     Twine(it->second.size) + " in another entry",
                 {{symbolRanges[name], "the other declaration is here"}}),
           false;
  bind(env, name, Value::makeSymbol(*extent), range);
  return true;
}

bool Elaborator::executeDim(const ast::DimStmt &stmt, Env &env) {
  bool good = true;
  for (const ast::DimStmt::Dimension &dimension : stmt.dimensions)
    if (!declareDim(dimension, env)) {
      good = false;
      env.names.try_emplace(dimension.name.text,
                            Env::Binding{Value(Value::Kind::Poison), dimension.name.range});
    }
  return good;
}

} // namespace weft::sema
