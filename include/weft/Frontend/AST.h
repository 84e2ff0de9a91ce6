//===- AST.h - The syntax tree of a Weft file -----------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain classes with a kind and LLVM-style casts (llvm::isa, dyn_cast). A node owns its children;
// every node has the range of text it was read from. The tree says what was written: names are not
// resolved, and parentheses are not kept (the printer puts back those that are needed). Its height
// is limited by the parser (maxTreeHeight), so recursive walks are safe.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_FRONTEND_AST_H
#define WEFT_FRONTEND_AST_H

#include "weft/Frontend/SourceFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Casting.h"

namespace weft::ast {

class Expr;
class Stmt;
class CallExpr;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

/// No expression or nesting of blocks is higher than this.
constexpr unsigned maxTreeHeight = 500;

/// A name where it is declared or mentioned alone.
struct Identifier {
  std::string text;
  SourceRange range;
};

/// A dotted name, `config.n_embd`, `c_attn.weight`, `transformer.h.{l}`, `layer_{l}.weight`:
/// segments separated by dots, each a sequence of pieces that are text or an interpolated
/// compile-time expression.
struct Path {
  struct Piece {
    std::string text; ///< used if `expr` is null; of a stack the name of its number
    ExprPtr expr;     ///< `{expr}`, or the size of the stack `{e: expr}`
    SourceRange range;

    bool isStack() const { return expr && !text.empty(); }
  };
  struct Segment {
    std::vector<Piece> pieces;
  };
  std::vector<Segment> segments;
  SourceRange range;

  Path();
  explicit Path(Identifier name);
  Path(Path &&);
  Path &operator=(Path &&);
  ~Path();

  /// True if nothing is interpolated; then `str()` is the name.
  bool isPlain() const;
  /// True for a single plain segment: a simple identifier.
  bool isIdentifier() const { return segments.size() == 1 && isPlain(); }
  /// The text with dots; interpolations are shown as "{...}" (for messages).
  std::string str() const;
};

/// An index or a reduction variable: `d`, or with a range `u: 16` (0 <= u < 16).
struct Binder {
  Identifier name;
  ExprPtr range; ///< null if the range follows from the use
};

enum class ElementKind { Real, Int, Bool };

/// `[T, D]` (real), `int[T]`, `bool[T, T]`, `real`, `int`: a scalar has no dims.
struct TensorType {
  ElementKind element = ElementKind::Real;
  std::vector<ExprPtr> dims;
  SourceRange range;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

class Expr {
public:
  enum class Kind {
    Integer,
    Real,
    String,
    Bool,
    Null,
    List,
    Name,
    Element,
    Member,
    Call,
    ScopedCall,
    Unary,
    Binary,
    If,
    Match,
    Reduction
  };

  virtual ~Expr();
  const Kind kind;
  SourceRange range;
  unsigned height = 1; ///< 1 + the largest height of a child; kept by the parser

protected:
  Expr(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

/// Defines the kind and classof of a node class.
#define WEFT_AST_EXPR(CLASS, KIND)                                                                 \
  explicit CLASS(SourceRange range) : Expr(Kind::KIND, range) {}                                   \
  static bool classof(const Expr *e) { return e->kind == Kind::KIND; }

class IntegerExpr : public Expr {
public:
  WEFT_AST_EXPR(IntegerExpr, Integer)
  int64_t value = 0; ///< never negative: `-1` is a unary minus
};

class RealExpr : public Expr {
public:
  WEFT_AST_EXPR(RealExpr, Real)
  double value = 0;
  std::string spelling; ///< as written: `1e-5`
};

class StringExpr : public Expr {
public:
  WEFT_AST_EXPR(StringExpr, String)
  std::string value; ///< without quotes, escapes resolved
};

class BoolExpr : public Expr {
public:
  WEFT_AST_EXPR(BoolExpr, Bool)
  bool value = false;
};

/// `null`: what `config.x` is if absent; the left side of `??`.
class NullExpr : public Expr {
public:
  WEFT_AST_EXPR(NullExpr, Null)
};

/// `[a, b]`, compile time only.
class ListExpr : public Expr {
public:
  WEFT_AST_EXPR(ListExpr, List)
  std::vector<ExprPtr> elements;
};

/// `x`, `config.n_embd`, `c_attn.weight`, `h.{l}.weight`: what it means (local, parameter,
/// configuration value, member of an import) is decided later, the longest declared prefix wins.
class NameExpr : public Expr {
public:
  WEFT_AST_EXPR(NameExpr, Name)
  Path path;
};

/// `base[e, ...]`: an element of a tensor, or of a compile-time list. The base is a NameExpr unless
/// compile-time values are nested (`config.layers[l].heads`, `f(x)[0]`).
class ElementExpr : public Expr {
public:
  WEFT_AST_EXPR(ElementExpr, Element)
  ExprPtr base;
  std::vector<ExprPtr> indices; ///< at least one
};

/// `.name` after something that is not a name: `config.layers[l].heads`.
class MemberExpr : public Expr {
public:
  WEFT_AST_EXPR(MemberExpr, Member)
  ExprPtr base;
  Identifier member;
};

struct Argument {
  Identifier keyword; ///< empty text for a positional argument
  ExprPtr value;
};

/// `f(a, key = b)`: a scalar function, a builtin, a function on whole tensors or a module without a
/// scope of its own.
class CallExpr : public Expr {
public:
  WEFT_AST_EXPR(CallExpr, Call)
  Path callee;
  std::vector<Argument> arguments; ///< positional ones first
};

/// `scope: M(x)`: calls a module whose parameters live under `scope`.
class ScopedCallExpr : public Expr {
public:
  WEFT_AST_EXPR(ScopedCallExpr, ScopedCall)
  Path scope;
  std::unique_ptr<CallExpr> call;
};

enum class UnaryOp { Negate, Not };

class UnaryExpr : public Expr {
public:
  WEFT_AST_EXPR(UnaryExpr, Unary)
  UnaryOp op = UnaryOp::Negate;
  ExprPtr operand;
};

/// Weakest first: `??`, `or`, `and`, (`not`), comparisons (not chained), `+ -`, `* / // %`, (unary
/// minus), `^` (right).
enum class BinaryOp {
  Coalesce,
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power
};

class BinaryExpr : public Expr {
public:
  WEFT_AST_EXPR(BinaryExpr, Binary)
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange; ///< of the operator itself
  ExprPtr lhs, rhs;
};

/// `if p then a else b`.
class IfExpr : public Expr {
public:
  WEFT_AST_EXPR(IfExpr, If)
  ExprPtr condition, thenValue, elseValue;
};

/// `match s { "a" | "b" => e, else => f }`, compile time only.
class MatchExpr : public Expr {
public:
  WEFT_AST_EXPR(MatchExpr, Match)
  struct Arm {
    std::vector<ExprPtr> patterns; ///< literals; empty for `else`
    ExprPtr value;
    SourceRange range; ///< of the patterns
  };
  ExprPtr subject;
  std::vector<Arm> arms;
};

enum class ReductionKind { Sum, Mean, Max, Min, Prod, ArgMax, ArgTop, Softmax, LogSoftmax };

/// `sum(d) e`, `sum(u: 16, c) e`, `softmax(s where p) e`, `argtop(e, j) x`. Binds like a unary
/// operator over the product that follows. In `argtop(e, j) x` the binder is `e` and `rank` is `j`:
/// the index e of the j-th largest x (j from 0).
class ReductionExpr : public Expr {
public:
  WEFT_AST_EXPR(ReductionExpr, Reduction)
  ReductionKind reduction = ReductionKind::Sum;
  std::vector<Binder> binders; ///< at least one
  ExprPtr rank;                ///< argtop only
  ExprPtr predicate;           ///< `where p`, or null
  ExprPtr body;
};

/// The spelling of an operator or a reduction: "//", "and", "softmax".
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(ReductionKind reduction);
llvm::StringRef spelling(ElementKind element);

/// The reduction a word stands for, if it is followed by '('.
std::optional<ReductionKind> reductionNamed(llvm::StringRef word);

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Comments, kept for the printer, each with its '#'. An empty text stands for a blank line between
/// or after them.
struct Comments {
  std::vector<std::string> leading; ///< the lines before
  std::string trailing;             ///< on the same line, after
  bool blankLineBefore = false;
};

class Stmt {
public:
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
    // At the top of a file.
    Import,
    Fn,
    Module,
    Model
  };

  virtual ~Stmt();
  const Kind kind;
  SourceRange range;
  Comments comments;

protected:
  Stmt(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

#define WEFT_AST_STMT(CLASS, KIND)                                                                 \
  explicit CLASS(SourceRange range) : Stmt(Kind::KIND, range) {}                                   \
  static bool classof(const Stmt *s) { return s->kind == Kind::KIND; }

struct Block {
  std::vector<StmtPtr> statements;
  std::vector<std::string> endComments; ///< comments between the last statement and `}`
  SourceRange range;
};

/// `let L = config.n_layer, H = config.n_head`: compile-time values.
class LetStmt : public Stmt {
public:
  WEFT_AST_STMT(LetStmt, Let)
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

/// `output logits[t, v] = e`, `output y = e`, `output y` (a tensor defined before: no value).
class OutputStmt : public Stmt {
public:
  WEFT_AST_STMT(OutputStmt, Output)
  Definition definition;
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

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

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
  enum class RuleKind { Prefix, Rename, Ignore };
  struct Rule {
    RuleKind kind = RuleKind::Prefix;
    Identifier pattern;     ///< the text in quotes
    Identifier replacement; ///< Rename only
    Comments comments;
  };
  std::vector<Rule> rules;
  std::vector<std::string> endComments;
};

llvm::StringRef spelling(CheckpointStmt::RuleKind kind);

#undef WEFT_AST_EXPR
#undef WEFT_AST_STMT

/// A parsed text.
struct File {
  FileId id = 0;
  std::vector<StmtPtr> items; ///< ImportDecl, FnDecl, ModuleDecl, ModelDecl
  std::vector<std::string> endComments;
};

/// Calls `visit` on the direct children of an expression, in the order of the text.
void forEachChild(const Expr &expr, llvm::function_ref<void(const Expr &)> visit);

/// An unambiguous text of the tree without locations and comments: for tests and for equality.
std::string dump(const File &file);
std::string dump(const Expr &expr);

/// Same structure: names, values, operators; not locations, comments or the spelling of a number.
bool equal(const File &a, const File &b);
bool equal(const Expr &a, const Expr &b);

} // namespace weft::ast

#endif // WEFT_FRONTEND_AST_H
