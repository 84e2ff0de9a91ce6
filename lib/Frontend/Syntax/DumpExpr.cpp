//===- DumpExpr.cpp - Expressions to S-expressions ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DumpExpr.h"
#include "weft/Frontend/AST.h"
#include "weft/Support/Format.h"

using namespace weft;
using namespace weft::ast;

void ExprDumper::dump(const ExprPtr &expr) {
  out << ' ';
  if (expr)
    dump(*expr);
  else
    out << "()";
}

void ExprDumper::string(llvm::StringRef text) {
  out << '"';
  out.write_escaped(text);
  out << '"';
}

void ExprDumper::dump(const Path &path) {
  for (size_t i = 0; i < path.segments.size(); ++i) {
    out << (i == 0 ? " " : ".");
    for (const Path::Piece &piece : path.segments[i].pieces) {
      if (piece.expr) {
        out << '{' << piece.text << (piece.isStack() ? ":" : "");
        dump(*piece.expr);
        out << '}';
      } else {
        out << piece.text;
      }
    }
  }
}

void ExprDumper::dump(const Binder &binder) {
  out << " (" << binder.name.text;
  dump(binder.range);
  out << ')';
}

void ExprDumper::dump(const Argument &argument) {
  out << ' ' << argument.keyword.text << '=';
  dump(argument.value);
}

void ExprDumper::dump(const TensorType &type) {
  out << ' ' << infoOf(type.element).name;
  dumpAll(type.dims);
}

bool ExprDumper::dumpLiteral(const Expr &expr) {
  if (auto *integer = llvm::dyn_cast<IntegerExpr>(&expr))
    out << integer->value;
  else if (auto *real = llvm::dyn_cast<RealExpr>(&expr))
    print(out, "real {:a}", real->value);
  else if (auto *text = llvm::dyn_cast<StringExpr>(&expr))
    string(text->value);
  else if (auto *boolean = llvm::dyn_cast<BoolExpr>(&expr))
    out << (boolean->value ? "true" : "false");
  else if (llvm::isa<NullExpr>(&expr))
    out << "null";
  else
    return false;
  return true;
}

/// Operators, choices and reductions.
bool ExprDumper::dumpOperation(const Expr &expr) {
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr)) {
    out << spelling(unary->op);
    dump(unary->operand);
  } else if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr)) {
    out << spelling(binary->op);
    dump(binary->lhs);
    dump(binary->rhs);
  } else if (auto *choice = llvm::dyn_cast<IfExpr>(&expr)) {
    out << "if";
    dump(choice->condition);
    dump(choice->thenValue);
    dump(choice->elseValue);
  } else if (auto *match = llvm::dyn_cast<MatchExpr>(&expr)) {
    out << "match";
    dump(match->subject);
    for (const MatchExpr::Arm &arm : match->arms) {
      dumpAll(arm.patterns);
      dump(arm.value);
    }
  } else if (auto *reduction = llvm::dyn_cast<ReductionExpr>(&expr)) {
    out << spelling(reduction->reduction);
    dumpAll(reduction->binders);
    dump(reduction->rank);
    dump(reduction->predicate);
    dump(reduction->body);
  } else {
    return false;
  }
  return true;
}

void ExprDumper::dump(const Expr &expr) {
  out << '(';
  if (dumpLiteral(expr) || dumpOperation(expr)) {
  } else if (auto *list = llvm::dyn_cast<ListExpr>(&expr)) {
    out << "list";
    dumpAll(list->elements);
  } else if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    out << "name";
    dump(name->path);
  } else if (auto *element = llvm::dyn_cast<ElementExpr>(&expr)) {
    out << "element";
    dump(element->base);
    dumpAll(element->indices);
  } else if (auto *member = llvm::dyn_cast<MemberExpr>(&expr)) {
    out << "member";
    dump(member->base);
    out << ' ' << member->member.text;
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    out << "call";
    dump(call->callee);
    dumpAll(call->arguments);
  } else if (auto *scoped = llvm::dyn_cast<ScopedCallExpr>(&expr)) {
    out << "scope";
    dump(scoped->scope);
    out << ' ';
    dump(*scoped->call);
  }
  out << ')';
}

std::string ast::dump(const Expr &expr) {
  std::string text;
  llvm::raw_string_ostream out(text);
  ExprDumper(out).dump(expr);
  return text;
}

bool ast::equal(const Expr &a, const Expr &b) { return dump(a) == dump(b); }
