//===- PrintStmt.cpp - Statements to text ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FilePrinter.h"
#include "weft/Frontend/Printer.h"

using namespace weft;
using namespace weft::ast;

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
  printer.print(input.name);
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
    printDefinition("output ", output->definition,
                    output->element ? ": " + infoOf(*output->element).name.str() : "");
  } else if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
    std::string targets;
    for (const Identifier &target : assign->targets)
      targets += (targets.empty() ? "" : ", ") + target.text;
    if (assign->targets.size() > 1 || !assign->indices.empty())
      targets = "(" + targets + ")";
    if (!assign->indices.empty())
      targets += text([&](ExprPrinter &printer, llvm::raw_ostream &) {
        printer.printIndices(assign->indices);
      });
    printAssigned(targets + " = ", *assign->value);
  } else if (auto *config = llvm::dyn_cast<ConfigStmt>(&stmt)) {
    printAssigned("config " + config->path.str() + " = ", *config->value);
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
    printModel(*model);
  } else if (auto *entry = llvm::dyn_cast<EntryStmt>(&stmt)) {
    printContainer("entry", *entry);
  } else if (auto *gguf = llvm::dyn_cast<GgufDecl>(&stmt)) {
    printGguf(*gguf);
  } else if (auto *storage = llvm::dyn_cast<StorageDecl>(&stmt)) {
    printStorage(*storage);
  }
}

void FilePrinter::printStorage(const StorageDecl &storage) {
  out << "storage " << storage.name.text << parameters(storage.parameters);
  if (storage.condition)
    out << " if "
        << text([&](ExprPrinter &printer, auto &) { printer.printHeader(*storage.condition); });
  out << " gives " << (storage.anyName ? "{" : "") << storage.given.text
      << (storage.anyName ? "}" : "") << ": [" << storage.rows.text << ", " << storage.columns.text
      << "] ";
  printBlock(storage.body);
}

void FilePrinter::printGguf(const GgufDecl &gguf) {
  ExprPrinter printer(out);
  out << "gguf ";
  for (const Identifier &architecture : gguf.architectures) {
    out << (&architecture == &gguf.architectures.front() ? "" : ", ");
    printer.printString(architecture.text);
  }
  if (gguf.condition) {
    out << " if ";
    printer.printHeader(*gguf.condition);
  }
  out << " gives " << gguf.model.text << ' ';
  if (!gguf.base.text.empty())
    out << "like " << gguf.base.text << ' ';
  printBlock(gguf.body);
}

void FilePrinter::printModel(const ModelDecl &model) {
  if (model.isAlias())
    out << "model " << model.name.text << " = " << model.import.text << '.' << model.original.text;
  else
    printContainer("model", model);
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
