//===- ElementType.h - the types of elements ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The element types of tensors in memory and in files, with what is known of each, from the table
// ElementTypes.def. Elements are computed in one type of each kind, whatever they are stored as.
// Their types in the IR are in weft/Dialect/Weft/IR/ElementTypes.h.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_ELEMENTTYPE_H
#define WEFT_SUPPORT_ELEMENTTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/// What elements are in a text, and computed as: reals in f32, integers in i32, conditions as i1.
enum class ElementKind { Real, Int, Bool };

/// How an element is stored; 64-bit types and I16 in files only.
enum class ElementType {
#define WEFT_FILE_TYPE(NAME, ...) NAME,
#define WEFT_STORED_TYPE(NAME, ...) NAME,
#include "weft/Support/ElementTypes.def"
};

/// A line of the table.
struct ElementTypeInfo {
  ElementType type;
  ElementKind kind;
  unsigned bits;                ///< that an element takes in memory
  unsigned exponentBits;        ///< of a real; the mantissa has `bits` less these and the sign
  llvm::StringLiteral fileName; ///< in safetensors files: "BF16"
  llvm::StringLiteral name;     ///< in texts and reports: "bf16"; empty for types of files only
  llvm::StringLiteral cType;    ///< in the header of a compiled model: "uint16_t"
  int32_t code;                 ///< WEFT_BF16; -1 for types of files only

  unsigned bytes() const { return bits / 8; }
  unsigned mantissaBits() const { return bits - 1 - exponentBits; }
  bool isReal() const { return kind == ElementKind::Real; }
  /// Whether tensors and buffers have such elements.
  bool isStored() const { return code >= 0; }
};

/// All types, in the order of the enumeration.
llvm::ArrayRef<ElementTypeInfo> elementTypes();
inline const ElementTypeInfo &infoOf(ElementType type) { return elementTypes()[unsigned(type)]; }

/// How elements of a kind are computed, and stored where nothing else is said.
ElementType computeType(ElementKind kind);

/// The type that a file spells so ("BF16"); nothing if it is not read.
std::optional<ElementType> elementTypeInFile(llvm::StringRef name);
/// The type that a text spells so ("bf16").
std::optional<ElementType> elementTypeInText(llvm::StringRef name);
/// The type of a number of weft_model_info.h.
std::optional<ElementType> elementTypeOfCode(int32_t code);

/// The names in texts, for messages and suggestions.
llvm::SmallVector<llvm::StringRef> elementTypeNames();

} // namespace weft

#endif // WEFT_SUPPORT_ELEMENTTYPE_H
