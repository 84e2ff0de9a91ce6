//===- Conversions.cpp - Values as elements of a formula -------------------===//

#include "Elaborator.h"

using namespace llvm;

namespace weft::sema {

/// An element of a whole tensor at the formula's own indices.
Scalar *Elaborator::wholeElement(const Tensor &tensor, SourceRange range, Formula *formula) {
  if (tensor->rank() && !formula->shapeSource) {
    formula->shapeSource = tensor;
    for (auto [dim, name] : zip(tensor->dims, tensor->indexNames)) {
      Index *index = formula->addIndex(name, range);
      index->extent = dim;
      index->source = tensor->name;
      index->sourceRange = range;
      formula->outputs.push_back(index);
    }
  }
  if (tensor->rank()) {
    const TensorValue &shape = *formula->shapeSource;
    bool equal = shape.rank() == tensor->rank();
    for (unsigned i = 0; equal && i < tensor->rank(); ++i)
      equal = shape.dims[i].same(tensor->dims[i]);
    if (!equal) {
      error(range,
            "'" + tensor->name + "' is " + typeText(*tensor) + " but '" + shape.name + "' is " +
                typeText(shape) + "; whole tensors must have equal shapes",
            {{tensor->declared, "'" + tensor->name + "' is declared here"},
             {shape.declared, "'" + shape.name + "' is declared here"}});
      return nullptr;
    }
  }
  SmallVector<Scalar *> coordinates;
  if (tensor->rank())
    for (Index *index : formula->outputs)
      coordinates.push_back(checked(formula->addIndexValue(index, range), range));
  if (is_contained(coordinates, nullptr))
    return nullptr;
  return checked(formula->addRead(tensor, coordinates, range), range);
}

Scalar *Elaborator::toScalar(const Value &value, SourceRange range, Formula *formula) {
  switch (value.kind) {
  case Value::Kind::Scalar:
    return value.scalar;
  case Value::Kind::Int:
    return checked(formula->addInt(value.integer, range), range);
  case Value::Kind::Real:
    return checked(formula->addReal(value.real, range), range);
  case Value::Kind::Bool:
    return checked(formula->addBool(value.integer, range), range);
  case Value::Kind::Symbol:
    return checked(formula->addSize(value.extent, range), range);
  case Value::Kind::Tensor:
    if (formula->whole || value.tensor->rank() == 0)
      return wholeElement(value.tensor, range, formula);
    error(range, "'" + value.tensor->name + "' is a tensor " + typeText(*value.tensor) +
                     "; a formula needs one element of it, '" + value.tensor->name + "[...]'");
    return nullptr;
  default:
    unusable(value, range, "a number");
    return nullptr;
  }
}

Scalar *Elaborator::toReal(Scalar *scalar, SourceRange range, Formula *formula) {
  if (scalar->isReal())
    return scalar;
  if (scalar->isBool()) {
    error(range, "a condition is no number; write 'if ... then 1 else 0'");
    return nullptr;
  }
  if (scalar->op == ScalarOp::Constant)
    return checked(formula->addReal(scalar->integer, range), range);
  return checked(formula->add(ScalarOp::ToReal, ast::ElementKind::Real, range, {scalar}), range);
}

/// Makes both integers or both reals (or leaves both conditions).
bool Elaborator::promote(Scalar *&a, Scalar *&b, SourceRange range, Formula *formula) {
  if (a->type == b->type)
    return true;
  a = toReal(a, range, formula);
  b = a ? toReal(b, range, formula) : nullptr;
  return b != nullptr;
}

} // namespace weft::sema
