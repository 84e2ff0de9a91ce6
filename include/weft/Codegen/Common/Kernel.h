//===- Kernel.h - the arguments of a kernel as pointers and sizes ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What an emitter needs to know of the function it writes: for every buffer of the formula a
// pointer, sizes and strides, for every symbol its value, and how elements are read and written.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_COMMON_KERNEL_H
#define WEFT_CODEGEN_COMMON_KERNEL_H

#include "weft/Codegen/Common/Lanes.h"

#include "weft/Dialect/Weft/IR/Weft.h"

#include "llvm/ADT/StringMap.h"

namespace weft {

/// The most that the blocks of one task take of a thread's stack: the widest heads in use, of 256
/// elements, take 390 KiB, and a thread may have no more than 512 KiB (macOS).
inline constexpr int64_t kTaskStack = 448 << 10;

/// A buffer in row-major order, or in that of a layout, of elements of a storage type.
struct Buffer {
  mlir::Value pointer;
  mlir::Type elementType;
  llvm::SmallVector<Lanes> sizes;   ///< of its dimensions
  llvm::SmallVector<Lanes> strides; ///< of the dimensions that are stored
  LayoutAttr layout;                ///< or null
  int64_t alignment = 1;            ///< of the pointer in bytes, as far as it is known
};

/// Blocks of a task's stack that formulas use one after the other: each begins with the first that
/// is as large as what it asks for.
struct StackBlocks {
  struct Block {
    int64_t bytes;
    mlir::Value pointer;
    bool isFree;
  };
  llvm::SmallVector<Block> blocks;

  void freeAll() {
    for (Block &block : blocks)
      block.isFree = true;
  }
};

/// One function being written. The values of `buffers` are those of the formula's old function.
struct Kernel {
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::StringMap<Lanes> symbols;
  /// Pointer to the i32 that checks write.
  mlir::Value status;
  /// The entry block of the new function, where stack memory is allocated.
  mlir::Block *entry = nullptr;
  StackBlocks *stack = nullptr; ///< or null: each has its own

  const Buffer &getBuffer(mlir::Value value) const { return buffers.find(value)->second; }
  Lanes getSymbol(llvm::StringRef name) const { return symbols.lookup(name); }
  /// The number of values of an index.
  Lanes getExtent(LaneBuilder &lanes, IndexAttr index) const;
  /// `bytes` bytes of stack, aligned to 64; a task's are `kTaskStack` together at most.
  mlir::Value allocateStack(LaneBuilder &lanes, int64_t bytes) const;
};

/// The position of an element, counted in elements from the start of the buffer.
Lanes getOffset(LaneBuilder &lanes, const Buffer &buffer, llvm::ArrayRef<Lanes> coordinates);

/// Elements of another type that lie in the same memory, one after the other.
Buffer viewAs(const Buffer &buffer, mlir::Type element);

/// Reads the elements at `offset` as numbers of the compute type; lanes outside the mask get 0.
Lanes loadElements(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, mlir::Value mask);

/// The panels of a buffer of codes of 4 bits.
NibblePanel getNibblePanel(const Buffer &buffer);
/// The same for its elements; the offset counts each as a byte.
Lanes loadNibbles(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset, mlir::Value mask);

/// Writes a number of the compute type for each lane in the mask. At a uniform offset `value` must
/// be a scalar.
void storeElements(LaneBuilder &lanes, const Buffer &buffer, const Lanes &offset,
                   const Lanes &value, mlir::Value mask);

/// `pointer + offset` elements of the type. The offset is a scalar or a vector of integers.
mlir::Value getElementPointer(LaneBuilder &lanes, mlir::Value pointer, mlir::Type elementType,
                              mlir::Value offset);
/// `pointer` plus some f32 elements.
mlir::Value addElements(LaneBuilder &lanes, mlir::Value pointer, const Lanes &elements);
mlir::Value addElements(LaneBuilder &lanes, mlir::Value pointer, int64_t elements);
/// A vector of `width` f32 (a scalar at width 1) at `pointer`.
mlir::Value loadVector(LaneBuilder &lanes, mlir::Value pointer);
void storeVector(LaneBuilder &lanes, mlir::Value pointer, mlir::Value value);
/// Element number `position` of an array of scalars.
mlir::Value loadScalar(LaneBuilder &lanes, mlir::Value pointer, const Lanes &position,
                       mlir::Type type);
void storeScalar(LaneBuilder &lanes, mlir::Value pointer, const Lanes &position, mlir::Value value);

} // namespace weft

#endif
