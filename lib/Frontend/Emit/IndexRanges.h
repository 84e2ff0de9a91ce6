//===- IndexRanges.h - Over what indices run ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The range of an index is said (`i: N`) or follows from the dimensions in which it stands alone.
// All of them must agree, but for one case: an index over a bounded dimension may read a longer
// static one (`wpe[t, d]` with T <= 1024 and 1024 positions).
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_INDEXRANGES_H
#define WEFT_LIB_FRONTEND_EMIT_INDEXRANGES_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class IndexRanges {
public:
  explicit IndexRanges(Elaboration &shared);

  /// Gives `index` the range that is written, if there is one.
  bool bindRange(const ast::Binder &binder, Index *index, Env &env);
  /// `index` stands alone in a dimension of `tensor`.
  bool unifyRange(Index *index, const Extent &dim, const TensorValue &tensor, SourceRange range);
  /// Reports that the range of `index`, one of `indices`, must be said: "write 'sum(s: T, d)'".
  std::nullopt_t rangeUnknown(const Index &index, const llvm::Twine &before,
                              llvm::ArrayRef<ast::Binder> binders, llvm::ArrayRef<Index *> indices,
                              llvm::StringRef after, Env &env);

private:
  Elaboration &shared;
  Reporter &reporter;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_INDEXRANGES_H
