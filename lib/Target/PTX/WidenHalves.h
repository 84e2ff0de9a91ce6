//===- WidenHalves.h - f16 is what memory holds ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_TARGET_PTX_WIDENHALVES_H
#define WEFT_LIB_TARGET_PTX_WIDENHALVES_H

namespace llvm {
class Module;
} // namespace llvm

namespace weft {

/// Computes in f32 what LLVM's passes have made arithmetic of f16.
void widenHalves(llvm::Module &module);

} // namespace weft

#endif // WEFT_LIB_TARGET_PTX_WIDENHALVES_H
