//===- OpenReductions.cpp - Sums that look like bodies --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OpenReductions.h"
#include "llvm/ADT/STLExtras.h"

using namespace weft;
using namespace weft::ast;

/// The reduction at the right end of a term, whose body a reader may take to go on; null if
/// parentheses end it before.
static const ReductionExpr *openReduction(const Expr &term) {
  if (term.parenthesized)
    return nullptr;
  if (auto *reduction = llvm::dyn_cast<ReductionExpr>(&term))
    return reduction;
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&term))
    return openReduction(*binary->rhs);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&term))
    return openReduction(*unary->operand);
  return nullptr;
}

/// Whether `expr` uses `index` where it is not the index of a reduction in it: in
/// `softmax(s) a[s] - softmax(s) b[s]` the second term is complete in itself.
static bool dependsOn(const Expr &expr, llvm::StringRef index) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    return name->path.isIdentifier() && name->path.segments[0].pieces[0].text == index;
  auto *reduction = llvm::dyn_cast<ReductionExpr>(&expr);
  if (reduction && llvm::any_of(reduction->binders,
                                [&](const Binder &binder) { return binder.name.text == index; }))
    return false;
  // In `s[t]` the name is a tensor's.
  auto *element = llvm::dyn_cast<ElementExpr>(&expr);
  const Expr *base = element && llvm::isa<NameExpr>(*element->base) ? element->base.get() : nullptr;
  bool found = false;
  forEachChild(expr, [&](const Expr &child) {
    found = found || (&child != base && dependsOn(child, index));
  });
  return found;
}

/// The index of `reduction` that `term` uses, or "".
static llvm::StringRef usedIndex(const ReductionExpr &reduction, const Expr &term) {
  for (const Binder &binder : reduction.binders)
    if (dependsOn(term, binder.name.text))
      return binder.name.text;
  return "";
}

static std::string head(const ReductionExpr &reduction) {
  std::string text = (spelling(reduction.reduction) + "(").str();
  for (const Binder &binder : reduction.binders)
    text += (&binder == &reduction.binders.front() ? "" : ", ") + binder.name.text;
  return text + ")";
}

void OpenReductions::addTerm(const Expr &term, SourceRange op, llvm::StringRef opText) {
  llvm::erase_if(open, [&](const ReductionExpr *reduction) {
    llvm::StringRef index = usedIndex(*reduction, term);
    if (index.empty())
      return false;
    std::string text = head(*reduction);
    diagnostics
        .warning(op, "'" + text + "' ends before this '" + opText +
                         "', but what follows depends on '" + index + "'")
        .note(reduction->range, "parentheses say what is meant: '" + text + " (... " + opText +
                                    " ...)' or '(" + text + " ...) " + opText + " ...'");
    return true;
  });
  if (const ReductionExpr *reduction = openReduction(term))
    open.push_back(reduction);
}
