//===- LaunchPair.h - two launches as one ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Both kernels' formulas become one kernel's; others of the same formulas, on buffers that are the
// same in the same places, share it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAUNCHPAIR_H
#define WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAUNCHPAIR_H

#include "weft/Dialect/Weft/IR/Kernels.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace weft {

/// A launch, and one behind it.
class LaunchPair {
public:
  LaunchPair(LaunchOp first, LaunchOp second, const mlir::SymbolTable &functions,
             KernelSymbols &symbols);

  const std::array<mlir::func::FuncOp, 2> &getKernels() const { return kernels; }
  mlir::Value getOperand(unsigned number, mlir::BlockArgument argument) {
    return launches[number]->getOperand(argument.getArgNumber());
  }

  /// Makes the one's result, which the other reads, a part of the kernel (`weft.local`).
  void setLocal(mlir::Value buffer) { local = buffer; }
  /// Whether one value is passed for each symbol.
  bool haveOneSize();

private:
  friend class JoinedKernels;

  void collectOperands();
  /// What the kernel of both depends on.
  std::string getKey();
  std::string getName() const;
  mlir::func::FuncOp makeKernel();
  LaunchOp launch(mlir::func::FuncOp kernel);

  unsigned getPlace(mlir::Value input, mlir::BlockArgument argument);

  std::array<LaunchOp, 2> launches;
  std::array<mlir::func::FuncOp, 2> kernels; ///< null where one is not known
  KernelSymbols &symbols;
  mlir::Value local;
  llvm::MapVector<mlir::Attribute, mlir::Attribute> sizes; ///< what is passed for each symbol
  /// Of both, each input once, and for each argument of a kernel which of these it is, or that of
  /// none.
  llvm::SmallVector<mlir::Value> inputs, outputs;
  llvm::SmallVector<mlir::BlockArgument> arguments; ///< of either kernel: inputs, then outputs
  std::array<llvm::SmallVector<unsigned>, 2> places;
};

/// The kernels that a pass makes of pairs.
class JoinedKernels {
public:
  explicit JoinedKernels(mlir::ModuleOp module);

  llvm::ArrayRef<mlir::func::FuncOp> getCallers() const { return callers; }
  const mlir::SymbolTable &getFunctions() const { return functions; }
  KernelSymbols &getSymbols() { return symbols; }

  /// Launches one kernel for both. The first launch's place is that of both, but where its result
  /// is local: then it is the second one's.
  LaunchOp join(LaunchPair &pair);
  /// Erases kernels that were launched before and are not any more, and those on the way to others.
  void dropUnused();

private:
  mlir::ModuleOp module;
  mlir::SymbolTable functions;
  KernelSymbols symbols;
  llvm::SmallVector<mlir::func::FuncOp> callers, kernels;
  llvm::StringMap<mlir::func::FuncOp> known; ///< by their keys
};

} // namespace weft

#endif // WEFT_LIB_CONVERSION_WEFTTOKERNELS_LAUNCHPAIR_H
