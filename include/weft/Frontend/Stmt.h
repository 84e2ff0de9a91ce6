//===- Stmt.h - The syntax tree of a statement ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Statements and declarations; see AST.h for what all nodes have in common.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_STMT_H
#define WEFT_FRONTEND_STMT_H

#include "weft/Frontend/Expr.h"

namespace weft::ast {

class Stmt;
using StmtPtr = std::unique_ptr<Stmt>;

/// Comments, kept for the printer, each with its '#'. An empty text stands for a blank line between
/// or after them.
struct Comments {
  std::vector<std::string> leading; ///< the lines before
  std::string trailing;             ///< on the same line, after
  bool blankLineBefore = false;
};

/// A statement or a declaration. `range` covers its text without comments.
class Stmt {
public:
  /// The class of a node.
  enum class Kind {
    // In the body of a module, model or entry.
    Let,
    Dim,
    Input,
    Param,
    Buffer,
    Formula,
    Assign,
    Output,
    Generate,
    For,
    If,
    Match,
    Assert,
    Return,
    Entry,
    Checkpoint,
    Config, // in a gguf block
    // At the top of a file.
    Import,
    Fn,
    Module,
    Model,
    Gguf,
    Storage
  };

  virtual ~Stmt();
  const Kind kind;
  SourceRange range;
  Comments comments;

protected:
  Stmt(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

/// Defines the kind and classof of a node class.
#define WEFT_AST_STMT(CLASS, KIND)                                                                 \
  explicit CLASS(SourceRange range) : Stmt(Kind::KIND, range) {}                                   \
  static bool classof(const Stmt *s) { return s->kind == Kind::KIND; }

/// `{ statements }`.
struct Block {
  std::vector<StmtPtr> statements;
  std::vector<std::string> endComments; ///< comments between the last statement and `}`
  SourceRange range;
};

/// `let L = config.n_layer, H = config.n_head`: compile-time values.
class LetStmt : public Stmt {
public:
  WEFT_AST_STMT(LetStmt, Let)
  /// `name = value`.
  struct Binding {
    Identifier name;
    ExprPtr value;
  };
  std::vector<Binding> bindings;
};

/// `dim D = e` (known at compile time), `dim T <= e` (known at run time, bounded).
class DimStmt : public Stmt {
public:
  WEFT_AST_STMT(DimStmt, Dim)
  /// `name = value` or, if bounded, `name <= value`.
  struct Dimension {
    Identifier name;
    bool bounded = false;
    ExprPtr value; ///< the size or the bound
  };
  std::vector<Dimension> dimensions;
};

/// `input ids: int[T]`, `input mask: bool[T] = true`, `input pos[t]: int[T] = t` (the default may
/// use its index).
class InputStmt : public Stmt {
public:
  WEFT_AST_STMT(InputStmt, Input)
  /// `name[indices]: type = defaultValue`.
  struct Input {
    Path name;
    std::vector<Binder> indices; ///< usually none
    TensorType type;
    ExprPtr defaultValue; ///< null if the input is required
  };
  std::vector<Input> inputs;
};

/// `param c_attn.weight: [D, 3, H, C] as w`, `param lm_head.weight: [V, D] tied wte`.
class ParamStmt : public Stmt {
public:
  WEFT_AST_STMT(ParamStmt, Param)
  /// `name: type as alias tied tied`.
  struct Param {
    Path name;
    TensorType type;
    Identifier alias; ///< empty text if none
    ExprPtr tied;     ///< a NameExpr, or null
    SourceRange range;
  };
  std::vector<Param> params;
};

/// What formula-like statements share: `name[i, j: N] = value`.
struct Definition {
  Path name;                   ///< of an output a dotted one, `mems.{l}`; else an identifier
  std::vector<Binder> indices; ///< empty: `name = value`
  ExprPtr value;
};

/// `buffer slope[h: H] = 2 ^ (-8 * (h + 1) / H)`: computed once, at compile time where possible.
class BufferStmt : public Stmt {
public:
  WEFT_AST_STMT(BufferStmt, Buffer)
  Definition definition;
};

/// `y[t, d] = e`. At least one index.
class FormulaStmt : public Stmt {
public:
  WEFT_AST_STMT(FormulaStmt, Formula)
  Definition definition;
};

/// `x = e`, `(a, b) = m: M(x)`: whole tensors.
class AssignStmt : public Stmt {
public:
  WEFT_AST_STMT(AssignStmt, Assign)
  std::vector<Binder> indices;     ///< `(a, b)[n] = M(x[n])`: what the call is mapped over
  std::vector<Identifier> targets; ///< several only with parentheses
  ExprPtr value;
};

/// `output logits[t, v] = e`, `output y: bf16 = e`, `output y` (a tensor defined before: no value).
class OutputStmt : public Stmt {
public:
  WEFT_AST_STMT(OutputStmt, Output)
  Definition definition;
  std::optional<ElementType> element; ///< how it is stored, if that is said
  SourceRange elementRange;
};

/// `generate logits over T`.
class GenerateStmt : public Stmt {
public:
  WEFT_AST_STMT(GenerateStmt, Generate)
  Identifier output, dimension;
};

/// `for l in a..b { }`: a <= l < b.
class ForStmt : public Stmt {
public:
  WEFT_AST_STMT(ForStmt, For)
  Identifier variable;
  ExprPtr from, to;
  Block body;
};

/// `if c { } else { }`; `else if` is an else block with one IfStmt.
class IfStmt : public Stmt {
public:
  WEFT_AST_STMT(IfStmt, If)
  ExprPtr condition;
  Block thenBlock;
  bool hasElse = false;
  Block elseBlock;
};

/// `match s { "a" | "b" => { } else => { } }`; an arm without braces is one statement.
class MatchStmt : public Stmt {
public:
  WEFT_AST_STMT(MatchStmt, Match)
  /// `patterns => body`.
  struct Arm {
    std::vector<ExprPtr> patterns; ///< literals; empty for `else`
    Block body;
    SourceRange range; ///< of the patterns
    Comments comments;
  };
  ExprPtr subject;
  std::vector<Arm> arms;
  std::vector<std::string> endComments;
};

/// `assert c, "text"`.
class AssertStmt : public Stmt {
public:
  WEFT_AST_STMT(AssertStmt, Assert)
  ExprPtr condition;
  ExprPtr message; ///< any compile-time string, or null
};

/// `return y`, `return a, b`.
class ReturnStmt : public Stmt {
public:
  WEFT_AST_STMT(ReturnStmt, Return)
  std::vector<ExprPtr> values; ///< at least one
};

//===----------------------------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------------------------===//

/// `x`, `x: [T, D]`, `scale = 1`, `ids: int[T]`.
struct Parameter {
  Identifier name;
  bool hasType = false;
  TensorType type;
  ExprPtr defaultValue; ///< or null
};

/// `import nn`, `import models.bert`, `import "layers.weft" as layers`.
class ImportDecl : public Stmt {
public:
  WEFT_AST_STMT(ImportDecl, Import)
  Identifier target;   ///< "nn", "models.bert" or the path in quotes
  bool isPath = false; ///< it was in quotes: relative to this file
  Identifier alias;    ///< `as NAME`; empty text if none
};

/// `fn gelu(x) = e`.
class FnDecl : public Stmt {
public:
  WEFT_AST_STMT(FnDecl, Fn)
  Identifier name;
  std::vector<Parameter> parameters;
  ExprPtr body;
};

/// `module M(x: [T, D], n) { ... }`.
class ModuleDecl : public Stmt {
public:
  WEFT_AST_STMT(ModuleDecl, Module)
  Identifier name;
  std::vector<Parameter> parameters;
  Block body;
};

/// `model GPT2(config) { ... }`, or another name for a model of an imported file,
/// `model CamembertModel = roberta.RobertaModel`.
class ModelDecl : public Stmt {
public:
  WEFT_AST_STMT(ModelDecl, Model)
  Identifier name;
  Identifier import, original; ///< empty texts if the model has a body
  /// Another name for the model `original` of the file imported as `import`.
  bool isAlias() const { return !original.text.empty(); }
  std::vector<Parameter> parameters;
  Block body;
};

/// `entry encode(x, n = 2) { ... }`, a statement of a model.
class EntryStmt : public Stmt {
public:
  WEFT_AST_STMT(EntryStmt, Entry)
  Identifier name;
  std::vector<Parameter> parameters;
  Block body;
};

/// `checkpoint { prefix "bert."  rename "*.gamma" => "*.weight"  ignore "*.position_ids" }`: how
/// the file of the weights names its tensors.
class CheckpointStmt : public Stmt {
public:
  WEFT_AST_STMT(CheckpointStmt, Checkpoint)
  /// What a rule says of tensors: their prefix, another name, that they are not read.
  enum class RuleKind { Prefix, Rename, Ignore };
  /// `prefix "..."`, `rename "..." => "..."` or `ignore "..."`.
  struct Rule {
    RuleKind kind = RuleKind::Prefix;
    Identifier pattern;     ///< the text in quotes
    Identifier replacement; ///< Rename only
    Comments comments;
  };
  std::vector<Rule> rules;
  std::vector<std::string> endComments;
};

/// `gguf "llama" if (keys.expert_count ?? 0) == 0 gives LlamaForCausalLM like base { ... }`: what a
/// GGUF file of these architectures is to a model of the text.
class GgufDecl : public Stmt {
public:
  WEFT_AST_STMT(GgufDecl, Gguf)
  std::vector<Identifier> architectures; ///< the texts in quotes
  ExprPtr condition;                     ///< null: always
  Identifier model;
  Identifier base; ///< empty text, or the imported file whose block says the rest
  Block body;
};

/// `storage Gptq(config) if config.quant_method == "gptq" gives weight: [O, I] { ... }`: how a
/// matrix follows from the tensors that a checkpoint has in its place. `gives {name}: [O, I]` is
/// for matrices of any name.
class StorageDecl : public Stmt {
public:
  WEFT_AST_STMT(StorageDecl, Storage)
  Identifier name;
  std::vector<Parameter> parameters;
  ExprPtr condition; ///< null: only where a `value` rule names it
  Identifier given;  ///< the last part of the matrix's name, or (`anyName`) what stands for it
  bool anyName = false;
  Identifier rows, columns;
  Block body;
};

/// `config rope_scaling.factor = keys.rope.scaling.factor`: a value of the configuration.
class ConfigStmt : public Stmt {
public:
  WEFT_AST_STMT(ConfigStmt, Config)
  Path path; ///< without expressions
  ExprPtr value;
};

/// "prefix", "rename" or "ignore".
llvm::StringRef spelling(CheckpointStmt::RuleKind kind);

#undef WEFT_AST_STMT

} // namespace weft::ast

#endif // WEFT_FRONTEND_STMT_H
