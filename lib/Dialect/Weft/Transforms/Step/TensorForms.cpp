//===- TensorForms.cpp - what stands for a tensor in a step ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TensorForms.h"

using namespace mlir;
using namespace weft;

SmallVector<unsigned> weft::getOrder(unsigned rank, unsigned moved, unsigned to) {
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim != rank; ++dim)
    if (dim != moved)
      order.push_back(dim);
  order.insert(order.begin() + to, moved);
  return order;
}

IndexAttr StepTypes::getRowIndex(IndexAttr index, Form form) const {
  return IndexAttr::get(index.getContext(), index.getName(), getCount(form), index.getSize(),
                        /*dynamic=*/true);
}

RankedTensorType StepTypes::getRows(Type type, unsigned dim, Form form) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<IndexAttr> indices = getIndicesOf(tensor);
  indices[dim] = getRowIndex(indices[dim], form);
  return getTensorType(indices, tensor.getElementType());
}

RankedTensorType StepTypes::getCache(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  unsigned positionDim = positions.getDims(type).front();
  SmallVector<int64_t> shape = {getBound(tensor, positionDim)};
  for (unsigned i = 0; i != tensor.getRank(); ++i)
    if (i != positionDim)
      shape.push_back(getBound(tensor, i));
  return RankedTensorType::get(shape, tensor.getElementType());
}

RankedTensorType StepTypes::getKept(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<IndexAttr> indices = getIndicesOf(tensor);
  for (unsigned dim : positions.getDims(type))
    indices[dim] = IndexAttr::get(type.getContext(), indices[dim].getName(), "",
                                  indices[dim].getSize(), /*dynamic=*/false);
  return getTensorType(indices, tensor.getElementType());
}

Type StepTypes::get(Type type, Form form, unsigned rowDim, bool isFresh) const {
  if (form == Form::Rows || form == Form::Last)
    return getRows(type, rowDim, form);
  return form == Form::Full && isFresh ? getCache(type) : type;
}
