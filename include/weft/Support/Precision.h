//===- Precision.h - in how many bits a model is stored and computed ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The meaning of --store, --store-tensor, --compute, --cache and --dtype, the same for every
// target. Sums, statistics, softmax, the residual stream, positions, inputs and results are f32
// whatever they say.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_PRECISION_H
#define WEFT_SUPPORT_PRECISION_H

#include "weft/Support/CodeFormat.h"
#include "weft/Support/ElementType.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace weft {

/// What a weight is stored as: a word of --store.
struct StoredAs {
  std::optional<ElementType> type; ///< none ("keep"): the checkpoint's. I8: codes
  CodeFormat codes = {};

  bool isKept() const { return !type; }
  bool isCodes() const { return type == ElementType::I8; }
  /// Codes that stand for reals, which products in f32 look up.
  bool isScaled() const { return codes.table != CodeTable::None; }
  bool isReal() const { return type && !isCodes(); }
};

/// What single weights are stored as, said by hand: a list of `PATTERN=TYPE`, of which the last one
/// counts whose pattern matches the weight's name.
class StoreRules {
public:
  struct Rule {
    std::string pattern; ///< `*`, `?` and `[a-z]` as in file names; `*` takes dots too
    StoredAs as;

    bool matches(llvm::StringRef name) const;
  };

  /// Adds a rule. Returns what is wrong with it, or "".
  std::string add(llvm::StringRef text);
  /// The rule of a weight; null if nothing is said of it.
  const Rule *find(llvm::StringRef name) const;
  llvm::ArrayRef<Rule> getRules() const { return rules; }
  bool empty() const { return rules.empty(); }

  /// One text of all rules, for options of passes.
  std::string getText() const;
  std::string addAll(llvm::StringRef text);

private:
  std::vector<Rule> rules;
};

/// What a model is told about the types of its numbers.
struct Precision {
  /// What the weights of products and tables are stored as.
  StoredAs store;
  /// What is said of single weights.
  StoreRules tensors;
  /// What both factors of a product are rounded to before they are multiplied; f32: not at all.
  /// I8: codes with a scale for each row. F32 with weights that are codes: two such codes.
  ElementType compute = ElementType::F32;
  /// With f32, 2 or 3: each factor is taken for the sum of so many numbers of bf16, and the largest
  /// 3 or 6 of their products are added ("bf16x3", "bf16x6").
  int parts = 1;
  /// Nothing is said of `compute`: products are f32, or of three parts where a target is faster so.
  bool isOpen = false;
  /// With f32: a GPU rounds the factors to tf32, 11 bits of a number, where it multiplies them.
  bool tf32 = false;
  /// Whether the code is for a GPU, whose kernels an error names then.
  bool forGPU = false;
  /// What the keys and values of a generating model are stored and multiplied as.
  ElementType cache = ElementType::F32;

  bool isDefault() const {
    return store.isKept() && tensors.empty() && compute == ElementType::F32 && parts == 1 &&
           !tf32 && cache == ElementType::F32;
  }
  /// Whether any weight is asked for as codes, or as the checkpoint has it.
  bool hasCodes() const;
  bool hasKept() const;
};

/// The words of the flags, of codes (int8) too if `withCodes`; nothing for others.
std::optional<ElementType> parsePrecision(llvm::StringRef text, bool withCodes = false);

/// The words of --store: those, "keep", "int4" with ",group=32", 64, 128 or "row" and ",sym" or
/// ",asym" behind it, or a table ("nf4") with ",group=...". Returns what is wrong, with `flag` for
/// where, or "".
std::string parseStore(llvm::StringRef flag, llvm::StringRef text, StoredAs &stored);
/// The word of it.
std::string storeName(const StoredAs &stored);

/// The words of --compute: "bf16x3" and "bf16x6" too. Returns whether it is one.
bool parseCompute(llvm::StringRef text, Precision &precision);

/// The word of --compute.
llvm::StringRef computeName(const Precision &precision);

/// "f32, bf16, f16, int8, bf16x3, bf16x6".
std::string computeNames();

/// The word of a type.
llvm::StringRef precisionName(ElementType type);

/// "f32, bf16, f16".
std::string precisionNames(bool withCodes = false);

/// Whether there are kernels for weights that are stored and computed so; of those that are kept,
/// yes.
bool hasProducts(const StoredAs &stored, const Precision &precision);

/// Whether there are kernels for weights that keep the checkpoint's codes: in int8 for numbers that
/// are whole.
bool hasKeptProducts(CodeTable table, const Precision &precision);

/// Whether there are kernels for factors of `compute`, or of so many parts, and weights that are
/// stored as `stored`.
bool hasProducts(ElementType stored, ElementType compute, int parts = 1);

/// The pairs that have them, for messages: "f32 computed in f32, bf16 computed in f32, ..."; then
/// those that only processors have, or GPUs.
std::string productPairs(bool forGPU = false);

} // namespace weft

#endif // WEFT_SUPPORT_PRECISION_H
