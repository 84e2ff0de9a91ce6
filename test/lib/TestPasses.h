//===- TestPasses.h - passes for tests -------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_LIB_TESTPASSES_H
#define WEFT_TEST_LIB_TESTPASSES_H

namespace weft::test {

/// `--weft-interpret` runs every public function without arguments and prints what it returns to
/// stdout (for executable tests: `weft-opt %s --weft-interpret -o /dev/null`). Symbols and weights
/// come from the module's dictionary attributes `test.symbols` and `test.weights`, which hold
/// integers and dense constants.
void registerInterpretPass();

/// `--weft-compare-forms='pipeline=PASSES'` runs the passes on a copy of the module,
/// interprets every entry of both with random inputs and weights, and reports the first formula
/// that differs as an error. The module itself stays as it is.
void registerCompareForms();

/// `--weft-index-surgery`: changes the indices of formulas as their attributes say.
void registerIndexSurgery();

/// All of them, for weft-opt.
void registerTestPasses();

} // namespace weft::test

#endif
