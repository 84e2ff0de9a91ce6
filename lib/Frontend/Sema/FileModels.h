//===- FileModels.h - The models that a file offers -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_FILEMODELS_H
#define WEFT_LIB_FRONTEND_SEMA_FILEMODELS_H

#include "Loader.h"
#include "Reporter.h"

namespace weft::sema {

/// The model called `name`, or the first one if `name` is empty; null after an error.
const ast::ModelDecl *findModel(const ast::File &file, llvm::StringRef name, Reporter &reporter);

/// The model that another name in `scope` stands for, however many names later; `scope` becomes its
/// file's. Null after an error.
const ast::ModelDecl *resolveAlias(const ast::ModelDecl &model, FileScope *&scope,
                                   Reporter &reporter);

/// The entry blocks of a model, or only the one called `wanted` if that is not empty. Nothing after
/// an error.
std::optional<llvm::SmallVector<const ast::EntryStmt *>>
findEntries(const ast::ModelDecl &model, llvm::StringRef wanted, Reporter &reporter);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_FILEMODELS_H
