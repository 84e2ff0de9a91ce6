//===- UnreadTensors.h - Parameters and inputs that nobody reads ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A parameter or an input that no entry reads is a mistake or a waste: a warning. Several functions
// may declare the same tensor of the text, and one that reads it is enough.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_UNREADTENSORS_H
#define WEFT_LIB_FRONTEND_SEMA_UNREADTENSORS_H

#include "Reporter.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace weft::sema {

class UnreadTensors {
public:
  /// The text at `range` declares a `kind` ("parameter"), which is `value` in the current
  /// functions.
  void declare(mlir::Value value, llvm::StringRef kind, llvm::StringRef name, SourceRange range);
  /// Something asks for `value` that is no operation: whether it is given, what is tied to it.
  void markUsed(mlir::Value value);
  /// Looks which of the values have uses: the functions of an entry are complete.
  void finishEntry();
  void warn(Reporter &reporter) const;

private:
  struct Use {
    std::string kind, name;
    SourceRange range;
    bool used = false;
  };
  using Place = std::pair<FileId, uint32_t>;
  llvm::MapVector<Place, Use> uses; ///< by place of declaration
  std::vector<std::pair<mlir::Value, Place>> declared;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_UNREADTENSORS_H
