//===- weft-opt.cpp - runs passes on MLIR text ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/InitAll.h"
#include "weft/Support/CommandLine.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef WEFT_INCLUDE_TESTS
namespace weft::test {
void registerTestPasses(); // test/lib, which no other part of the project sees
} // namespace weft::test
#endif

int main(int argc, char **argv) {
  weft::InitTool init(argc, argv, "weft-opt");
  mlir::DialectRegistry registry;
  weft::registerAllDialects(registry);
  weft::registerAllPasses();
#ifdef WEFT_INCLUDE_TESTS
  weft::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "weft-opt: runs passes on the stages of Weft\n", registry));
}
