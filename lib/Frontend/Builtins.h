//===- Builtins.h - The functions of the language --------------*- C++ -*-===//
#ifndef WEFT_LIB_FRONTEND_BUILTINS_H
#define WEFT_LIB_FRONTEND_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace weft::sema {

/// `exp`, `max`, `len`, `given`, ...: names that mean a function unless the text declares them.
llvm::ArrayRef<llvm::StringRef> builtinNames();

bool isBuiltin(llvm::StringRef name);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_BUILTINS_H
