//===- WeftInterfaces.td - what ops over indices have in common -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTINTERFACES_TD
#define WEFT_DIALECT_WEFT_IR_WEFTINTERFACES_TD

include "mlir/IR/OpBase.td"

def Weft_IndexedOpInterface : OpInterface<"IndexedOpInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    An op over *indices*: it reads inputs through affine maps of them, and its regions, scalar code, may ask for their
    values. The first indices are the output's, in the order the formula wrote them; reduction indices follow. (All
    indices of a check count as output indices, though it has no output.)

    Upstream's `IndexingMapOpInterface` says something else: there the ranges of loops follow from the shapes of
    operands, through maps that can be inverted. Here an index has its range itself, and no operand need show it.

    What is done to indices is done here, for the maps, the regions, the types of results and the attributes of the op
    alike; on tensors only, for the type of a buffer is not the op's to change.
  }];
  let methods = [
    InterfaceMethod<"All indices, output indices first.", "::mlir::ArrayAttr", "getIndices">,
    InterfaceMethod<"Sets the list of the indices, and nothing that follows from it.", "void", "setIndicesAttr",
                    (ins "::mlir::ArrayAttr":$indices)>,
    InterfaceMethod<"How many of them are the output's.", "unsigned", "getNumOutputIndices">,
    InterfaceMethod<"Whether a result takes what is there for all values of the index: one that is summed over, the axis of "
                    "a softmax.",
                    "bool", "isReduced", (ins "unsigned":$index), "", "return index >= $_op.getNumOutputIndices();">,
    InterfaceMethod<"How many leading indices have a value inside the regions.", "unsigned", "getNumFixedIndices",
                    (ins), "", "return $_op.getIndices().size();">,
    InterfaceMethod<"The tensors or buffers that are read through maps.", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"The same, to be changed.", "::mlir::MutableOperandRange", "getInputsMutable">,
    InterfaceMethod<"One affine map for each input.", "::mlir::ArrayAttr", "getMaps">,
    InterfaceMethod<"Sets the maps of the inputs.", "void", "setMapsAttr", (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"The first input whose element is an argument of the regions; the ones before it are factors.",
                    "unsigned", "getFirstElementInput", (ins), "", "return 0;">,
    InterfaceMethod<"Rewrites what else speaks of indices: the i-th old one is `now[i]`, an expression of the new ones, "
                    "of which the first `numOutputs` are the output's.",
                    "void", "rewriteIndexAttributes",
                    (ins "::llvm::ArrayRef<::mlir::AffineExpr>":$now, "unsigned":$numOutputs), "", "return;">
  ];
  let extraSharedClassDeclaration = [{
    //===--------------------------------------------------------------------------------------===//
    // Indices
    //===--------------------------------------------------------------------------------------===//

    /// The i-th index.
    ::weft::IndexAttr getIndexAttr(unsigned i) {
      return ::llvm::cast<::weft::IndexAttr>($_op.getIndices()[i]);
    }
    unsigned getNumIndices() { return $_op.getIndices().size(); }
    ::llvm::SmallVector<::weft::IndexAttr> getIndexList() {
      return ::llvm::to_vector($_op.getIndices().template getAsRange<::weft::IndexAttr>());
    }
    /// Adds an index in front of the one at `position`; results get a dimension for an output
    /// index. Its name gets a number if it is taken.
    void insertIndex(unsigned position, ::weft::IndexAttr index, bool isOutput) {
      ::weft::detail::insertIndex($_op, position, index, isOutput);
    }
    /// Removes an index, whose value becomes `value`, an expression of all indices as they are,
    /// in which it does not occur itself.
    void substituteIndex(unsigned position, ::mlir::AffineExpr value) {
      ::weft::detail::substituteIndex($_op, position, value);
    }
    /// Removes an index on which nothing depends.
    void eraseIndex(unsigned position) {
      substituteIndex(position, ::mlir::getAffineConstantExpr(0, $_op->getContext()));
    }
    /// Gives an index another name or range.
    void replaceIndex(unsigned position, ::weft::IndexAttr index) {
      ::weft::detail::replaceIndex($_op, position, index);
    }
    /// New index i is old index `order[i]`: output indices stay in front, in any order. Results
    /// are stored as before.
    void permuteIndices(::llvm::ArrayRef<unsigned> order) {
      ::weft::detail::permuteIndices($_op, order);
    }

    //===--------------------------------------------------------------------------------------===//
    // Inputs
    //===--------------------------------------------------------------------------------------===//

    /// The map of the i-th input, from all indices to its dimensions.
    ::mlir::AffineMap getInputMap(unsigned i) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getMaps()[i]).getValue();
    }
    ::llvm::SmallVector<::mlir::AffineMap> getInputMaps() {
      return ::llvm::to_vector($_op.getMaps().template getAsValueRange<::mlir::AffineMapAttr>());
    }
    void setInputMaps(::llvm::ArrayRef<::mlir::AffineMap> maps) {
      $_op.setMapsAttr(::mlir::Builder($_op->getContext()).getAffineMapArrayAttr(maps));
    }
    void setInputMap(unsigned i, ::mlir::AffineMap map) {
      ::llvm::SmallVector<::mlir::AffineMap> maps = getInputMaps();
      maps[i] = map;
      setInputMaps(maps);
    }
    /// The arguments of the regions that stand for the element of input `i`, at most one a region.
    ::llvm::SmallVector<::mlir::BlockArgument> getElementArguments(unsigned i) {
      return ::weft::detail::getElementArguments($_op, i);
    }
    /// Removes input `i`, whose element arguments are unused.
    void eraseInput(unsigned i) { ::weft::detail::eraseInput($_op, i); }
    /// Adds an input at the end, with an argument in every region that there is.
    void appendInput(::mlir::Value input, ::mlir::AffineMap map) {
      ::weft::detail::appendInput($_op, input, map);
    }
    /// Exchanges two inputs that are no elements: the factors of a product.
    void swapFactors(unsigned i, unsigned j) { ::weft::detail::swapFactors($_op, i, j); }
  }];
}

def Weft_FormulaOpInterface : OpInterface<"FormulaOpInterface", [Weft_IndexedOpInterface]> {
  let cppNamespace = "::weft";
  let description = [{
    An op that defines `result[output indices] = f(inputs at affine maps of the indices)`. The i-th output map sends the
    indices to the stored dimensions of the i-th output: those of the first output are a permutation of the output
    indices (the identity unless a layout was chosen), those of a further one some of them. On tensors the op has
    results; on buffers (stage `kernels`) it writes its `outputs` operands, one for each result.

    Upstream's `DestinationStyleOpInterface` has a destination for results on tensors too, which formulas have not.
  }];
  let methods = [
    InterfaceMethod<"Explicit output maps, one for each output; null if all are the identity on the output indices.",
                    "::mlir::ArrayAttr", "getOutputMapsAttr">,
    InterfaceMethod<"Sets the output maps, and nothing that follows from them.", "void", "setOutputMapsAttr",
                    (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"The buffers written at stage `kernels`; none on tensors.", "::mlir::OperandRange", "getOutputs">,
    InterfaceMethod<"The same, to be changed.", "::mlir::MutableOperandRange", "getOutputsMutable">
  ];
  let extraSharedClassDeclaration = [{
    bool hasBufferSemantics() { return $_op->getNumResults() == 0; }
    /// Results or buffers.
    unsigned getNumOutputs() { return $_op->getNumResults() + $_op.getOutputs().size(); }
    ::mlir::ShapedType getOutputType(unsigned output = 0) {
      ::mlir::Value value = hasBufferSemantics() ? ::mlir::Value($_op.getOutputs()[output])
                                                 : ::mlir::Value($_op->getResult(output));
      return ::llvm::cast<::mlir::ShapedType>(value.getType());
    }
    /// From all indices to the stored dimensions of an output.
    ::mlir::AffineMap getOutputIndexingMap(unsigned output = 0) {
      if (::mlir::ArrayAttr maps = $_op.getOutputMapsAttr())
        return ::llvm::cast<::mlir::AffineMapAttr>(maps[output]).getValue();
      return ::weft::detail::getPlainOutputMap($_op, $_op.getNumOutputIndices());
    }
    ::llvm::SmallVector<::mlir::AffineMap> getOutputIndexingMaps() {
      return ::llvm::map_to_vector(::llvm::seq(0u, getNumOutputs()),
                                   [&](unsigned i) { return getOutputIndexingMap(i); });
    }
    /// Stores the outputs so; the types of results follow.
    void setOutputIndexingMaps(::llvm::ArrayRef<::mlir::AffineMap> maps) {
      ::weft::detail::setOutputIndexingMaps($_op, maps);
    }
    void setOutputIndexingMap(unsigned output, ::mlir::AffineMap map) {
      ::llvm::SmallVector<::mlir::AffineMap> maps = getOutputIndexingMaps();
      maps[output] = map;
      setOutputIndexingMaps(maps);
    }
  }];
}

#endif
