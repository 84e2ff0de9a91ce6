//===- WeftInterfaces.td - what all formula ops have in common ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTINTERFACES_TD
#define WEFT_DIALECT_WEFT_IR_WEFTINTERFACES_TD

include "mlir/IR/OpBase.td"

def Weft_FormulaOpInterface : OpInterface<"FormulaOpInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    An op that defines `result[output indices] = f(inputs at affine maps of the indices)`. The first indices are the
    output's, in the order the formula wrote them; reduction indices follow. `output_map` sends the indices to the
    stored dimensions of the output and is a permutation of the output indices (the identity unless a layout was
    chosen). On tensors the op has one result; on buffers (stage `kernels`) it writes its `output` operand.
  }];
  let methods = [
    InterfaceMethod<"All indices, output indices first.", "::mlir::ArrayAttr", "getIndices">,
    InterfaceMethod<"How many of them index the output.", "unsigned", "getNumOutputIndices">,
    InterfaceMethod<"The tensors or buffers that are read through maps.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"One affine map for each input.", "::mlir::ArrayAttr", "getMaps">,
    InterfaceMethod<"Explicit output map, or null for the identity on the output indices.", "::mlir::AffineMapAttr",
                    "getOutputMapAttr">,
    InterfaceMethod<"The same, to be changed.", "::mlir::MutableOperandRange", "getInputsMutable">,
    InterfaceMethod<"Sets the maps of the inputs.", "void", "setMapsAttr", (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"The first input whose element is an argument of the regions; the ones before it are factors.",
                    "unsigned", "getFirstElementInput">,
    InterfaceMethod<"The buffer written at stage `kernels`, or null.", "::mlir::Value", "getOutput">
  ];
  let extraSharedClassDeclaration = [{
    /// The i-th index.
    ::weft::IndexAttr getIndexAttr(unsigned i) {
      return ::llvm::cast<::weft::IndexAttr>($_op.getIndices()[i]);
    }
    unsigned getNumIndices() { return $_op.getIndices().size(); }
    /// The map of the i-th input, from all indices to its dimensions.
    ::mlir::AffineMap getInputMap(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getMaps()[i]).getValue();
    }
    /// From all indices to the stored dimensions of the output.
    ::mlir::AffineMap getOutputIndexingMap() {
      if (auto map = $_op.getOutputMapAttr())
        return map.getValue();
      return ::mlir::AffineMap::get(getNumIndices(), 0, ::llvm::to_vector(::llvm::map_range(
          ::llvm::seq(0u, $_op.getNumOutputIndices()),
          [&](unsigned i) { return ::mlir::getAffineDimExpr(i, $_op->getContext()); })), $_op->getContext());
    }
    /// The arguments of the regions that stand for the element of input `i`, at most one a region.
    ::llvm::SmallVector<::mlir::BlockArgument> getElementArguments(unsigned i) {
      ::llvm::SmallVector<::mlir::BlockArgument> arguments;
      unsigned fromEnd = $_op.getInputs().size() - i;
      if (i >= $_op.getFirstElementInput())
        for (::mlir::Region &region : $_op->getRegions())
          if (!region.empty() && fromEnd <= region.getNumArguments())
            arguments.push_back(region.getArgument(region.getNumArguments() - fromEnd));
      return arguments;
    }
    /// Removes input `i`, whose element arguments are unused.
    void eraseInput(unsigned i) {
      for (::mlir::BlockArgument argument : getElementArguments(i))
        argument.getOwner()->eraseArgument(argument.getArgNumber());
      ::llvm::SmallVector<::mlir::Attribute> maps($_op.getMaps().begin(), $_op.getMaps().end());
      maps.erase(maps.begin() + i);
      $_op.setMapsAttr(::mlir::ArrayAttr::get($_op->getContext(), maps));
      $_op.getInputsMutable().erase(i);
    }
    /// Adds an input at the end, with an argument in every region that there is.
    void appendInput(::mlir::Value input, ::mlir::AffineMap map) {
      ::mlir::Type type = ::weft::getComputeTypeOf(input);
      for (::mlir::Region &region : $_op->getRegions())
        if (!region.empty())
          region.addArgument(type, input.getLoc());
      ::llvm::SmallVector<::mlir::Attribute> maps($_op.getMaps().begin(), $_op.getMaps().end());
      maps.push_back(::mlir::AffineMapAttr::get(map));
      $_op.setMapsAttr(::mlir::ArrayAttr::get($_op->getContext(), maps));
      $_op.getInputsMutable().append(input);
    }
    bool hasBufferSemantics() { return $_op->getNumResults() == 0; }
  }];
}

#endif
