//===- AST.cpp - The syntax tree of a Weft file ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/AST.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace weft;
using namespace weft::ast;

Path::Path() = default;
Path::Path(Identifier name) : range(name.range) {
  segments.emplace_back().pieces.push_back({std::move(name.text), nullptr, range});
}
Path::Path(Path &&) = default;
Path &Path::operator=(Path &&) = default;
Path::~Path() = default;
Expr::~Expr() = default;
Stmt::~Stmt() = default;

bool Path::isPlain() const {
  for (const Segment &segment : segments)
    for (const Piece &piece : segment.pieces)
      if (piece.expr)
        return false;
  return true;
}

std::string Path::str() const {
  std::string text;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i != 0)
      text += '.';
    for (const Piece &piece : segments[i].pieces)
      text += piece.expr ? "{...}" : piece.text;
  }
  return text;
}

llvm::StringRef ast::spelling(UnaryOp op) { return op == UnaryOp::Negate ? "-" : "not"; }

llvm::StringRef ast::spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Coalesce:
    return "??";
  case BinaryOp::Or:
    return "or";
  case BinaryOp::And:
    return "and";
  case BinaryOp::Equal:
    return "==";
  case BinaryOp::NotEqual:
    return "!=";
  case BinaryOp::Less:
    return "<";
  case BinaryOp::LessEqual:
    return "<=";
  case BinaryOp::Greater:
    return ">";
  case BinaryOp::GreaterEqual:
    return ">=";
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Subtract:
    return "-";
  case BinaryOp::Multiply:
    return "*";
  case BinaryOp::Divide:
    return "/";
  case BinaryOp::FloorDivide:
    return "//";
  case BinaryOp::Modulo:
    return "%";
  case BinaryOp::Power:
    return "^";
  }
  llvm_unreachable("every operator has a spelling");
}

Precedence ast::precedence(BinaryOp op) {
  switch (op) {
  case BinaryOp::Coalesce:
    return Precedence::Coalesce;
  case BinaryOp::Or:
    return Precedence::Or;
  case BinaryOp::And:
    return Precedence::And;
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual:
    return Precedence::Comparison;
  case BinaryOp::Add:
  case BinaryOp::Subtract:
    return Precedence::Sum;
  case BinaryOp::Multiply:
  case BinaryOp::Divide:
  case BinaryOp::FloorDivide:
  case BinaryOp::Modulo:
    return Precedence::Product;
  case BinaryOp::Power:
    return Precedence::Power;
  }
  llvm_unreachable("every operator has a precedence");
}

Precedence ast::precedence(const Expr &expr) {
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return precedence(binary->op);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return unary->op == UnaryOp::Not ? Precedence::Not : Precedence::Negate;
  if (llvm::isa<IfExpr>(&expr))
    return Precedence::Choice;
  return llvm::isa<ReductionExpr>(&expr) ? Precedence::Product : Precedence::Primary;
}

llvm::StringRef ast::spelling(ReductionKind reduction) {
  switch (reduction) {
  case ReductionKind::Sum:
    return "sum";
  case ReductionKind::Mean:
    return "mean";
  case ReductionKind::Max:
    return "max";
  case ReductionKind::Min:
    return "min";
  case ReductionKind::Prod:
    return "prod";
  case ReductionKind::ArgMax:
    return "argmax";
  case ReductionKind::ArgTop:
    return "argtop";
  case ReductionKind::Softmax:
    return "softmax";
  case ReductionKind::LogSoftmax:
    return "logsoftmax";
  }
  llvm_unreachable("every reduction has a spelling");
}

static constexpr ReductionKind reductions[] = {
    ReductionKind::Sum,    ReductionKind::Mean,    ReductionKind::Max,
    ReductionKind::Min,    ReductionKind::Prod,    ReductionKind::ArgMax,
    ReductionKind::ArgTop, ReductionKind::Softmax, ReductionKind::LogSoftmax};

std::optional<ReductionKind> ast::reductionNamed(llvm::StringRef word) {
  for (ReductionKind kind : reductions)
    if (spelling(kind) == word)
      return kind;
  return std::nullopt;
}

llvm::ArrayRef<llvm::StringRef> ast::reductionNames() {
  static const llvm::SmallVector<llvm::StringRef> names =
      llvm::map_to_vector(reductions, [](ReductionKind kind) { return spelling(kind); });
  return names;
}

llvm::StringRef ast::spelling(ElementKind element) { return infoOf(computeType(element)).name; }

llvm::StringRef ast::spelling(CheckpointStmt::RuleKind kind) {
  switch (kind) {
  case CheckpointStmt::RuleKind::Prefix:
    return "prefix";
  case CheckpointStmt::RuleKind::Rename:
    return "rename";
  case CheckpointStmt::RuleKind::Ignore:
    return "ignore";
  }
  llvm_unreachable("every rule has a spelling");
}

using Visit = llvm::function_ref<void(const Expr &)>;

static void visitIf(const ExprPtr &expr, Visit visit) {
  if (expr)
    visit(*expr);
}

static void visitPath(const Path &path, Visit visit) {
  for (const Path::Segment &segment : path.segments)
    for (const Path::Piece &piece : segment.pieces)
      visitIf(piece.expr, visit);
}

static void visitCall(const CallExpr &call, Visit visit) {
  visitPath(call.callee, visit);
  for (const Argument &argument : call.arguments)
    visitIf(argument.value, visit);
}

static void visitReduction(const ReductionExpr &reduction, Visit visit) {
  for (const Binder &binder : reduction.binders)
    visitIf(binder.range, visit);
  visitIf(reduction.rank, visit);
  visitIf(reduction.predicate, visit);
  visitIf(reduction.body, visit);
}

static void visitMatch(const MatchExpr &match, Visit visit) {
  visitIf(match.subject, visit);
  for (const MatchExpr::Arm &arm : match.arms) {
    for (const ExprPtr &pattern : arm.patterns)
      visitIf(pattern, visit);
    visitIf(arm.value, visit);
  }
}

void ast::forEachChild(const Expr &expr, Visit visit) {
  if (auto *list = llvm::dyn_cast<ListExpr>(&expr)) {
    for (const ExprPtr &element : list->elements)
      visitIf(element, visit);
  } else if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    visitPath(name->path, visit);
  } else if (auto *element = llvm::dyn_cast<ElementExpr>(&expr)) {
    visitIf(element->base, visit);
    for (const ExprPtr &index : element->indices)
      visitIf(index, visit);
  } else if (auto *member = llvm::dyn_cast<MemberExpr>(&expr)) {
    visitIf(member->base, visit);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    visitCall(*call, visit);
  } else if (auto *scoped = llvm::dyn_cast<ScopedCallExpr>(&expr)) {
    visitPath(scoped->scope, visit);
    visit(*scoped->call);
  } else if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    visitIf(unary->operand, visit);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    visitIf(binary->lhs, visit);
    visitIf(binary->rhs, visit);
  } else if (auto *choice = llvm::dyn_cast<IfExpr>(&expr)) {
    visitIf(choice->condition, visit);
    visitIf(choice->thenValue, visit);
    visitIf(choice->elseValue, visit);
  } else if (auto *match = llvm::dyn_cast<MatchExpr>(&expr)) {
    visitMatch(*match, visit);
  } else if (auto *reduction = llvm::dyn_cast<ReductionExpr>(&expr)) {
    visitReduction(*reduction, visit);
  }
}
