//===- NVX.cpp - the dialect of what a GPU's threads can do ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Dialect/NVX/IR/NVX.h"

#include "weft/Dialect/NVX/IR/NVXDialect.cpp.inc"

#define GET_OP_CLASSES
#include "weft/Dialect/NVX/IR/NVXOps.cpp.inc"

void weft::nvx::NVXDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "weft/Dialect/NVX/IR/NVXOps.cpp.inc"
      >();
}
