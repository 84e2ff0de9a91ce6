//===- TestPasses.cpp - passes for tests ----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"

#include "CText.h"

void weft::test::registerTestPasses() {
  registerInterpretPass();
  registerCompareForms();
  registerIndexSurgery();
  registerKernelsToC();
}
