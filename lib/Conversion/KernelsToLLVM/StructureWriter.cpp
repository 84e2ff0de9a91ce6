//===-  StructureWriter.cpp - constant structures as globals --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StructureWriter.h"

using namespace mlir;
using namespace weft;

Type StructureWriter::typeOf(const Field &field) {
  switch (field.kind) {
  case Field::I32:
    return b.getI32Type();
  case Field::I64:
    return b.getI64Type();
  case Field::F64:
    return b.getF64Type();
  case Field::Address:
    return LLVM::LLVMPointerType::get(b.getContext());
  }
  llvm_unreachable("unknown kind of field");
}

Value StructureWriter::valueOf(const Field &field) {
  Type type = typeOf(field);
  if (field.kind == Field::F64)
    return LLVM::ConstantOp::create(b, loc, type, b.getF64FloatAttr(field.real));
  if (field.kind != Field::Address)
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, field.integer));
  if (field.symbol.empty())
    return LLVM::ZeroOp::create(b, loc, type);
  return LLVM::AddressOfOp::create(b, loc, type, field.symbol);
}

/// A structure is made field by field, and every step copies the whole: long ones are structures of
/// structures, with at most this many parts each.
static constexpr size_t kMostParts = 64;

static SmallVector<ArrayRef<Field>> partsOf(ArrayRef<Field> fields) {
  size_t size = 1;
  while (size * kMostParts < fields.size())
    size *= kMostParts;
  SmallVector<ArrayRef<Field>> parts;
  for (; !fields.empty(); fields = fields.drop_front(parts.back().size()))
    parts.push_back(fields.take_front(size));
  return parts;
}

Type StructureWriter::typeOf(ArrayRef<Field> fields) {
  SmallVector<Type> types;
  for (ArrayRef<Field> part : partsOf(fields))
    types.push_back(part.size() == 1 ? typeOf(part.front()) : typeOf(part));
  // A part alone may begin or end between two alignments.
  return LLVM::LLVMStructType::getLiteral(b.getContext(), types, /*isPacked=*/true);
}

Value StructureWriter::valueOf(ArrayRef<Field> fields) {
  Value value = LLVM::UndefOp::create(b, loc, typeOf(fields));
  for (auto [i, part] : llvm::enumerate(partsOf(fields))) {
    Value element = part.size() == 1 ? valueOf(part.front()) : valueOf(part);
    value = LLVM::InsertValueOp::create(b, loc, value, element, int64_t(i));
  }
  return value;
}

void StructureWriter::addGlobal(StringRef name, ArrayRef<Field> fields, bool exported) {
  Type type = typeOf(fields);
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       exported ? LLVM::Linkage::External : LLVM::Linkage::Internal,
                                       name, Attribute(), 8);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, loc, valueOf(fields));
}

Field StructureWriter::addArray(StringRef what, ArrayRef<Field> fields) {
  if (fields.empty())
    return address("");
  std::string name = freshName(what);
  addGlobal(name, fields, /*exported=*/false);
  return address(name);
}

Field StructureWriter::addString(StringRef text) {
  std::string name = freshName("text");
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                         b.getStringAttr(bytes), 1);
  return address(name);
}

std::string StructureWriter::freshName(StringRef what) {
  return (prefix + "." + what + "." + llvm::Twine(next++)).str();
}
