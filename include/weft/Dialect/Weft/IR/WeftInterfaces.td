//===- WeftInterfaces.td - what all formula ops have in common --------------------------------*- tablegen -*-===//

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
    bool hasBufferSemantics() { return $_op->getNumResults() == 0; }
  }];
}

#endif
