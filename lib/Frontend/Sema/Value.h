//===- Value.h - What an expression can stand for -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Elaboration evaluates every expression to a Value: a compile-time value (number, string, list,
// configuration, dimension), a whole tensor, one element of a formula (a Scalar), or something
// that can be called.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_SEMA_VALUE_H
#define WEFT_LIB_FRONTEND_SEMA_VALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "weft/Frontend/AST.h"
#include "weft/Support/ConfigValue.h"
#include "weft/Support/Interval.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weft::sema {

struct FileScope;
struct Index;
struct Scalar;

/// The size of a dimension: a number, or a run-time symbol with its bound.
struct Extent {
  int64_t size = 0;     ///< the size, or the bound of the symbol
  bool dynamic = false; ///< known at run time; `name` is the symbol
  bool fixed = false;   ///< bounded in the text, made a number by -D
  std::string name;     ///< how the text calls it; may be empty

  /// Certainly the same number.
  bool same(const Extent &other) const {
    return dynamic == other.dynamic && (dynamic ? name == other.name : size == other.size);
  }
  /// Its values may be smaller than those of a plain number: it may index a larger dimension.
  bool isBounded() const { return dynamic || fixed; }
  /// "D = 768", "T <= 1024" or "16".
  std::string str() const;
};

/// A name of a parameter's checkpoint tensor, seen from inside a function: a name below the
/// function's scope, or whatever the caller passes as tensor argument number `argument`.
struct WeightRef {
  std::string name;
  int argument = -1;
};

struct TensorValue {
  mlir::Value value;
  ElementType element = ElementType::F32;
  llvm::SmallVector<Extent, 4> dims;
  llvm::SmallVector<std::string, 4> indexNames; ///< names for the indices of derived formulas
  std::string name;                             ///< for messages
  SourceRange declared;
  std::vector<WeightRef> weights; ///< not empty: a parameter; its name, then what it is tied to
  bool constant = false;          ///< computed from nothing but compile-time data
  /// What integer elements are known to lie between.
  std::optional<Interval> bounds;
  /// Integer elements are positions in this run-time dimension.
  std::optional<Extent> below;
  /// An input whose default is a formula: the argument, and what the default lies between.
  std::shared_ptr<const TensorValue> passed;
  std::optional<Interval> defaultBounds;

  /// An argument of a mapped call: the indices that the leading dimensions of `value`, which are
  /// not among `dims`, run over.
  llvm::SmallVector<Index *, 2> mapped;

  /// What the elements are in formulas.
  ElementKind kind() const { return infoOf(element).kind; }
  unsigned rank() const { return dims.size(); }
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
};
using Tensor = std::shared_ptr<const TensorValue>;

class Value {
public:
  enum class Kind {
    Poison, ///< an error was reported where it was made
    Null,
    Bool,
    Int,
    Real,
    String,
    List,
    Config, ///< an object of the configuration
    Symbol, ///< a run-time dimension
    Tensor,
    Tuple, ///< the results of a module call
    Scalar,
    Fn,
    Module,
    Library
  };

  Kind kind = Kind::Null;
  int64_t integer = 0;                 ///< Bool, Int
  double real = 0;                     ///< Real
  std::string text;                    ///< String; of a Null, what is missing
  std::vector<Value> items;            ///< List, Tuple
  const ConfigValue *config = nullptr; ///< Config
  std::shared_ptr<Extent> extent;      ///< Symbol; an Int that was declared by `dim`
  Tensor tensor;
  Scalar *scalar = nullptr;
  const ast::Stmt *declaration = nullptr; ///< Fn, Module
  FileScope *file = nullptr;              ///< Fn, Module: where it is declared; Library

  Value() = default;
  explicit Value(Kind kind) : kind(kind) {}
  static Value makeBool(bool value);
  static Value makeInt(int64_t value);
  static Value makeReal(double value);
  static Value makeString(std::string value);
  static Value makeTensor(Tensor tensor);
  static Value makeScalar(Scalar *scalar);
  static Value makeSymbol(Extent extent);
  /// The value of a part of the configuration called `name` in messages.
  static Value makeConfig(const ConfigValue &config, llvm::StringRef name);

  bool is(Kind other) const { return kind == other; }
  bool isNumber() const { return kind == Kind::Int || kind == Kind::Real; }
  double asReal() const { return kind == Kind::Int ? double(integer) : real; }
  /// Known at compile time (a symbol is not: its value is known at run time).
  bool isCompileTime() const {
    return kind == Kind::Null || kind == Kind::Bool || kind == Kind::Int || kind == Kind::Real ||
           kind == Kind::String || kind == Kind::List || kind == Kind::Config;
  }
  /// "an integer", "a tensor with 2 dimensions", ... for messages.
  std::string describe() const;
  /// Unambiguous text: equal texts are equal values, for sharing module instances.
  void printKey(llvm::raw_ostream &os) const;
  /// Equality of compile-time values; a list or configuration only equals itself.
  bool equals(const Value &other) const;
};

/// A value of compile time as a part of a configuration.
ConfigValue toConfigValue(const Value &value);

/// Names for indices over these dimensions, made from the names of the dimensions.
llvm::SmallVector<std::string, 4> indexNames(llvm::ArrayRef<Extent> dims);

/// "tensor<int[T, D]>"-like text of a tensor's type for messages: "int[T, D]".
std::string typeText(const TensorValue &tensor);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_SEMA_VALUE_H
