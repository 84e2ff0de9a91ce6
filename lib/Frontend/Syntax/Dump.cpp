//===- Dump.cpp - Syntax tree to S-expressions ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One fully parenthesised text per tree, without locations and comments. Two trees are equal if
// their texts are.
//
//===----------------------------------------------------------------------------------------===//

#include "DumpExpr.h"
#include "weft/Frontend/AST.h"

using namespace weft;
using namespace weft::ast;

namespace {
class FileDumper : public ExprDumper {
public:
  using ExprDumper::ExprDumper;

  void dump(const File &file) {
    for (const StmtPtr &item : file.items) {
      dump(*item);
      out << '\n';
    }
  }

private:
  using ExprDumper::dump;
  void dump(const Stmt &stmt);
  bool dumpDeclaration(const Stmt &stmt);
  bool dumpValues(const Stmt &stmt);

  void dump(const Definition &definition) {
    dump(definition.name);
    dumpAll(definition.indices);
    dump(definition.value);
  }
  void dump(const Parameter &parameter) {
    out << " (" << parameter.name.text;
    if (parameter.hasType)
      dump(parameter.type);
    dump(parameter.defaultValue);
    out << ')';
  }
  void dump(const std::vector<Parameter> &parameters) {
    out << " [";
    for (const Parameter &parameter : parameters)
      dump(parameter);
    out << ']';
  }
  void dump(const Block &block) {
    out << " {";
    for (const StmtPtr &statement : block.statements)
      dump(*statement);
    out << '}';
  }
  template <typename Decl> void dumpContainer(llvm::StringRef word, const Decl &decl) {
    out << word << ' ' << decl.name.text;
    dump(decl.parameters);
    dump(decl.body);
  }
};
} // namespace

bool FileDumper::dumpDeclaration(const Stmt &stmt) {
  if (auto *let = llvm::dyn_cast<LetStmt>(&stmt)) {
    out << "let";
    for (const LetStmt::Binding &binding : let->bindings) {
      out << ' ' << binding.name.text;
      dump(binding.value);
    }
  } else if (auto *dim = llvm::dyn_cast<DimStmt>(&stmt)) {
    out << "dim";
    for (const DimStmt::Dimension &dimension : dim->dimensions) {
      out << ' ' << dimension.name.text << (dimension.bounded ? " <=" : " =");
      dump(dimension.value);
    }
  } else if (auto *inputs = llvm::dyn_cast<InputStmt>(&stmt)) {
    out << "input";
    for (const InputStmt::Input &input : inputs->inputs) {
      dump(input.name);
      dumpAll(input.indices);
      dump(input.type);
      dump(input.defaultValue);
    }
  } else if (auto *params = llvm::dyn_cast<ParamStmt>(&stmt)) {
    out << "param";
    for (const ParamStmt::Param &param : params->params) {
      dump(param.name);
      dump(param.type);
      out << " as=" << param.alias.text << " tied=";
      dump(param.tied);
    }
  } else if (auto *checkpoint = llvm::dyn_cast<CheckpointStmt>(&stmt)) {
    out << "checkpoint";
    for (const CheckpointStmt::Rule &rule : checkpoint->rules) {
      out << ' ' << spelling(rule.kind) << ' ';
      string(rule.pattern.text);
      string(rule.replacement.text);
    }
  } else if (auto *config = llvm::dyn_cast<ConfigStmt>(&stmt)) {
    out << "config ";
    dump(config->path);
    dump(config->value);
  } else if (auto *import = llvm::dyn_cast<ImportDecl>(&stmt)) {
    out << "import " << (import->isPath ? "path " : "");
    string(import->target.text);
    out << ' ' << import->alias.text;
  } else {
    return false;
  }
  return true;
}

bool FileDumper::dumpValues(const Stmt &stmt) {
  if (auto *buffer = llvm::dyn_cast<BufferStmt>(&stmt)) {
    out << "buffer";
    dump(buffer->definition);
  } else if (auto *formula = llvm::dyn_cast<FormulaStmt>(&stmt)) {
    out << "formula";
    dump(formula->definition);
  } else if (auto *output = llvm::dyn_cast<OutputStmt>(&stmt)) {
    out << "output";
    if (output->element)
      out << ' ' << infoOf(*output->element).name;
    dump(output->definition);
  } else if (auto *assign = llvm::dyn_cast<AssignStmt>(&stmt)) {
    out << "assign";
    for (const Identifier &target : assign->targets)
      out << ' ' << target.text;
    if (!assign->indices.empty())
      dumpAll(assign->indices);
    dump(assign->value);
  } else if (auto *generate = llvm::dyn_cast<GenerateStmt>(&stmt)) {
    out << "generate " << generate->output.text << ' ' << generate->dimension.text;
  } else if (auto *assertion = llvm::dyn_cast<AssertStmt>(&stmt)) {
    out << "assert";
    dump(assertion->condition);
    dump(assertion->message);
  } else if (auto *result = llvm::dyn_cast<ReturnStmt>(&stmt)) {
    out << "return";
    dumpAll(result->values);
  } else if (auto *fn = llvm::dyn_cast<FnDecl>(&stmt)) {
    out << "fn " << fn->name.text;
    dump(fn->parameters);
    dump(fn->body);
  } else {
    return false;
  }
  return true;
}

void FileDumper::dump(const Stmt &stmt) {
  out << '(';
  if (dumpDeclaration(stmt) || dumpValues(stmt)) {
  } else if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    out << "for " << loop->variable.text;
    dump(loop->from);
    dump(loop->to);
    dump(loop->body);
  } else if (auto *choice = llvm::dyn_cast<IfStmt>(&stmt)) {
    out << "if";
    dump(choice->condition);
    dump(choice->thenBlock);
    if (choice->hasElse)
      dump(choice->elseBlock);
  } else if (auto *match = llvm::dyn_cast<MatchStmt>(&stmt)) {
    out << "match";
    dump(match->subject);
    for (const MatchStmt::Arm &arm : match->arms) {
      dumpAll(arm.patterns);
      dump(arm.body);
    }
  } else if (auto *module = llvm::dyn_cast<ModuleDecl>(&stmt)) {
    dumpContainer("module", *module);
  } else if (auto *model = llvm::dyn_cast<ModelDecl>(&stmt)) {
    dumpContainer("model", *model);
    if (model->isAlias())
      out << " = " << model->import.text << '.' << model->original.text;
  } else if (auto *entry = llvm::dyn_cast<EntryStmt>(&stmt)) {
    dumpContainer("entry", *entry);
  } else if (auto *storage = llvm::dyn_cast<StorageDecl>(&stmt)) {
    out << "storage " << storage->name.text;
    dump(storage->parameters);
    dump(storage->condition);
    out << (storage->anyName ? " any " : " ") << storage->given.text << ' ' << storage->rows.text
        << ' ' << storage->columns.text;
    dump(storage->body);
  } else if (auto *gguf = llvm::dyn_cast<GgufDecl>(&stmt)) {
    out << "gguf";
    for (const Identifier &architecture : gguf->architectures)
      string(architecture.text);
    dump(gguf->condition);
    out << ' ' << gguf->model.text << ' ' << gguf->base.text;
    dump(gguf->body);
  }
  out << ')';
}

std::string ast::dump(const File &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  FileDumper(out).dump(file);
  return text;
}

bool ast::equal(const File &a, const File &b) { return dump(a) == dump(b); }
