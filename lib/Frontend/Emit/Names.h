//===- Names.h - What a name means ----------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A name is an index, something of the function or the file, or a member of such: `config.n_head`.
// Its parts may be computed: `layer.{i}`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_NAMES_H
#define WEFT_LIB_FRONTEND_EMIT_NAMES_H

#include "Env.h"

namespace weft::sema {

struct Elaboration;

class Names {
public:
  explicit Names(Elaboration &shared);

  /// The segments of a path with every `{e}` replaced by its value. The name of a parameter may
  /// have stacks, `{e: E}`, which become `{8}`.
  std::optional<std::vector<std::string>>
  evaluatePath(const ast::Path &path, Env &env, llvm::SmallVectorImpl<Extent> *stacks = nullptr);
  /// A path as the name of what is declared.
  std::optional<ast::Identifier> declaredName(const ast::Path &path, Env &env);

  /// `isBase`: elements are read of it, so that it is no index.
  Result evaluateName(const ast::NameExpr &expr, Env &env, Formula *formula, bool isBase);
  Result evaluateMember(const ast::MemberExpr &expr, Env &env, Formula *formula);
  /// The value of a dotted name: its longest prefix that is known, then members of that.
  Result lookup(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);
  /// Like lookup(), but a value that cannot be called does not hide a function of the same name.
  Result lookupCallee(llvm::ArrayRef<std::string> segments, SourceRange range, Env &env);

private:
  bool appendPiece(const ast::Path::Piece &piece, std::string &text, Env &env,
                   llvm::SmallVectorImpl<Extent> *stacks);
  Result member(const Value &value, llvm::StringRef name, SourceRange range, llvm::StringRef path);
  std::nullopt_t unknownName(llvm::StringRef name, SourceRange range, Env &env);

  Elaboration &shared;
  Reporter &reporter;
};

/// Whether a call of this name means a function of the language.
bool callsBuiltin(llvm::ArrayRef<std::string> segments, const Env &env);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_NAMES_H
