//===- ElementTypes.h - element types in the IR ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Tensors and buffers have elements of a *storage* type, one of the table of
// weft/Support/ElementTypes.def. Regions compute in the *compute* type of its kind: f32 for reals,
// i32 for integers, i1 for conditions. An element is extended where it is read and rounded (an
// integer: cut) where it is stored. Integers without a sign in their type (`i8`) are signed, `ui8`
// is not.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_ELEMENTTYPES_H
#define WEFT_DIALECT_WEFT_IR_ELEMENTTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "weft/Support/ElementType.h"

namespace weft {

/// The storage type; nothing for a type that tensors cannot have.
std::optional<ElementType> getElementType(mlir::Type type);
mlir::Type getStorageType(mlir::MLIRContext *context, ElementType type);

/// What elements of a storage type are in regions.
mlir::Type getComputeType(mlir::Type storage);
/// The same of the elements of a tensor or buffer.
mlir::Type getComputeTypeOf(mlir::Value tensor);
/// Whether elements of `tensor` are stored as they are computed, so that one may be computed again
/// where it is read.
bool isStoredAsComputed(mlir::Value tensor);

/// A number as a number of another type of its kind: rounded, cut or extended.
mlir::TypedAttr convertElement(mlir::TypedAttr value, mlir::Type type);

/// What code loads and stores: 32-bit elements as they are, the bits of others as an integer.
mlir::Type getMemoryType(mlir::Type storage);
/// What is stored of a number in a region.
mlir::TypedAttr getMemoryValue(mlir::TypedAttr value, mlir::Type storage);

/// (C26): tensors and buffers of `op` have storage types.
mlir::LogicalResult verifyStorageTypes(mlir::Operation *op);
/// The same of one type, which messages call `name`.
mlir::LogicalResult verifyStorageType(mlir::Type type,
                                      llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                      const llvm::Twine &name);

/// The trait of all ops of the dialect by which they are verified.
template <typename ConcreteType>
class StoresElements // NOLINT(bugprone-crtp-constructor-accessibility): as all traits
    : public mlir::OpTrait::TraitBase<ConcreteType, StoresElements> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyStorageTypes(op); }
};

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_ELEMENTTYPES_H
