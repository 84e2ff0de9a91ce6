//===- Units.cpp - the ops of a processor's units -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Codegen/CPU/Units.h"

#include "weft/Codegen/CPU/UnitDialect.cpp.inc"

#define GET_OP_CLASSES
#include "weft/Codegen/CPU/UnitOps.cpp.inc"

using namespace weft::cpu;

void UnitDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "weft/Codegen/CPU/UnitOps.cpp.inc"
      >();
}
