//===- CompareForms.h - do passes keep the meaning of a module? -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_OPT_COMPAREFORMS_H
#define WEFT_TOOLS_WEFT_OPT_COMPAREFORMS_H

namespace weft {

/// `--weft-compare-forms='pipeline=PASSES'` runs the passes on a copy of the module,
/// interprets every entry of both with random inputs and weights, and reports the first formula
/// that differs as an error. The module itself stays as it is.
void registerCompareForms();

} // namespace weft

#endif
