//===- SpecialRegisters.cpp - %tid and its kind ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"

#include <cstddef>

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

// %tid.x: the place of a vector of three.
static std::optional<size_t> findVector(llvm::StringRef name) {
  auto [vector, axis] = name.split('.');
  size_t i = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : 3;
  if (i == 3)
    return std::nullopt;
  // A cluster is one block.
  if (vector == "%clusterid")
    vector = "%ctaid";
  if (vector == "%nclusterid")
    vector = "%nctaid";
  if (vector == "%tid")
    return offsetof(ThreadRegisters, tid) + 4 * i;
  if (vector == "%ntid")
    return offsetof(ThreadRegisters, ntid) + 4 * i;
  if (vector == "%ctaid")
    return offsetof(ThreadRegisters, ctaid) + 4 * i;
  if (vector == "%nctaid")
    return offsetof(ThreadRegisters, nctaid) + 4 * i;
  return std::nullopt;
}

// %lanemask_lt and others: the lanes of which something is true.
static Value *maskOfLanes(llvm::IRBuilder<> &builder, llvm::StringRef name, Value *lane) {
  Value *one = builder.CreateShl(builder.getInt32(1), lane);
  Value *below = builder.CreateSub(one, builder.getInt32(1));
  Value *upTo = builder.CreateOr(below, one);
  if (name == "%lanemask_eq")
    return one;
  if (name == "%lanemask_lt")
    return below;
  if (name == "%lanemask_le")
    return upTo;
  if (name == "%lanemask_gt")
    return builder.CreateNot(upTo);
  if (name == "%lanemask_ge")
    return builder.CreateNot(below);
  return nullptr;
}

Value *Emitter::readSpecial(const ptx::Operand &operand) {
  llvm::StringRef name = operand.name;
  llvm::Type *word = builder.getInt32Ty();
  if (std::optional<size_t> offset = findVector(name))
    return field(*offset, word);
  Value *lane = field(offsetof(ThreadRegisters, lane), word);
  if (name == "%laneid")
    return lane;
  if (name == "%warpid")
    return field(offsetof(ThreadRegisters, warp), word);
  if (name == "%cluster_ctarank" || name.starts_with("%cluster_ctaid."))
    return builder.getInt32(0);
  if (name == "%cluster_nctarank" || name.starts_with("%cluster_nctaid."))
    return builder.getInt32(1);
  if (name == "%is_explicit_cluster")
    return builder.getFalse();
  if (name == "%total_smem_size")
    return field(offsetof(ThreadRegisters, sharedBytes), word);
  if (name == "%dynamic_smem_size")
    return field(offsetof(ThreadRegisters, dynamicSharedBytes), word);
  if (name == "%clock64" || name == "%globaltimer")
    return builder.getInt64(0); // time stands still: nothing may depend on it
  if (name == "%clock" || name == "%smid")
    return builder.getInt32(0);
  if (Value *mask = maskOfLanes(builder, name, lane))
    return mask;
  fail("unknown special register '" + name + "'");
  return builder.getInt32(0);
}
