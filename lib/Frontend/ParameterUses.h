//===- ParameterUses.h - Parameters that nobody reads ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A parameter that no entry reads is a mistake or a waste: a warning. Several functions may declare
// the same parameter of the text, and one that reads it is enough.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_PARAMETERUSES_H
#define WEFT_LIB_FRONTEND_PARAMETERUSES_H

#include "mlir/IR/Value.h"
#include "weft/Frontend/Diagnostics.h"
#include "llvm/ADT/MapVector.h"

namespace weft::sema {

class ParameterUses {
public:
  /// The text at `range` declares a parameter, which is `value` in the current functions.
  void declare(mlir::Value value, llvm::StringRef name, SourceRange range);
  /// Something else of the checkpoint stands on the parameter `value`.
  void markUsed(mlir::Value value);
  /// Looks which of the values have uses: the functions of an entry are complete.
  void finishEntry();
  void warnUnused(DiagnosticEngine &diagnostics) const;

private:
  struct Use {
    std::string name;
    SourceRange range;
    bool used = false;
  };
  using Place = std::pair<FileId, uint32_t>;
  llvm::MapVector<Place, Use> uses; ///< by place of declaration
  std::vector<std::pair<mlir::Value, Place>> declared;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_PARAMETERUSES_H
