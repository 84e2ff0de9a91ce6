//===- PrintExpr.cpp - Expressions to text --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PrintExpr.h"
#include "weft/Frontend/Printer.h"
#include "weft/Support/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using namespace weft::ast;

void ExprPrinter::print(const Expr &expr, Precedence minimum) {
  bool parentheses = precedence(expr) < minimum;
  if (parentheses)
    out << '(';
  printUnchecked(expr);
  if (parentheses)
    out << ')';
}

void ExprPrinter::printUnchecked(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Integer:
    out << llvm::cast<IntegerExpr>(expr).value;
    break;
  case Expr::Kind::Real:
    return printReal(llvm::cast<RealExpr>(expr));
  case Expr::Kind::String:
    return printString(llvm::cast<StringExpr>(expr).value);
  case Expr::Kind::Bool:
    out << (llvm::cast<BoolExpr>(expr).value ? "true" : "false");
    break;
  case Expr::Kind::Null:
    out << "null";
    break;
  case Expr::Kind::List:
    out << '[';
    separated(llvm::cast<ListExpr>(expr).elements, [&](const ExprPtr &e) { print(*e); });
    out << ']';
    break;
  case Expr::Kind::Name:
    return print(llvm::cast<NameExpr>(expr).path);
  case Expr::Kind::Element:
    return print(llvm::cast<ElementExpr>(expr));
  case Expr::Kind::Member:
    return print(llvm::cast<MemberExpr>(expr));
  case Expr::Kind::Call:
    return print(llvm::cast<CallExpr>(expr));
  case Expr::Kind::ScopedCall:
    print(llvm::cast<ScopedCallExpr>(expr).scope);
    out << ": ";
    return print(*llvm::cast<ScopedCallExpr>(expr).call);
  case Expr::Kind::Unary:
    return print(llvm::cast<UnaryExpr>(expr));
  case Expr::Kind::Binary:
    return print(llvm::cast<BinaryExpr>(expr));
  case Expr::Kind::If:
    return print(llvm::cast<IfExpr>(expr));
  case Expr::Kind::Match:
    return print(llvm::cast<MatchExpr>(expr));
  case Expr::Kind::Reduction:
    return print(llvm::cast<ReductionExpr>(expr));
  }
}

void ExprPrinter::print(const UnaryExpr &unary) {
  bool negates = unary.op == UnaryOp::Negate;
  out << (negates ? "-" : "not ");
  print(*unary.operand, negates ? Precedence::Negate : Precedence::Comparison);
}

void ExprPrinter::print(const IfExpr &choice) {
  out << "if ";
  print(*choice.condition, Precedence::Coalesce);
  out << " then ";
  print(*choice.thenValue, Precedence::Coalesce);
  out << " else ";
  print(*choice.elseValue);
}

void ExprPrinter::printHeader(const Expr &expr) {
  // A brace right after a name would be taken for the block.
  std::string text = toString(expr);
  bool brace = llvm::StringRef(text).contains('{');
  out << (brace ? "(" : "") << text << (brace ? ")" : "");
}

void ExprPrinter::print(const Path &path) {
  for (size_t i = 0; i < path.segments.size(); ++i) {
    if (i != 0)
      out << '.';
    for (const Path::Piece &piece : path.segments[i].pieces) {
      if (!piece.expr) {
        out << piece.text;
        continue;
      }
      out << '{' << piece.text << (piece.isStack() ? ": " : "");
      print(*piece.expr);
      out << '}';
    }
  }
}

/// In a product the body of a reduction would swallow the rest; in a sum its parentheses say that
/// the rest is not meant.
static bool needsParentheses(const Expr &operand, Precedence own) {
  if (!llvm::isa<ReductionExpr>(&operand))
    return false;
  return own == Precedence::Product || (own == Precedence::Sum && operand.parenthesized);
}

void ExprPrinter::printOperand(const Expr &operand, BinaryOp op, bool isRight) {
  Precedence own = precedence(op);
  Precedence minimum = isRight ? next(own) : own; // operators of one line group to the left
  if (op == BinaryOp::Power)
    minimum = isRight ? Precedence::Negate : Precedence::Primary;
  else if (own == Precedence::Comparison)
    minimum = next(own); // comparisons are not chained
  else if (needsParentheses(operand, own))
    minimum = Precedence::Primary;
  print(operand, minimum);
}

void ExprPrinter::print(const BinaryExpr &binary) {
  printOperand(*binary.lhs, binary.op, /*isRight=*/false);
  out << ' ' << spelling(binary.op) << ' ';
  printOperand(*binary.rhs, binary.op, /*isRight=*/true);
}

/// Whether text after `max(a, b)` makes the parser see a reduction and not a call.
static bool startsBodyPlainly(llvm::StringRef text) {
  llvm::StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (word.empty())
    return text.starts_with("(");
  return word != "true" && word != "false" && word != "null";
}

void ExprPrinter::print(const ReductionExpr &reduction) {
  out << spelling(reduction.reduction) << '(';
  separated(reduction.binders, [&](const Binder &binder) { printBinder(binder); });
  if (reduction.rank) {
    out << ", ";
    print(*reduction.rank);
  }
  if (reduction.predicate) {
    out << " where ";
    print(*reduction.predicate);
  }
  out << ") ";
  std::string body;
  llvm::raw_string_ostream bodyOut(body);
  ExprPrinter(bodyOut).print(*reduction.body, Precedence::Product);
  bool doubtful =
      reduction.reduction == ReductionKind::Max || reduction.reduction == ReductionKind::Min;
  bool parentheses = doubtful && !startsBodyPlainly(body);
  out << (parentheses ? "(" : "") << body << (parentheses ? ")" : "");
}

void ExprPrinter::print(const CallExpr &call) {
  print(call.callee);
  out << '(';
  separated(call.arguments, [&](const Argument &argument) {
    if (!argument.keyword.text.empty())
      out << argument.keyword.text << " = ";
    print(*argument.value);
  });
  out << ')';
}

void ExprPrinter::print(const ElementExpr &element) {
  print(*element.base, Precedence::Primary);
  out << '[';
  separated(element.indices, [&](const ExprPtr &index) { print(*index); });
  out << ']';
}

void ExprPrinter::print(const MemberExpr &member) {
  // After a name or a number the dot would belong to it.
  bool closed = llvm::isa<ElementExpr, MemberExpr, CallExpr>(*member.base);
  print(*member.base, closed ? Precedence::Choice : next(Precedence::Primary));
  out << '.' << member.member.text;
}

void ExprPrinter::print(const MatchExpr &match) {
  out << "match ";
  printHeader(*match.subject);
  out << " { ";
  separated(match.arms, [&](const MatchExpr::Arm &arm) {
    printPatterns(arm.patterns);
    out << " => ";
    print(*arm.value);
  });
  out << " }";
}

void ExprPrinter::print(const TensorType &type) {
  if (type.element != ElementType::F32 || type.dims.empty())
    out << infoOf(type.element).name;
  if (type.dims.empty())
    return;
  out << '[';
  separated(type.dims, [&](const ExprPtr &dim) { print(*dim); });
  out << ']';
}

void ExprPrinter::printBinder(const Binder &binder) {
  out << binder.name.text;
  if (binder.range) {
    out << ": ";
    print(*binder.range);
  }
}

void ExprPrinter::printIndices(llvm::ArrayRef<Binder> indices) {
  out << '[';
  separated(indices, [&](const Binder &binder) { printBinder(binder); });
  out << ']';
}

void ExprPrinter::printPatterns(llvm::ArrayRef<ExprPtr> patterns) {
  if (patterns.empty())
    out << "else";
  for (size_t i = 0; i < patterns.size(); ++i) {
    out << (i == 0 ? "" : " | ");
    print(*patterns[i]);
  }
}

void ExprPrinter::printReal(const RealExpr &real) {
  if (!real.spelling.empty()) {
    out << real.spelling;
    return;
  }
  // A node made by a program: 17 digits give back the same number.
  std::string text = fmt::format("{:.17g}", real.value);
  bool looksInteger = text.find_first_of(".en") == std::string::npos;
  out << text << (looksInteger ? ".0" : "");
}

void ExprPrinter::printString(llvm::StringRef value) {
  out << '"';
  for (char c : value) {
    if (c == '\n')
      out << "\\n";
    else if (c == '\t')
      out << "\\t";
    else
      out << (c == '"' || c == '\\' ? "\\" : "") << c;
  }
  out << '"';
}

void weft::print(const Expr &expr, llvm::raw_ostream &out) { ExprPrinter(out).print(expr); }

std::string weft::toString(const Expr &expr) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print(expr, out);
  return text;
}
