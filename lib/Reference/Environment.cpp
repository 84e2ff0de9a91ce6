//===- Environment.cpp - what a formula can refer to ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Environment.h"

#include "weft/Dialect/Weft/IR/LocationText.h"

using namespace mlir;
using namespace weft;
using namespace weft::reference;

llvm::Error weft::reference::errorAt(Operation *op, const Twine &message) {
  std::string place = locationText(op->getLoc());
  return llvm::createStringError((place.empty() ? "" : place + ": ") + message);
}

llvm::Expected<TensorRef> Environment::tensor(Value value) const {
  auto it = tensors.find(value);
  if (it != tensors.end())
    return it->second;
  if (Operation *op = value.getDefiningOp())
    return errorAt(op, "the value of '" + op->getName().getStringRef() + "' is not known");
  return llvm::createStringError("the value of an argument is not known");
}

llvm::Expected<int64_t> Environment::symbol(StringRef name) const {
  auto it = symbols.find(name);
  if (it != symbols.end())
    return it->second;
  return llvm::createStringError("the value of the symbol '" + name + "' is not known");
}

llvm::Expected<int64_t> Environment::extent(IndexAttr index) const {
  if (!index.getDynamic())
    return index.getSize();
  return symbol(index.getDim());
}
