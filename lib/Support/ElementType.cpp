//===- ElementType.cpp - the types of elements ----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/ElementType.h"

#include "weft/Runtime/weft_model_info.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;

static constexpr ElementTypeInfo table[] = {
#define WEFT_FILE_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME)                               \
  {ElementType::NAME, ElementKind::KIND, BITS, EXPONENT, FILE_NAME, "", #CTYPE, -1},
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  {ElementType::NAME, ElementKind::KIND, BITS, EXPONENT, FILE_NAME, TEXT_NAME, #CTYPE, CODE},
#include "weft/Support/ElementTypes.def"
};

llvm::ArrayRef<ElementTypeInfo> weft::elementTypes() { return table; }

ElementType weft::computeType(ElementKind kind) {
  switch (kind) {
  case ElementKind::Real:
    return ElementType::F32;
  case ElementKind::Int:
    return ElementType::I32;
  case ElementKind::Bool:
    return ElementType::Bool;
  }
  llvm_unreachable("unknown kind of element");
}

template <typename Test> static std::optional<ElementType> findType(Test test) {
  const auto *found = llvm::find_if(table, test);
  return found == std::end(table) ? std::nullopt : std::optional(found->type);
}

std::optional<ElementType> weft::elementTypeInFile(llvm::StringRef name) {
  return findType([&](const ElementTypeInfo &info) { return info.fileName == name; });
}

std::optional<ElementType> weft::elementTypeInText(llvm::StringRef name) {
  return findType(
      [&](const ElementTypeInfo &info) { return info.isStored() && info.name == name; });
}

std::optional<ElementType> weft::elementTypeOfCode(int32_t code) {
  return findType(
      [&](const ElementTypeInfo &info) { return info.isStored() && info.code == code; });
}

llvm::SmallVector<llvm::StringRef> weft::elementTypeNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const ElementTypeInfo &info : table)
    if (info.isStored())
      names.push_back(info.name);
  return names;
}
