//===- Expr.h - The syntax tree of an expression --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Names, types and expressions; see AST.h for what all nodes have in common.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_EXPR_H
#define WEFT_FRONTEND_EXPR_H

#include "weft/Frontend/SourceFile.h"
#include "weft/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Casting.h"

namespace weft::ast {

class Expr;
class CallExpr;
using ExprPtr = std::unique_ptr<Expr>;

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
  /// A part of a segment: text, `{expr}` or `{e: expr}`.
  struct Piece {
    std::string text; ///< used if `expr` is null; of a stack the name of its number
    ExprPtr expr;     ///< `{expr}`, or the size of the stack `{e: expr}`
    SourceRange range;

    /// `{e: expr}`: the name stands for `expr` tensors.
    bool isStack() const { return expr && !text.empty(); }
  };
  /// What stands between two dots: at least one piece, without spaces.
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

/// What the elements of a tensor are.
using weft::ElementKind;

/// `[T, D]` (real), `int[T]`, `bf16[T, D]`, `real`, `int`: a scalar has no dims.
struct TensorType {
  ElementType element = ElementType::F32;
  std::vector<ExprPtr> dims;
  SourceRange range;

  ElementKind kind() const { return infoOf(element).kind; }
};

/// A node of an expression. `range` covers its text.
class Expr {
public:
  /// The class of a node.
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
  unsigned height = 1;        ///< 1 + the largest height of a child; kept by the parser
  bool parenthesized = false; ///< stands in parentheses of its own, which `range` does not cover

protected:
  Expr(Kind kind, SourceRange range) : kind(kind), range(range) {}
};

/// Defines the kind and classof of a node class.
#define WEFT_AST_EXPR(CLASS, KIND)                                                                 \
  explicit CLASS(SourceRange range) : Expr(Kind::KIND, range) {}                                   \
  static bool classof(const Expr *e) { return e->kind == Kind::KIND; }

/// `42`.
class IntegerExpr : public Expr {
public:
  WEFT_AST_EXPR(IntegerExpr, Integer)
  int64_t value = 0; ///< never negative: `-1` is a unary minus
};

/// `1e-5`.
class RealExpr : public Expr {
public:
  WEFT_AST_EXPR(RealExpr, Real)
  double value = 0;
  std::string spelling; ///< as written: `1e-5`
};

/// `"gelu"`.
class StringExpr : public Expr {
public:
  WEFT_AST_EXPR(StringExpr, String)
  std::string value; ///< without quotes, escapes resolved
};

/// `true`, `false`.
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

/// One argument of a call, `value` or `keyword = value`.
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

/// `-` and `not`.
enum class UnaryOp { Negate, Not };

/// `-a`, `not a`.
class UnaryExpr : public Expr {
public:
  WEFT_AST_EXPR(UnaryExpr, Unary)
  UnaryOp op = UnaryOp::Negate;
  ExprPtr operand;
};

/// The operators between two operands: `?? or and == != < <= > >= + - * / // % ^`.
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

/// How strongly an expression holds its parts together, weakest first: the table of the language's
/// operators. `if` swallows all that follows it. A reduction swallows the product that follows it,
/// so that it is a product to what stands around it. Operators of one line group to the left, but
/// comparisons do not group and `^` groups to the right.
enum class Precedence {
  Choice,     ///< if then else
  Coalesce,   ///< ??
  Or,         ///< or
  And,        ///< and
  Not,        ///< not
  Comparison, ///< == != < <= > >=
  Sum,        ///< + -
  Product,    ///< * / // %, reductions
  Negate,     ///< the sign -
  Power,      ///< ^
  Primary     ///< literals, names, elements, calls
};

Precedence precedence(BinaryOp op);
/// How strongly the outermost operator of an expression holds it together.
Precedence precedence(const Expr &expr);
/// The one that binds a little more strongly.
inline Precedence next(Precedence p) { return static_cast<Precedence>(static_cast<int>(p) + 1); }
/// `== != < <= > >=`: they are not chained.
inline bool isComparison(BinaryOp op) { return precedence(op) == Precedence::Comparison; }

/// `a + b`; `opRange` is the operator.
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
  /// `patterns => value`.
  struct Arm {
    std::vector<ExprPtr> patterns; ///< literals; empty for `else`
    ExprPtr value;
    SourceRange range; ///< of the patterns
  };
  ExprPtr subject;
  std::vector<Arm> arms;
};

/// The reductions; `max` and `min` are functions as well.
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

/// "-" or "not".
llvm::StringRef spelling(UnaryOp op);
/// How the text writes an operator: "//", "and".
llvm::StringRef spelling(BinaryOp op);
/// The word before the parenthesis: "softmax".
llvm::StringRef spelling(ReductionKind reduction);
/// "real", "int" or "bool".
llvm::StringRef spelling(ElementKind element);

/// The reduction a word stands for, if it is followed by '('.
std::optional<ReductionKind> reductionNamed(llvm::StringRef word);
/// The spellings of all reductions.
llvm::ArrayRef<llvm::StringRef> reductionNames();

/// Calls `visit` on the direct children of an expression, in the order of the text.
void forEachChild(const Expr &expr, llvm::function_ref<void(const Expr &)> visit);

#undef WEFT_AST_EXPR

} // namespace weft::ast

#endif // WEFT_FRONTEND_EXPR_H
