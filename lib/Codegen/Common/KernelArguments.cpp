//===- KernelArguments.cpp - what a kernel is passed ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/Common/KernelArguments.h"

#include "weft/Dialect/Weft/IR/Kernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

KernelArguments::KernelArguments(func::FuncOp kernel) : kernel(kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto declared = attrs::Symbols::get(module);
  llvm::StringMap<int64_t> bounds;
  if (declared)
    for (auto [name, bound] : llvm::zip_equal(declared.getSymbols(), declared.getBounds()))
      bounds[name] = bound;
  for (StringRef symbol : getKernelSymbols(kernel))
    symbols.emplace_back(symbol, bounds.lookup(symbol));
}

SmallVector<Type> KernelArguments::getTypes() const {
  func::FuncOp function = kernel;
  MLIRContext *context = function.getContext();
  auto types = llvm::to_vector(function.getArgumentTypes());
  types.append(symbols.size(), IntegerType::get(context, 64));
  types.push_back(LLVM::LLVMPointerType::get(context));
  return types;
}

SmallVector<Value> KernelArguments::getAddresses(LaneBuilder &lanes, Block *entry) const {
  SmallVector<Value> addresses;
  for (Value argument : entry->getArguments()) {
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      argument = AddressOp::create(lanes.b, lanes.loc, getPointerType(type), argument);
    addresses.push_back(argument);
  }
  return addresses;
}

Kernel KernelArguments::read(LaneBuilder &lanes, Block *entry, ValueRange addresses) const {
  func::FuncOp function = kernel;
  Kernel result;
  result.entry = entry;
  unsigned next = function.getNumArguments();
  for (auto [name, bound] : symbols) {
    Value value =
        arith::IndexCastOp::create(lanes.b, lanes.loc, lanes.b.getIndexType(), addresses[next++]);
    result.symbols[name] = lanes.uniform(value, {1, bound});
  }
  result.status = addresses[next];
  for (BlockArgument buffer : function.getArguments()) {
    unsigned i = buffer.getArgNumber();
    result.buffers[buffer] = readBuffer(lanes, result, i, addresses[i]);
  }
  return result;
}

Buffer KernelArguments::readBuffer(LaneBuilder &lanes, const Kernel &written, unsigned i,
                                   Value pointer) const {
  func::FuncOp function = kernel;
  auto type = cast<MemRefType>(function.getArgument(i).getType());
  auto bounds = attrs::Bounds::getArg(function, i);
  Buffer buffer{pointer, type.getElementType(), {}, {}, getLayout(type)};
  unsigned dynamic = 0;
  for (int64_t size : type.getShape())
    buffer.sizes.push_back(ShapedType::isDynamic(size)
                               ? written.getSymbol(bounds.getSymbols()[dynamic++])
                               : lanes.constant(size));
  SmallVector<Lanes> stored = buffer.sizes;
  if (buffer.layout)
    stored = lanes.apply(buffer.layout.getStoredShapeMap(), {}, buffer.sizes);
  buffer.strides.resize(stored.size(), lanes.constant(1));
  for (size_t dim = stored.size(); dim-- > 1;)
    buffer.strides[dim - 1] = lanes.mul(buffer.strides[dim], stored[dim]);
  if (auto strided = dyn_cast<StridedLayoutAttr>(type.getLayout()))
    for (auto [stride, elements] : llvm::zip_equal(buffer.strides, strided.getStrides()))
      stride = lanes.constant(elements);
  return buffer;
}
