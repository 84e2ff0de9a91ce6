//===- Dump.cpp - Syntax tree to S-expressions ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One fully parenthesised text per tree, without locations and comments. Two trees are equal if
// their texts are.
//
//===----------------------------------------------------------------------===//

#include "weft/Frontend/AST.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using namespace weft::ast;

namespace {
class Dumper {
public:
  explicit Dumper(llvm::raw_ostream &out) : out(out) {}

  void dump(const File &file) {
    for (const StmtPtr &item : file.items) {
      dump(*item);
      out << '\n';
    }
  }
  void dump(const Expr &expr);

private:
  void dump(const Stmt &stmt);
  bool dumpLiteral(const Expr &expr);
  bool dumpOperation(const Expr &expr);
  bool dumpDeclaration(const Stmt &stmt);
  bool dumpValues(const Stmt &stmt);

  void dump(const ExprPtr &expr) {
    out << ' ';
    if (expr)
      dump(*expr);
    else
      out << "()";
  }
  void string(llvm::StringRef text) {
    out << '"';
    out.write_escaped(text);
    out << '"';
  }
  void dump(const Path &path) {
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
  void dump(const Binder &binder) {
    out << " (" << binder.name.text;
    dump(binder.range);
    out << ')';
  }
  template <typename T> void dumpAll(const std::vector<T> &list) {
    out << " [";
    for (const T &element : list)
      dump(element);
    out << ']';
  }
  void dump(const Argument &argument) {
    out << ' ' << argument.keyword.text << '=';
    dump(argument.value);
  }
  void dump(const TensorType &type) {
    out << ' ' << spelling(type.element);
    dumpAll(type.dims);
  }
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
  void dump(const Block &block) {
    out << " {";
    for (const StmtPtr &statement : block.statements)
      dump(*statement);
    out << '}';
  }
  template <typename Decl> void dumpContainer(llvm::StringRef word, const Decl &decl) {
    out << word << ' ' << decl.name.text;
    dumpAll(decl.parameters);
    dump(decl.body);
  }

  llvm::raw_ostream &out;
};
} // namespace

bool Dumper::dumpLiteral(const Expr &expr) {
  if (auto *integer = llvm::dyn_cast<IntegerExpr>(&expr))
    out << integer->value;
  else if (auto *real = llvm::dyn_cast<RealExpr>(&expr))
    out << "real " << llvm::format("%a", real->value);
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
bool Dumper::dumpOperation(const Expr &expr) {
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

void Dumper::dump(const Expr &expr) {
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

bool Dumper::dumpDeclaration(const Stmt &stmt) {
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
  } else if (auto *import = llvm::dyn_cast<ImportDecl>(&stmt)) {
    out << "import " << (import->isPath ? "path " : "");
    string(import->target.text);
    out << ' ' << import->alias.text;
  } else {
    return false;
  }
  return true;
}

bool Dumper::dumpValues(const Stmt &stmt) {
  if (auto *buffer = llvm::dyn_cast<BufferStmt>(&stmt)) {
    out << "buffer";
    dump(buffer->definition);
  } else if (auto *formula = llvm::dyn_cast<FormulaStmt>(&stmt)) {
    out << "formula";
    dump(formula->definition);
  } else if (auto *output = llvm::dyn_cast<OutputStmt>(&stmt)) {
    out << "output";
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
    dumpAll(fn->parameters);
    dump(fn->body);
  } else {
    return false;
  }
  return true;
}

void Dumper::dump(const Stmt &stmt) {
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
  }
  out << ')';
}

std::string ast::dump(const File &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Dumper(out).dump(file);
  return text;
}

std::string ast::dump(const Expr &expr) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Dumper(out).dump(expr);
  return text;
}

bool ast::equal(const File &a, const File &b) { return dump(a) == dump(b); }
bool ast::equal(const Expr &a, const Expr &b) { return dump(a) == dump(b); }
