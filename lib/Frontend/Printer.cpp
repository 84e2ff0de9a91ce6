//===- Printer.cpp - Statements and files to text -------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement is one line unless that is longer than 100 columns: then a sum is broken before its
// operators, a `match` and a list of parameters after their commas.
//
//===----------------------------------------------------------------------===//

#include "weft/Frontend/Printer.h"
#include "PrintExpr.h"

using namespace weft;
using namespace weft::ast;

namespace {
constexpr size_t maxColumns = 100;

class FilePrinter {
public:
  explicit FilePrinter(llvm::raw_ostream &out) : out(out) {}
  void print(const File &file);

private:
  void printStatement(const Stmt &stmt, bool first);
  void printBody(const Stmt &stmt);
  bool printDeclaration(const Stmt &stmt);
  bool printValue(const Stmt &stmt);
  void printBlock(const Block &block);
  void printIf(const IfStmt &choice);
  void printMatch(const MatchStmt &match);
  void printCheckpoint(const CheckpointStmt &checkpoint);
  void printArm(const MatchStmt::Arm &arm, bool first);
  void printLeading(const Comments &comments, bool first);
  void printLines(const std::vector<std::string> &lines);
  void printDefinition(llvm::StringRef word, const Definition &definition);
  void printAssigned(std::string prefix, const Expr &value);
  void printSum(std::string prefix, const BinaryExpr &sum);
  void printList(llvm::StringRef word, const std::vector<std::string> &elements);
  template <typename Decl> void printContainer(llvm::StringRef word, const Decl &decl) {
    out << word << ' ' << decl.name.text << parameters(decl.parameters) << ' ';
    printBlock(decl.body);
  }
  static std::string parameters(const std::vector<Parameter> &parameters);

  /// What `print` writes to an expression printer.
  template <typename Print> static std::string text(Print print) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    ExprPrinter printer(stream);
    print(printer, stream);
    return result;
  }

  llvm::raw_ostream &indented() { return out.indent(2 * level); }

  llvm::raw_ostream &out;
  unsigned level = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

void FilePrinter::print(const File &file) {
  for (const StmtPtr &item : file.items) {
    bool first = item == file.items.front();
    bool separate = llvm::isa<ModuleDecl, ModelDecl>(item.get());
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
  size_t width = 2 * level + word.size();
  for (const std::string &element : elements)
    width += element.size() + 2;
  out << word << ' ';
  bool first = true;
  for (const std::string &element : elements) {
    if (!first && width > maxColumns)
      (out << ",\n").indent(2 * level + word.size() + 1);
    else if (!first)
      out << ", ";
    out << element;
    first = false;
  }
}

void FilePrinter::printSum(std::string prefix, const BinaryExpr &sum) {
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
    (out << '\n').indent(2 * level + 4) << spelling((*it)->op) << ' ';
    printer.printOperand(*(*it)->rhs, (*it)->op, /*isRight=*/true);
  }
}

void FilePrinter::printAssigned(std::string prefix, const Expr &value) {
  std::string line = prefix + toString(value);
  auto *sum = llvm::dyn_cast<BinaryExpr>(&value);
  auto *match = llvm::dyn_cast<MatchExpr>(&value);
  bool isLong = 2 * level + line.size() > maxColumns;
  if (isLong && sum && (sum->op == BinaryOp::Add || sum->op == BinaryOp::Subtract)) {
    printSum(std::move(prefix), *sum);
  } else if (isLong && match) {
    out << prefix << "match ";
    ExprPrinter(out).printHeader(*match->subject);
    out << " {\n";
    for (const MatchExpr::Arm &arm : match->arms) {
      ExprPrinter(out.indent(2 * level + 2)).printPatterns(arm.patterns);
      out << " => " << toString(*arm.value) << '\n';
    }
    indented() << '}';
  } else {
    out << line;
  }
}

void FilePrinter::printDefinition(llvm::StringRef word, const Definition &definition) {
  std::string prefix = text([&](ExprPrinter &printer, llvm::raw_ostream &stream) {
    stream << word << definition.name.text;
    if (!definition.indices.empty())
      printer.printIndices(definition.indices);
  });
  if (definition.value)
    printAssigned(prefix + " = ", *definition.value);
  else
    out << prefix;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

std::string FilePrinter::parameters(const std::vector<Parameter> &parameters) {
  return text([&](ExprPrinter &printer, llvm::raw_ostream &stream) {
    stream << '(';
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter &parameter = parameters[i];
      stream << (i == 0 ? "" : ", ") << parameter.name.text;
      if (parameter.hasType) {
        stream << ": ";
        printer.print(parameter.type);
      }
      if (parameter.defaultValue) {
        stream << " = ";
        printer.print(*parameter.defaultValue);
      }
    }
    stream << ')';
  });
}

static void printInput(ExprPrinter &printer, llvm::raw_ostream &stream,
                       const InputStmt::Input &input) {
  stream << input.name.text;
  if (!input.indices.empty())
    printer.printIndices(input.indices);
  stream << ": ";
  printer.print(input.type);
  if (input.defaultValue) {
    stream << " = ";
    printer.print(*input.defaultValue);
  }
}

static void printParam(ExprPrinter &printer, llvm::raw_ostream &stream,
                       const ParamStmt::Param &param) {
  printer.print(param.name);
  stream << ": ";
  printer.print(param.type);
  if (!param.alias.text.empty())
    stream << " as " << param.alias.text;
  if (param.tied) {
    stream << " tied ";
    printer.print(*param.tied);
  }
}

bool FilePrinter::printDeclaration(const Stmt &stmt) {
  std::vector<std::string> elements;
  auto add = [&](auto print) { elements.push_back(text(print)); };
  if (auto *let = llvm::dyn_cast<LetStmt>(&stmt)) {
    if (let->bindings.size() == 1) {
      printAssigned("let " + let->bindings[0].name.text + " = ", *let->bindings[0].value);
      return true;
    }
    for (const LetStmt::Binding &binding : let->bindings)
      elements.push_back(binding.name.text + " = " + toString(*binding.value));
    printList("let", elements);
  } else if (auto *dim = llvm::dyn_cast<DimStmt>(&stmt)) {
    for (const DimStmt::Dimension &dimension : dim->dimensions)
      elements.push_back(dimension.name.text + (dimension.bounded ? " <= " : " = ") +
                         toString(*dimension.value));
    printList("dim", elements);
  } else if (auto *inputs = llvm::dyn_cast<InputStmt>(&stmt)) {
    for (const InputStmt::Input &input : inputs->inputs)
      add([&](auto &printer, auto &stream) { printInput(printer, stream, input); });
    printList("input", elements);
  } else if (auto *params = llvm::dyn_cast<ParamStmt>(&stmt)) {
    for (const ParamStmt::Param &param : params->params)
      add([&](auto &printer, auto &stream) { printParam(printer, stream, param); });
    printList("param", elements);
  } else if (auto *import = llvm::dyn_cast<ImportDecl>(&stmt)) {
    out << "import ";
    if (import->isPath)
      ExprPrinter(out).printString(import->target.text);
    else
      out << import->target.text;
    if (!import->alias.text.empty())
      out << " as " << import->alias.text;
  } else {
    return false;
  }
  return true;
}

bool FilePrinter::printValue(const Stmt &stmt) {
  if (auto *buffer = llvm::dyn_cast<BufferStmt>(&stmt)) {
    printDefinition("buffer ", buffer->definition);
  } else if (auto *formula = llvm::dyn_cast<FormulaStmt>(&stmt)) {
    printDefinition("", formula->definition);
  } else if (auto *output = llvm::dyn_cast<OutputStmt>(&stmt)) {
    printDefinition("output ", output->definition);
  } else if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
    std::string targets;
    for (const Identifier &target : assign->targets)
      targets += (targets.empty() ? "" : ", ") + target.text;
    if (assign->targets.size() > 1)
      targets = "(" + targets + ")";
    printAssigned(targets + " = ", *assign->value);
  } else if (auto *generate = llvm::dyn_cast<GenerateStmt>(&stmt)) {
    out << "generate " << generate->output.text << " over " << generate->dimension.text;
  } else if (auto *assertion = llvm::dyn_cast<AssertStmt>(&stmt)) {
    out << "assert " << toString(*assertion->condition);
    if (assertion->message)
      out << ", " << toString(*assertion->message);
  } else if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
    out << "return ";
    for (size_t i = 0; i < result->values.size(); ++i)
      out << (i == 0 ? "" : ", ") << toString(*result->values[i]);
  } else if (auto *fn = llvm::dyn_cast<FnDecl>(&stmt)) {
    printAssigned("fn " + fn->name.text + parameters(fn->parameters) + " = ", *fn->body);
  } else {
    return false;
  }
  return true;
}

void FilePrinter::printBody(const Stmt &stmt) {
  if (printDeclaration(stmt) || printValue(stmt))
    return;
  if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    ExprPrinter printer(out);
    out << "for " << loop->variable.text << " in ";
    printer.printHeader(*loop->from);
    out << "..";
    printer.printHeader(*loop->to);
    out << ' ';
    printBlock(loop->body);
  } else if (auto *choice = llvm::dyn_cast<IfStmt>(&stmt)) {
    printIf(*choice);
  } else if (auto *match = llvm::dyn_cast<MatchStmt>(&stmt)) {
    printMatch(*match);
  } else if (auto *checkpoint = llvm::dyn_cast<CheckpointStmt>(&stmt)) {
    printCheckpoint(*checkpoint);
  } else if (auto *module = llvm::dyn_cast<ModuleDecl>(&stmt)) {
    printContainer("module", *module);
  } else if (auto *model = llvm::dyn_cast<ModelDecl>(&stmt)) {
    printContainer("model", *model);
  } else if (auto *entry = llvm::dyn_cast<EntryStmt>(&stmt)) {
    printContainer("entry", *entry);
  }
}

static bool hasComments(const Stmt &stmt) {
  return !stmt.comments.leading.empty() || !stmt.comments.trailing.empty();
}

void FilePrinter::printIf(const IfStmt &choice) {
  out << "if ";
  ExprPrinter(out).printHeader(*choice.condition);
  out << ' ';
  printBlock(choice.thenBlock);
  if (!choice.hasElse)
    return;
  out << " else ";
  const Block &other = choice.elseBlock;
  auto *inner =
      other.statements.size() == 1 ? llvm::dyn_cast<IfStmt>(other.statements[0].get()) : nullptr;
  if (inner && !hasComments(*inner) && other.endComments.empty())
    printIf(*inner);
  else
    printBlock(other);
}

void FilePrinter::printArm(const MatchStmt::Arm &arm, bool first) {
  printLeading(arm.comments, first);
  indented();
  ExprPrinter(out).printPatterns(arm.patterns);
  out << " => ";
  const std::vector<StmtPtr> &body = arm.body.statements;
  bool alone =
      body.size() == 1 && body[0]->comments.leading.empty() && arm.body.endComments.empty();
  if (alone) {
    printBody(*body[0]);
    if (!body[0]->comments.trailing.empty())
      out << "  " << body[0]->comments.trailing;
  } else {
    printBlock(arm.body);
  }
  out << '\n';
}

void FilePrinter::printMatch(const MatchStmt &match) {
  out << "match ";
  ExprPrinter(out).printHeader(*match.subject);
  out << " {\n";
  ++level;
  for (const MatchStmt::Arm &arm : match.arms)
    printArm(arm, &arm == &match.arms.front());
  printLines(match.endComments);
  --level;
  indented() << '}';
}

void FilePrinter::printCheckpoint(const CheckpointStmt &checkpoint) {
  out << "checkpoint {\n";
  ++level;
  for (const CheckpointStmt::Rule &rule : checkpoint.rules) {
    printLeading(rule.comments, &rule == &checkpoint.rules.front());
    indented() << spelling(rule.kind) << ' ';
    ExprPrinter(out).printString(rule.pattern.text);
    if (rule.kind == CheckpointStmt::RuleKind::Rename) {
      out << " => ";
      ExprPrinter(out).printString(rule.replacement.text);
    }
    out << (rule.comments.trailing.empty() ? "" : "  ") << rule.comments.trailing << '\n';
  }
  printLines(checkpoint.endComments);
  --level;
  indented() << '}';
}

void weft::print(const File &file, llvm::raw_ostream &out) { FilePrinter(out).print(file); }
