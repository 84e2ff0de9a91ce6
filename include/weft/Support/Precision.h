//===- Precision.h - in how many bits a model is stored and computed ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The meaning of --store, --compute, --cache and --dtype, the same for every target. Sums,
// statistics, softmax, the residual stream, positions, inputs and results are f32 whatever they
// say.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_PRECISION_H
#define WEFT_SUPPORT_PRECISION_H

#include "weft/Support/CodeFormat.h"
#include "weft/Support/ElementType.h"

namespace weft {

/// What a model is told about the types of its numbers.
struct Precision {
  /// What the weights of products and tables are stored as; none ("keep"): as the checkpoint has
  /// them. I8: as codes.
  std::optional<ElementType> store;
  CodeFormat codes;
  /// What both factors of a product are rounded to before they are multiplied; f32: not at all.
  /// I8: codes with a scale for each row. F32 with weights that are codes: two such codes.
  ElementType compute = ElementType::F32;
  /// With f32, 2 or 3: each factor is taken for the sum of so many numbers of bf16, and the largest
  /// 3 or 6 of their products are added ("bf16x3", "bf16x6").
  int parts = 1;
  /// What the keys and values of a generating model are stored and multiplied as.
  ElementType cache = ElementType::F32;

  bool isDefault() const {
    return !store && compute == ElementType::F32 && parts == 1 && cache == ElementType::F32;
  }
};

/// The words of the flags, of codes (int8) too if `withCodes`; nothing for others.
std::optional<ElementType> parsePrecision(llvm::StringRef text, bool withCodes = false);

/// The words of --store: those, "keep", or "int4" with ",group=32", 64, 128 or "row" and ",sym" or
/// ",asym" behind it. Returns what is wrong, or "".
std::string parseStore(llvm::StringRef text, Precision &precision);

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

/// Whether there are kernels for factors of `compute`, or of so many parts, and weights that are
/// stored as `stored`.
bool hasProducts(ElementType stored, ElementType compute, int parts = 1);

/// The pairs that have them, for messages: "f32 with f32, bf16 with f32, ...".
std::string productPairs();

} // namespace weft

#endif // WEFT_SUPPORT_PRECISION_H
