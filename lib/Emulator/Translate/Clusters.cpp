//===- Clusters.cpp - clusters of one block -------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Spaces.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

// The type of an address: .u32 or .u64.
static std::optional<ptx::Type> takeAddressType(Emitter &e) {
  takeSpace(e);
  ptx::Type type = e.takeType();
  if (type.kind == ptx::TypeKind::Unsigned && type.bits >= 32)
    return type;
  e.fail(".u32 or .u64 is expected");
  return std::nullopt;
}

// mapa.shared::cluster.u32 d, a, rank: the address of the same place in that block.
static void emitMap(Emitter &e) {
  std::optional<ptx::Type> type = takeAddressType(e);
  if (!type || !e.expect(3))
    return;
  e.call("cluster_rank", e.builder.getVoidTy(), {e.thread(), e.read(2, kWord), e.line()});
  e.write(0, e.read(1, *type), *type);
}

// getctarank.shared::cluster.u32 d, a
static void emitRank(Emitter &e) {
  std::optional<ptx::Type> type = takeAddressType(e);
  if (!type || !e.expect(2))
    return;
  e.read(1, *type);
  e.write(0, e.number(0), kWord);
}

// barrier.cluster.arrive{.release, .relaxed}{.aligned} and .wait{.acquire}{.aligned}
void weft::emulator::emitClusterBarrier(Emitter &e) {
  e.modifiers.take("aligned");
  llvm::Type *nothing = e.builder.getVoidTy();
  if (e.modifiers.take("arrive")) {
    e.modifiers.take("release");
    bool relaxed = e.modifiers.take("relaxed");
    if (e.expect(0))
      e.call("cluster_arrive", nothing, {e.thread(), e.number(!relaxed), e.line()});
  } else if (e.modifiers.take("wait")) {
    e.modifiers.take("acquire");
    if (e.expect(0))
      e.call("cluster_wait", nothing, {e.thread(), e.line()});
  } else {
    e.fail(".arrive or .wait is missing");
  }
}

llvm::ArrayRef<InstructionRow> weft::emulator::clusterInstructions() {
  static const InstructionRow rows[] = {{"mapa", emitMap}, {"getctarank", emitRank}};
  return rows;
}
