//===- Printer.cpp - The layout of files, blocks and lines ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/Printer.h"

#include "FilePrinter.h"

using namespace weft;
using namespace weft::ast;

static constexpr size_t maxColumns = 100;

void FilePrinter::print(const File &file) {
  for (const StmtPtr &item : file.items) {
    bool first = item == file.items.front();
    auto *model = llvm::dyn_cast<ModelDecl>(item.get());
    bool separate =
        llvm::isa<ModuleDecl, GgufDecl, StorageDecl>(item.get()) || (model && !model->isAlias());
    if (separate && !first && !item->comments.blankLineBefore)
      out << '\n';
    printStatement(*item, first);
  }
  if (!file.items.empty() && !file.endComments.empty())
    out << '\n';
  printLines(file.endComments);
}

void FilePrinter::printLines(const std::vector<std::string> &lines) {
  for (const std::string &line : lines) {
    if (!line.empty())
      indented() << line;
    out << '\n';
  }
}

void FilePrinter::printLeading(const Comments &comments, bool first) {
  if (comments.blankLineBefore && !first)
    out << '\n';
  printLines(comments.leading);
}

void FilePrinter::printStatement(const Stmt &stmt, bool first) {
  printLeading(stmt.comments, first);
  indented();
  printBody(stmt);
  if (!stmt.comments.trailing.empty())
    out << "  " << stmt.comments.trailing;
  out << '\n';
}

void FilePrinter::printBlock(const Block &block) {
  if (block.statements.empty() && block.endComments.empty()) {
    out << "{}";
    return;
  }
  out << "{\n";
  ++level;
  for (const StmtPtr &statement : block.statements)
    printStatement(*statement, statement == block.statements.front());
  printLines(block.endComments);
  --level;
  indented() << '}';
}

/// `word a, b`, after the commas broken if it is too long.
void FilePrinter::printList(llvm::StringRef word, const std::vector<std::string> &elements) {
  size_t width = indentation() + word.size();
  for (const std::string &element : elements)
    width += element.size() + 2;
  out << word << ' ';
  bool first = true;
  for (const std::string &element : elements) {
    if (!first && width > maxColumns)
      (out << ",\n").indent(indentation() + word.size() + 1);
    else if (!first)
      out << ", ";
    out << element;
    first = false;
  }
}

void FilePrinter::printSum(llvm::StringRef prefix, const BinaryExpr &sum) {
  // A sum of n terms is a chain of n - 1 nodes down the left side.
  std::vector<const BinaryExpr *> chain;
  const Expr *head = &sum;
  auto asSum = [](const Expr *expr) -> const BinaryExpr * {
    auto *binary = llvm::dyn_cast<BinaryExpr>(expr);
    bool isSum = binary && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Subtract);
    return isSum ? binary : nullptr;
  };
  while (const BinaryExpr *binary = asSum(head)) {
    chain.push_back(binary);
    head = binary->lhs.get();
  }
  ExprPrinter printer(out);
  out << prefix;
  printer.printOperand(*head, BinaryOp::Add, /*isRight=*/false);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    (out << '\n').indent(indentation() + 4) << spelling((*it)->op) << ' ';
    printer.printOperand(*(*it)->rhs, (*it)->op, /*isRight=*/true);
  }
}

void FilePrinter::printAssigned(const std::string &prefix, const Expr &value) {
  std::string line = prefix + toString(value);
  auto *sum = llvm::dyn_cast<BinaryExpr>(&value);
  auto *match = llvm::dyn_cast<MatchExpr>(&value);
  bool isLong = indentation() + line.size() > maxColumns;
  if (isLong && sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Subtract)) {
    printSum(prefix, *sum);
  } else if (isLong && match) {
    out << prefix << "match ";
    ExprPrinter(out).printHeader(*match->subject);
    out << " {\n";
    for (const MatchExpr::Arm &arm : match->arms) {
      ExprPrinter(out.indent(indentation() + 2)).printPatterns(arm.patterns);
      out << " => " << toString(*arm.value) << '\n';
    }
    indented() << '}';
  } else {
    out << line;
  }
}

void FilePrinter::printDefinition(llvm::StringRef word, const Definition &definition,
                                  llvm::StringRef type) {
  std::string prefix = text([&](ExprPrinter &printer, llvm::raw_ostream &stream) {
    stream << word;
    printer.print(definition.name);
    if (!definition.indices.empty())
      printer.printIndices(definition.indices);
    stream << type;
  });
  if (definition.value)
    printAssigned(prefix + " = ", *definition.value);
  else
    out << prefix;
}

void weft::print(const File &file, llvm::raw_ostream &out) { FilePrinter(out).print(file); }
