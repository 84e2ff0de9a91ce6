//===- Builtins.h - The functions of the language -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_BUILTINS_H
#define WEFT_LIB_FRONTEND_EMIT_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace weft::sema {

/// `exp`, `max`, `len`, `given`, ...: names that mean a function unless the text declares them.
llvm::ArrayRef<llvm::StringRef> builtinNames();

bool isBuiltin(llvm::StringRef name);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_BUILTINS_H
