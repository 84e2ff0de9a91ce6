//===- weft-opt.cpp - runs passes on MLIR text ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompareForms.h"
#include "InterpretPass.h"
#include "weft/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerAllDialects(registry);
  weft::registerAllPasses();
  weft::registerInterpretPass();
  weft::registerCompareForms();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "weft-opt: runs passes on the stages of Weft\n", registry));
}
