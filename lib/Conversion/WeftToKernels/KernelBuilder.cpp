//===- KernelBuilder.cpp - kernel functions and constants of a module -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "weft/Dialect/Weft/IR/FunctionEquivalence.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace weft;

MemRefType weft::getBufferType(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return MemRefType::get(type.getShape(), type.getElementType());
  return MemRefType::get(type.getShape(), type.getElementType(), layout.withBounds({}));
}

KernelBuilder::KernelBuilder(ModuleOp module) : module(module), lastCounts(getLastCounts(module)) {
  for (auto function : module.getOps<func::FuncOp>())
    names[function.getName()] = 1;
}

/// "scores.contract", "scores.contract.2", ...
std::string KernelBuilder::freshName(Operation *op, StringAttr label) {
  std::string name = label ? label.str() + "." : "";
  name += op->getName().stripDialect();
  unsigned count = ++names[name];
  if (count == 1)
    return name;
  name += "." + std::to_string(count);
  names[name] = 1;
  return name;
}

/// The tensors `op` reads, through maps or in its regions, each once.
static llvm::SetVector<Value> tensorsReadBy(Operation *op) {
  llvm::SetVector<Value> tensors(op->operand_begin(), op->operand_end());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType()))
      tensors.insert(value);
  return tensors;
}

/// Copies into the kernel the scalar computation outside of `op` that yields `value`.
static void cloneScalar(OpBuilder &builder, Value value, IRMapping &mapping) {
  Operation *source = value.getDefiningOp();
  if (!source || mapping.contains(value))
    return;
  for (Value operand : source->getOperands())
    cloneScalar(builder, operand, mapping);
  builder.clone(*source, mapping);
}

/// `op` on buffers: its tensors replaced through `mapping`, its results by `outputs`.
static void cloneOnBuffers(OpBuilder &builder, Operation *op, ValueRange outputs,
                           IRMapping &mapping) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(mapping.lookup(operand));
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  if (auto formula = dyn_cast<FormulaOpInterface>(builder.create(state)))
    formula.getOutputsMutable().append(outputs);
}

func::FuncOp KernelBuilder::makeKernel(Operation *op, ArrayRef<Value> tensors, TypeRange inputs,
                                       TypeRange outputs) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto add = [&](Value tensor, Type buffer) {
    auto type = cast<RankedTensorType>(tensor.getType());
    types.push_back(buffer);
    NamedAttrList list;
    if (BoundsAttr bounds = getBounds(type))
      list.append(attrs::Bounds::named(op->getContext(), bounds));
    attributes.push_back(list.getDictionary(op->getContext()));
  };
  for (auto [tensor, buffer] : llvm::zip_equal(tensors, inputs))
    add(tensor, buffer);
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), outputs))
    add(result, buffer);

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernel =
      func::FuncOp::create(builder, op->getLoc(), "kernel", builder.getFunctionType(types, {}));
  kernel.setPrivate();
  attrs::Kernel::set(kernel);
  Block *entry = kernel.addEntryBlock();
  kernel.setAllArgAttrs(attributes);
  builder.setInsertionPointToEnd(entry);
  IRMapping mapping;
  mapping.map(ValueRange(tensors), entry->getArguments().take_front(tensors.size()));
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    cloneScalar(builder, value, mapping);
  cloneOnBuffers(builder, op, entry->getArguments().take_back(op->getNumResults()), mapping);
  func::ReturnOp::create(builder, op->getLoc());
  return kernel;
}

/// Makes of a kernel for the last new position the one for all of them, which a step has. Returns
/// the symbols with whose values it is launched.
ArrayAttr KernelBuilder::countAllRows(func::FuncOp kernel) {
  SmallVector<StringRef> sizes = getKernelSymbols(kernel);
  MLIRContext *context = kernel.getContext();
  ArrayAttr launched = Builder(context).getStrArrayAttr(sizes);
  for (StringRef last : sizes) {
    auto found = lastCounts.find(last);
    if (found == lastCounts.end() || llvm::is_contained(sizes, found->second))
      continue;
    StringRef all = found->second;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](StringAttr text) {
      return text.getValue() == last ? StringAttr::get(context, all) : text;
    });
    replacer.addReplacement([&](IndexAttr index) {
      return index.getDim() == last ? IndexAttr::get(context, index.getName(), all, index.getSize(),
                                                     index.getDynamic())
                                    : index;
    });
    replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
  return launched;
}

/// An earlier kernel that is equal (but for the name of what it computes), or this one.
func::FuncOp KernelBuilder::share(func::FuncOp kernel) {
  Operation *anchor = kernel.getBody().front().getTerminator()->getPrevNode();
  StringAttr label = attrs::Label::get(anchor);
  attrs::Label::remove(anchor);
  attrs::Folded::remove(anchor);
  auto &candidates = byHash[hashOf(kernel)];
  auto *equal = llvm::find_if(candidates,
                              [&](func::FuncOp earlier) { return areEquivalent(kernel, earlier); });
  if (equal != candidates.end()) {
    ++numShared;
    kernel.erase();
    return *equal;
  }
  candidates.push_back(kernel);
  ++numKernels;
  kernel.setName(freshName(anchor, label));
  if (label)
    labels.emplace_back(anchor, label);
  return kernel;
}

void KernelBuilder::labelKernels() {
  for (auto [anchor, label] : labels)
    attrs::Label::set(anchor, label);
}

void KernelBuilder::create(OpBuilder &builder, Operation *op, ValueRange outputs,
                           const DenseMap<Value, Value> &buffers) {
  llvm::SetVector<Value> tensors = tensorsReadBy(op);
  SmallVector<Value> inputs;
  for (Value tensor : tensors)
    inputs.push_back(buffers.lookup(tensor));
  func::FuncOp kernel =
      makeKernel(op, tensors.getArrayRef(), TypeRange(ValueRange(inputs)), TypeRange(outputs));
  ArrayAttr sizes = countAllRows(kernel);
  kernel = share(kernel);
  LaunchOp::create(builder, op->getLoc(), kernel.getName(), inputs, outputs, sizes);
}

Value GlobalBuilder::get(OpBuilder &builder, arith::ConstantOp constant) {
  auto type = cast<RankedTensorType>(constant.getType());
  memref::GlobalOp &global = globals[constant.getValue()];
  if (!global) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    global = memref::GlobalOp::create(
        atStart, constant.getLoc(), "constant." + std::to_string(globals.size()),
        builder.getStringAttr("private"), getBufferType(type), constant.getValue(),
        /*constant=*/true, builder.getI64IntegerAttr(64));
  }
  return memref::GetGlobalOp::create(builder, constant.getLoc(), getBufferType(type),
                                     global.getName());
}
